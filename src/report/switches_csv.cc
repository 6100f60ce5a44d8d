#include "plan/fabric/bgp.h"
#include "report/plan_report.h"
#include "spec/network.h"
#include "write/writers.h"

namespace clusterc {

std::string render_switches_csv(const Cluster& cluster, const Plan& plan) {
  std::string out;
  SheetWriter csv(out);
  csv.row({"network", "switch", "host", "tier", "model", "rack", "unit", "management_address", "asn", "loopback"});
  const auto address = [](std::uint32_t a) { return a ? ipv4_text(a) : std::string(); };
  for (std::size_t i = 0; i < plan.fabrics.size(); ++i) {
    const auto fabric = static_cast<int>(i);
    const Fabric& f = plan.fabrics[i];
    const NetworkModel& n = cluster.networks[static_cast<std::size_t>(f.network)];
    for (std::int64_t k = 0; k < f.switch_count(); ++k) {
      const SwitchRef r = plan.switch_ref(fabric, k);
      const auto number = static_cast<std::size_t>(plan.switch_number(fabric, r));
      const std::int32_t rack = plan.switch_rack[number];
      csv.row({n.name, plan.switch_name(fabric, r), plan.switch_host_name(fabric, r),
               f.tiers[static_cast<std::size_t>(r.tier)].word, f.tiers[static_cast<std::size_t>(r.tier)].model,
               rack < 0 ? std::string() : cluster.rack_name(rack),
               rack < 0 ? std::string() : std::to_string(plan.switch_unit[number]),
               address(plan.switch_address(fabric, r)),
               n.spec && n.spec->asn ? std::to_string(*n.spec->asn + bgp_number(f, r)) : std::string(),
               address(loopback(plan, fabric, r))});
    }
  }
  return out;
}

}  // namespace clusterc
