#include "audit/node_audit.h"

#include <algorithm>
#include <map>

#include "audit/node_view.h"
#include "base/index.h"

namespace clusterc {

void compare_nodes(const Cluster& cluster, const std::vector<GroupSettings>& settings,
                   const std::vector<AuditedRecord>& records, NodeDifferences& to) {
  std::map<int, std::vector<double>> memory;
  for (const AuditedRecord& r : records) {
    to.met(r.node);
    if (r.record.memory_bytes > 0) memory[r.node.group].push_back(r.record.memory_bytes);
  }
  std::map<int, GroupView> groups;
  for (auto& [group, all] : memory) {
    const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
    std::ranges::nth_element(all, middle);
    groups[group].usual_memory = *middle;
  }
  for (const AuditedRecord& r : records) {
    const NodeGroupModel& group = cluster.nodes[at(r.node.group)];
    const auto [view, fresh] = groups.try_emplace(r.node.group);
    if (fresh || view->second.adapters.empty()) view->second.adapters = planned_adapters(cluster, group);
    const NodeView node{cluster, settings[at(r.node.group)], group, r.node, r.record, to};
    compare_hardware(node, view->second);
    compare_software(node);
  }
}

}  // namespace clusterc
