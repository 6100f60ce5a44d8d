#include "audit/files/slurm_parts.h"

#include <algorithm>

#include "audit/files/slurm_values.h"
#include "audit/files/words.h"
#include "base/format.h"
#include "base/printable.h"
#include "base/text.h"
#include "write/writers.h"

namespace clusterc {
namespace {

// Text of a file in one line of a spec.
std::string clean(std::string_view text) { return printable(one_line(text)); }

}  // namespace

void SlurmParts::add(const std::string& id, std::string text) {
  if (own_.insert(id).second) parts_.push_back({format("{}/{}.yaml", kSlurmParts, id), std::move(text)});
}

std::string SlurmParts::cpu(const SlurmHardware& h) {
  const std::string id = format("cpu-{}x{}", h.cores_per_socket, h.threads);
  std::string text;
  YamlWriter yaml(text);
  yaml.comment(
      "A processor as slurm.conf describes it. Name the real one in the spec, so that its figures can be judged.");
  yaml.begin_map().field("part", "cpu").field("id", id);
  yaml.map("facts");
  yaml.field("name", format("a processor with {} and {} a core", counted(h.cores_per_socket, "core"),
                            counted(h.threads, "thread")));
  yaml.field("cores", h.cores_per_socket).field("threads_per_core", h.threads);
  yaml.end_map().end_map();
  add(id, text + "\n");
  return id;
}

std::string SlurmParts::gpu(const SlurmGres& gres, std::string& comment) {
  const std::set<std::string, std::less<>> want = slurm_type_words(gres.type);
  std::vector<std::string> fits;
  for (const PartInfo& info : catalog_.list()) {
    if (info.kind != PartKind::gpu || want.empty()) continue;
    const auto have = slurm_type_words(info.id);
    if (std::includes(have.begin(), have.end(), want.begin(), want.end())) fits.emplace_back(info.id);
  }
  const std::string type = to_lower(gres.type);
  const auto called = [](std::string_view id) {  // system/slurm.h, gres_type()
    for (const std::string_view maker : {"nvidia-", "amd-", "intel-"})
      if (id.starts_with(maker)) id.remove_prefix(maker.size());
    return std::string(id.substr(0, id.find('-')));
  };
  if (fits.size() == 1 && called(fits.front()) == type) return fits.front();
  std::string id;
  for (const char c : type) id += (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' ? c : '-';
  while (id.starts_with('-') || id.starts_with('_')) id.erase(0, 1);
  while (id.ends_with('-')) id.pop_back();
  if (id.size() > 60) id.resize(60);
  if (id.empty()) id = "gpu";
  if (fits.empty())
    comment = format("The catalogue has no GPU '{}'.", clean(type));
  else
    comment = format("Write the GPU that is fitted: {}.", join(fits, " or "));
  if (type.empty())
    comment = "gres.conf and slurm.conf give the GPUs no type: clusterc writes one.";
  else if (called(id) != type)
    comment +=
        format(" clusterc calls the type '{}': jobs that request '{}' have to be changed.", called(id), clean(type));
  std::string text;
  YamlWriter yaml(text);
  yaml.comment(
      "A GPU of which Slurm's files say the type only. Name the real one in the spec, so that its figures can "
      "be judged.");
  yaml.begin_map().field("part", "gpu").field("id", id).map("facts");
  yaml.field("name", type.empty() ? std::string("a GPU without a type") : format("a GPU of type '{}'", clean(type)));
  yaml.end_map().end_map();
  add(id, text + "\n");
  return id;
}

}  // namespace clusterc
