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

}  // namespace

std::vector<MemoryNode> memory_nodes(const fs::path& root) {
  std::vector<MemoryNode> out;
  const fs::path folder = root / "sys/devices/system/node";
  for (const int id : parse_cpu_list(read_text(folder / "has_memory").value_or(""))) {
    MemoryNode node{.id = id, .distances = {}};
    const std::string text = read_text(folder / format("node{}/distance", id)).value_or("");
    for (const char *at = text.data(), *end = at + text.size(); at < end;) {
      int value = 0;
      const auto [next, failed] = std::from_chars(at, end, value);
      if (failed == std::errc()) node.distances.push_back(value);
      at = next == at ? at + 1 : next;
    }
    out.push_back(std::move(node));
  }
  return out;
}

std::vector<CopyPath> plan_paths(std::span<const int> node_of_device, std::span<const MemoryNode> nodes) {
  std::vector<CopyPath> out;
  for (std::size_t device = 0; device < node_of_device.size(); ++device) {
    const auto own = std::find_if(nodes.begin(), nodes.end(), [&](const MemoryNode& n) { return n.id == node_of_device[device]; });
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
  return format("pcie.copy{}{}{}", path.own && forth ? "" : ".", path.own ? "" : forth ? "far" : "far_", forth ? "" : way == Way::both ? "both" : "to_host");
}

}  // namespace clusterc::pcie
