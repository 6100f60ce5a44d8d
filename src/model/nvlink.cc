#include "model/nvlink.h"

#include <algorithm>
#include <cmath>

#include "base/nvlink_rate.h"
#include "spec/network.h"
#include "spec/nodes.h"

namespace clusterc {

const Value<BytesPerSecond>& gpu_link_of(const ServerModel& s) {
  return s.gpu ? s.part.gpu_link.or_else(s.gpu->gpu_link) : s.part.gpu_link;
}

std::int64_t gpus_joined_in_server(const ServerModel& s) {
  if (s.gpu_count <= 1 || !s.gpu) return 1;
  if (s.part.gpu_link) return s.part.gpu_link->value > 0 ? s.gpu_count : 1;
  const bool card = s.gpu->form && *s.gpu->form == GpuForm::pcie;
  if (s.gpu->gpu_link && s.gpu->gpu_link->value <= 0) return 1;
  if (card) return std::min(s.gpu_count, s.part.nvlink_bridge.value_or(1));
  return s.gpu->gpu_link || s.gpu->form ? s.gpu_count : 1;
}

std::int64_t gpus_joined_by_nvlink(const Cluster& c, const NodeGroupModel& g) {
  return std::max(nvlink_domain_gpus(c, g), gpus_joined_in_server(g.server));
}

bool has_nvlink_pairs(const ServerModel& s) {
  return s.gpu && s.gpu->vendor.value_or(Vendor::other) == Vendor::nvidia && gpus_joined_in_server(s) > 1;
}

std::optional<std::int64_t> nvlinks_of_gpu(const ServerModel& s) {
  const Value<BytesPerSecond>& all = gpu_link_of(s);
  if (!all || !s.gpu || !s.gpu->sm) return std::nullopt;
  const auto one = nvlink_rate(static_cast<int>(s.gpu->sm->major()));
  if (!one) return std::nullopt;
  const double links = std::round(all->value / *one);
  if (links < 1 || std::abs(links * *one - all->value) > 0.001 * all->value) return std::nullopt;
  return static_cast<std::int64_t>(links);
}

std::int64_t nvlink_domain_gpus(const Cluster& c, const NodeGroupModel& g) {
  std::int64_t gpus = 0;
  if (g.assembly >= 0 && c.assemblies[g.assembly].part) gpus = c.assemblies[g.assembly].part->nvlink_domain.value_or(0);
  for (const auto& domain : c.spec.nvlink)
    for (const auto& name : domain.value.nodes)
      if (name.value == g.name) gpus = domain.value.size.value_or(gpus);
  return gpus;
}

std::int64_t nvlink_domain_nodes(const Cluster& c, const NodeGroupModel& g) {
  if (g.server.gpu_count <= 0) return 0;
  const std::int64_t nodes = nvlink_domain_gpus(c, g) / g.server.gpu_count;
  return nodes > 1 ? nodes : 0;
}

std::int64_t nvlink_block_size(const Cluster& c, const NodeGroupModel& g) {
  const std::int64_t each = nvlink_domain_nodes(c, g);
  if (each == 0 || g.count == 0) return 0;
  const std::int64_t domains = (g.count + each - 1) / each, spares = g.spec ? g.spec->spares.value_or(0) : 0;
  return each - (spares + domains - 1) / domains;
}

}  // namespace clusterc
