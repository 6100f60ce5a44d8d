#include "container/look.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "base/json_writer.h"
#include "base/subprocess.h"
#include "harness/library.h"
#include "harness/machine.h"

namespace clusterc::container {
namespace fs = std::filesystem;
namespace {

// A node may be there and refuse to be opened: the device rules of a container's cgroup say who may.
bool opens(const fs::path& node) {
  const int fd = ::open(node.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK);
  if (fd >= 0) ::close(fd);
  return fd >= 0 || errno == EBUSY;
}

bool is_numbered(std::string_view name, std::string_view stem) {  // "uverbs12"
  return name.size() > stem.size() && name.starts_with(stem) &&
         name.find_first_not_of("0123456789", stem.size()) == name.npos;
}

std::vector<std::string> entries(const fs::path& folder) {
  std::vector<std::string> out;
  std::error_code failed;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed))
    out.push_back(at->path().filename().string());
  std::sort(out.begin(), out.end());
  return out;
}

// Nodes below `folder` of dev/ whose names are `stem` and a number, each with the folder's name before it.
void append_nodes(std::vector<std::string>& out, const fs::path& dev, const std::string& folder,
                  std::string_view stem) {
  for (const std::string& name : entries(dev / folder))
    if (is_numbered(name, stem) && opens(dev / folder / name)) out.push_back(folder + name);
}

std::string locked_memory() {
  rlimit limit{};
  ::getrlimit(RLIMIT_MEMLOCK, &limit);
  return limit.rlim_cur == RLIM_INFINITY ? "unlimited" : std::to_string(limit.rlim_cur);
}

constexpr std::pair<const char*, std::vector<std::string> Look::*> kLists[] = {
    {"gpus", &Look::gpus}, {"libraries", &Look::libraries}, {"adapters", &Look::adapters}, {"verbs", &Look::verbs}};

}  // namespace

Look look_at(const fs::path& root) {
  Look out;
  const fs::path dev = root / "dev";
  append_nodes(out.gpus, dev, "", "nvidia");
  if (opens(dev / "kfd")) append_nodes(out.gpus, dev, "dri/", "renderD");
  std::string ignored;
  // They come into a container with GPUs; a machine without one may have them all the same.
  if (std::any_of(out.gpus.begin(), out.gpus.end(), [](const std::string& gpu) { return gpu.starts_with("nvidia"); }))
    for (const char* name : {"libcuda.so.1", "libnvidia-ml.so.1"})
      if (harness::Library::open({name}, ignored)) out.libraries.emplace_back(name);
  out.adapters = entries(root / "sys/class/infiniband");
  append_nodes(out.verbs, dev, "infiniband/", "uverbs");
  out.locked_memory = locked_memory();
  out.mpirun = find_program("mpirun").value_or("");
  return out;
}

std::string look_line(const Look& look, std::string_view token) {
  std::string out;
  JsonWriter j(out);
  j.begin_object().field("record", "inside").field("token", token);
  for (const auto& [name, list] : kLists) {
    j.array(name);
    for (const std::string& item : look.*list) j.value(item);
    j.end_array();
  }
  j.field("locked_memory", look.locked_memory).field("mpirun", look.mpirun).end_object();
  return out;
}

std::optional<Answer> parse_look(std::string_view line) {
  using nlohmann::json;
  const json record = json::parse(line, nullptr, false);
  const auto text = [&](const char* key) {
    return record.contains(key) && record[key].is_string() ? record[key].get<std::string>() : std::string();
  };
  if (!record.is_object() || text("record") != "inside") return std::nullopt;
  Answer out{.token = text("token"), .look = {}};
  for (const auto& [name, list] : kLists) {
    if (!record.contains(name) || !record[name].is_array()) return std::nullopt;
    for (const json& item : record[name])
      if (item.is_string()) (out.look.*list).push_back(item.get<std::string>());
  }
  out.look.locked_memory = text("locked_memory");
  out.look.mpirun = text("mpirun");
  return out;
}

Difference compare(const Look& outside, const Look& inside) {
  Difference out;
  for (const auto& [name, list] : kLists) {
    const std::set<std::string> there((outside.*list).begin(), (outside.*list).end()),
        here((inside.*list).begin(), (inside.*list).end());
    std::set<std::string> all = there;
    all.insert(here.begin(), here.end());
    out.compared += all.size();
    for (const std::string& item : all) {
      if (!here.contains(item)) out.found.push_back(item + " is not in the container");
      // An image may bring libraries that the host does without.
      if (!there.contains(item) && list != &Look::libraries) out.found.push_back(item + " is in the container only");
    }
  }
  return out;
}

}  // namespace clusterc::container
