#include "report/device_names.h"

#include "base/index.h"

namespace clusterc {

std::string_view device_word(DeviceKind k) {
  switch (k) {
    case DeviceKind::node:
      return "node";
    case DeviceKind::storage:
      return "storage";
    case DeviceKind::switch_:
      return "switch";
    case DeviceKind::occupied:
      return "occupied";
    case DeviceKind::tray:
      return "node";
  }
  return "?";
}

std::string device_name(const Cluster& cluster, const Plan& plan, const RackedDevice& d) {
  if (d.kind == DeviceKind::node || d.kind == DeviceKind::tray) return cluster.node_name(d.index);
  if (d.kind == DeviceKind::storage)
    return "storage/" + cluster.storage[at(d.group)].name + "/" + std::to_string(d.index + 1);
  if (d.kind == DeviceKind::switch_) {
    std::int64_t index = d.index;
    const Fabric& f = plan.fabrics[at(d.group)];
    for (std::size_t t = 0; t < f.tiers.size(); index -= f.tiers[t++].count)
      if (index < f.tiers[t].count) return plan.switch_name(d.group, {static_cast<int>(t), index});
  }
  return "";
}

}  // namespace clusterc
