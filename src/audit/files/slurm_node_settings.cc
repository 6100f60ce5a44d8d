#include "audit/files/slurm_node_settings.h"

#include <algorithm>
#include <map>

#include "base/format.h"
#include "base/text.h"

namespace clusterc {
namespace {

constexpr std::size_t kLongestValue = 200;  // characters of a value that are shown
constexpr std::size_t kMostNames = 4096;    // of the nodes that have a setting: more are not shown

// Keys that a compiled DEFAULT line can have. Others, such as NodeAddr, differ from node to node or follow from the
// spec.
bool holds_for_all(std::string_view key) {
  for (const std::string_view k :
       {"corespeccount", "cpubind", "cpuspeclist", "memspeclimit", "restrictedcorespergpu", "tmpdisk"})
    if (key == k) return true;
  return false;
}

std::map<std::string_view, const SlurmSetting*> settings_of(const SlurmNodeLine& line) {
  std::map<std::string_view, const SlurmSetting*> out;
  if (line.defaults)
    for (const auto& [key, setting] : *line.defaults) out[key] = &setting;
  for (const auto& [key, setting] : line.record->settings) out[key] = &setting;  // of two the last
  return out;
}

// Entries of Gres that are no GPUs and no shards.
std::string other_gres(const std::string& value) {
  std::string out;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= value.size(); ++i) {
    if (i < value.size() && (value[i] != ',' || depth > 0)) {
      depth += value[i] == '(' ? 1 : value[i] == ')' && depth > 0 ? -1 : 0;
      continue;
    }
    const std::string_view entry = trim(std::string_view(value).substr(begin, i - begin));
    const std::string name = to_lower(entry.substr(0, entry.find_first_of(":(")));
    if (!entry.empty() && name != "gpu" && name != "shard") out += (out.empty() ? "Gres=" : ",") + std::string(entry);
    begin = i + 1;
  }
  return out;
}

// A state that slurmctld keeps only because the file has it.
bool is_usual(std::string_view state) {
  const std::string low = to_lower(state);
  return low == "unknown" || low == "idle" || low.starts_with("cloud");
}

}  // namespace

SlurmNodeSettings slurm_node_settings(const SlurmCluster& c, const SlurmAsWritten& as_written) {
  struct Use {
    std::string key;
    std::vector<std::string> nodes;
    std::size_t lines = 0;
  };
  std::map<std::string, Use> uses;  // by the setting as written
  std::size_t lines = 0;
  for (const SlurmNodeLine& line : c.nodes) {
    if (line.each.empty()) continue;
    ++lines;
    for (const auto& [key, setting] : settings_of(line)) {
      std::string text;
      if (key == "nodehostname" && setting->value == line.names) continue;
      if (key == "gres")
        text = other_gres(setting->value);
      else if (!slurm_group_reads(key) || (key == "state" && !is_usual(setting->value)))
        text = as_written(*setting, key);
      if (text.empty()) continue;
      Use& use = uses[std::move(text)];
      use.key = key;
      ++use.lines;
      const auto shown =
          static_cast<std::ptrdiff_t>(std::min(line.each.size(), kMostNames - std::min(kMostNames, use.nodes.size())));
      use.nodes.insert(use.nodes.end(), line.each.begin(), line.each.begin() + shown);
    }
  }
  SlurmNodeSettings out;
  for (const auto& [text, use] : uses)
    if (use.lines == lines && holds_for_all(use.key) && text.size() <= kLongestValue)
      out.of_all.push_back(text);
    else
      out.lost.push_back(
          format("{} of {}", text.substr(0, kLongestValue), fold_names(use.nodes).substr(0, kLongestValue)));
  return out;
}

}  // namespace clusterc
