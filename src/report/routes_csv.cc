#include "plan/fabric/routing.h"
#include "report/plan_report.h"
#include "write/writers.h"

namespace clusterc {

std::string render_routes_csv(const Cluster& cluster, const Plan& plan) {
  std::string out;
  SheetWriter csv(out);
  csv.row({"network", "leaf", "port", "to", "to_port", "routes"});
  for (std::size_t i = 0; i < plan.fabrics.size(); ++i) {
    const Fabric& f = plan.fabrics[i];
    if (f.leaf_spine_cables == 0) continue;
    const auto fabric = static_cast<int>(i);
    const Routing routing(plan, fabric);
    for (std::int64_t leaf = 0; leaf < f.tiers[0].count; ++leaf) {
      const std::string name = plan.switch_name(fabric, {0, leaf});
      for (std::int64_t link = 0; link < f.leaf_up(leaf); ++link) {
        PortRef upper;
        const PortRef lower = plan.up_link(fabric, {0, leaf}, link, &upper);
        csv.row({cluster.networks[static_cast<std::size_t>(f.network)].name, name, std::to_string(lower.port),
                 plan.switch_name(fabric, upper.sw), std::to_string(upper.port),
                 std::to_string(routing.routes(leaf, link))});
      }
    }
  }
  return out;
}

}  // namespace clusterc
