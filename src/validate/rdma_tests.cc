#include "validate/rdma_tests.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "validate/node_tests.h"

namespace clusterc {

std::string ports_argument(const std::vector<RdmaPorts>& ports) {
  std::string out;
  for (const RdmaPorts& p : ports) {
    out += format("{}{}:{}x{}Gb/s", out.empty() ? "" : ",", p.kind == LinkKind::infiniband ? "infiniband" : "ethernet",
                  p.count, p.rate.value / 1e9);
    if (p.mtu > 0) out += format(":{}", p.mtu);
  }
  return out;
}

std::vector<SuiteTest> gpudirect_tests(const NodeGroupModel& group, const std::vector<RdmaPorts>& ports,
                                       const SuiteOptions& options) {
  if (!asks_for_gpudirect(group)) return {};
  std::int64_t rails = 0;
  for (const RdmaPorts& p : ports) rails += p.count;
  const double pairs = static_cast<double>(std::max(rails, group.server.gpu_count));
  const bool nvidia = !group.server.gpu || group.server.gpu->vendor.value_or(Vendor::nvidia) == Vendor::nvidia;
  std::vector<std::string> nodes = names_of(group, options);
  std::vector<std::vector<std::string>> orders;
  if (nodes.size() % 2 != 0) {  // the last one has a partner of its own
    orders.push_back({nodes.front(), nodes.back()});
    nodes.pop_back();
  }
  orders.insert(orders.begin(), std::move(nodes));
  std::vector<SuiteTest> out;
  for (std::size_t i = 0; i < orders.size(); ++i)
    out.push_back({.id = format("pair/{}/gpudirect-{}", group.name, i + 1),
                   .stage = SuiteStage::pair,
                   .validator = "fabric",
                   .arguments = {"--ports", ports_argument(ports), "--gpudirect", nvidia ? "cuda" : "rocm", "--hosts",
                                 join(orders[i], ",")},
                   .group = group.name,
                   .nodes = orders[i],
                   .gpus_per_node = group.server.gpu_count,
                   .figures = 3 * pairs,  // each way, and both at once
                   .metrics = {"rdma.gpu_write", "rdma.gpu_write.both"},
                   .team_nodes = 2,
                   .ports = rails});
  return out;
}

}  // namespace clusterc
