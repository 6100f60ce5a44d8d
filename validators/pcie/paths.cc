#include <algorithm>
#include <charconv>

#include "base/format.h"
#include "harness/machine.h"
#include "pcie/copies.h"

namespace clusterc::pcie {
namespace fs = std::filesystem;
using namespace harness;
namespace {

int distance(const MemoryNode& from, std::size_t to) { return to < from.distances.size() ? from.distances[to] : 0; }

std::vector<int> numbers(const std::string& text) {
  std::vector<int> out;
  for (const char *at = text.data(), *end = at + text.size(); at < end;) {
    int value = 0;
    const auto [next, failed] = std::from_chars(at, end, value);
    if (failed == std::errc()) out.push_back(value);
    at = next == at ? at + 1 : next;
  }
  return out;
}

// Where this process may take memory (cpuset): Mems_allowed_list, proc_pid_status(5).
std::optional<std::set<int>> allowed_nodes(const fs::path& root) {
  const std::string text = read_text(root / "proc/self/status").value_or(""), key = "\nMems_allowed_list:";
  const auto at = text.find(key);
  if (at == text.npos) return std::nullopt;
  const auto begin = text.find_first_not_of(" \t", at + key.size());
  return parse_cpu_list(
      text.substr(std::min(begin, text.size()), text.find('\n', at + 1) - std::min(begin, text.size())));
}

}  // namespace

std::vector<MemoryNode> memory_nodes(const fs::path& root) {
  const fs::path folder = root / "sys/devices/system/node";
  const auto listed = [&](const char* name) {
    const auto text = read_text(folder / name);
    return text ? std::optional(parse_cpu_list(*text)) : std::nullopt;
  };
  std::set<int> ids = listed("has_memory").value_or(std::set<int>());
  const auto keep = [&](const std::optional<std::set<int>>& those) {
    if (those) std::erase_if(ids, [&](int id) { return !those->contains(id); });
  };
  keep(listed("has_cpu"));  // a node without processors is the memory of a GPU (GH200), or of a card
  keep(allowed_nodes(root));
  const std::set<int> online = listed("online").value_or(ids);
  std::vector<MemoryNode> out;
  for (const int id : ids) {
    MemoryNode node{.id = id, .distances = {}};
    const std::vector<int> row =
        numbers(read_text(folder / format("node{}/distance", id)).value_or(""));  // one for each node that is online
    for (const int other : ids) {
      const auto at = static_cast<std::size_t>(std::distance(online.begin(), online.find(other)));
      node.distances.push_back(at < row.size() ? row[at] : 0);
    }
    out.push_back(std::move(node));
  }
  return out;
}

std::vector<CopyPath> plan_paths(std::span<const int> node_of_device, std::span<const MemoryNode> nodes) {
  std::vector<CopyPath> out;
  for (std::size_t device = 0; device < node_of_device.size(); ++device) {
    const auto own =
        std::find_if(nodes.begin(), nodes.end(), [&](const MemoryNode& n) { return n.id == node_of_device[device]; });
    if (nodes.size() < 2 || own == nodes.end()) {
      out.push_back({.device = static_cast<int>(device)});
      continue;
    }
    std::size_t farthest = own == nodes.begin() ? 1 : 0;
    for (std::size_t i = 0; i < nodes.size(); ++i)
      if (nodes[i].id != own->id && distance(*own, i) > distance(*own, farthest)) farthest = i;
    out.push_back({.device = static_cast<int>(device), .memory_node = own->id});
    out.push_back({.device = static_cast<int>(device), .memory_node = nodes[farthest].id, .own = false});
  }
  return out;
}

std::string metric_of(const CopyPath& path, Way way) {
  const bool forth = way == Way::to_device;
  return format("pcie.copy{}{}{}", path.own && forth ? "" : ".",
                path.own ? ""
                : forth  ? "far"
                         : "far_",
                forth              ? ""
                : way == Way::both ? "both"
                                   : "to_host");
}

}  // namespace clusterc::pcie
