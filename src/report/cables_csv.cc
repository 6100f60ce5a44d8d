#include "base/text.h"
#include "report/plan_report.h"
#include "write/writers.h"

namespace clusterc {

std::string render_cables_csv(const Cluster& cluster, const Plan& plan) {
  std::string out;
  CsvWriter csv(out);
  csv.row({"network", "from", "from_port", "to", "to_port", "rate", "length_m"});
  for (std::size_t f = 0; f < plan.fabrics.size(); ++f) {
    const std::string& network = cluster.networks[static_cast<std::size_t>(plan.fabrics[f].network)].name;
    const std::string rate = to_text(plan.fabrics[f].link_rate);
    plan.each_cable(static_cast<int>(f), [&](const Cable& cable) {
      std::string length;
      append_uint(length, static_cast<std::uint64_t>(cable.length.value + 0.999));   // sold by the whole metre
      csv.row({network, cable.near.object, cable.near.port, cable.far.object, cable.far.port, cable.rate == plan.fabrics[f].link_rate ? rate : to_text(cable.rate), length});
      return true;
    });
  }
  return out;
}

}  // namespace clusterc
