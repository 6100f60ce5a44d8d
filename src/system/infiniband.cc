#include "system/infiniband.h"

#include <algorithm>

#include "base/text.h"
#include "spec/nodes.h"

namespace clusterc {

std::vector<InfinibandSubnet> infiniband_subnets(const Cluster& c, const Plan& plan) {
  std::vector<InfinibandSubnet> out;
  for (std::size_t f = 0; f < plan.fabrics.size(); ++f) {
    const Fabric& fabric = plan.fabrics[f];
    if (c.networks[f].kind != LinkKind::infiniband || fabric.tiers.empty()) continue;
    for (std::int64_t p = 0; p < fabric.planes; ++p) {
      InfinibandSubnet s{static_cast<int>(f), p, c.networks[f].name, out.size()};
      if (fabric.planes > 1) s.name += "-plane", append_int(s.name, p + 1);
      out.push_back(std::move(s));
    }
  }
  return out;
}

std::vector<std::string> managed_subnets(const Cluster& c, const Plan& plan, int group) {
  std::vector<std::string> out;
  if (!c.nodes[static_cast<std::size_t>(group)].has_role(Role::fabric_manager)) return out;
  for (const InfinibandSubnet& s : infiniband_subnets(c, plan)) {
    const NetworkModel& net = c.networks[static_cast<std::size_t>(s.fabric)];
    if (std::any_of(net.ends.begin(), net.ends.end(),
                    [&](const EndPoints& e) { return e.group == group && (e.split > 1 || e.ports_each > s.plane); }))
      out.push_back(s.name);
  }
  return out;
}

}  // namespace clusterc
