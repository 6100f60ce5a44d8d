// Which cable goes where, in constant time. The scheme is described at the top of plan/fabric/fabric.cc.
#include <algorithm>

#include "base/division.h"
#include "plan/fabric/fabric.h"

namespace clusterc {

std::int64_t Plan::switch_number(int fabric, SwitchRef r) const {
  const Fabric& f = fabrics[fabric];
  if (r.tier < 0 || r.tier >= static_cast<int>(f.tiers.size()) || r.index < 0 || r.index >= f.tiers[r.tier].count)
    return -1;
  std::int64_t n = f.first_switch + r.index;
  for (int t = 0; t < r.tier; ++t) n += f.tiers[t].count;
  return n;
}

SwitchRef Plan::switch_ref(int fabric, std::int64_t index) const {
  const Fabric& f = fabrics[fabric];
  for (std::size_t t = 0; index >= 0 && t < f.tiers.size(); ++t) {
    if (index < f.tiers[t].count) return {static_cast<int>(t), index};
    index -= f.tiers[t].count;
  }
  return {};
}

PortRef Plan::block_port(int fabric, int block, std::int64_t member, std::int64_t port) const {
  const Fabric& f = fabrics[fabric];
  if (f.tiers.empty()) return {};
  const FabricBlock& b = f.blocks[block];
  const std::int64_t down = f.tiers[0].down, rails = f.leaves_per_unit;
  std::int64_t slot, rail, plane;
  if (b.leaves >= 0) {
    const LeafGroup& g = f.leaf_groups[static_cast<std::size_t>(b.leaves)];
    const Division of_planes = divide(port, f.planes), of_pair = divide(of_planes.quotient, g.each),
                   of_leaves = divide(b.first + member * b.width + of_pair.quotient, g.down);
    const std::int64_t leaf = of_leaves.quotient * g.each + of_pair.remainder;
    if (leaf >= g.count) return {};
    return {{0, of_planes.remainder * f.per_plane(0) + g.first + leaf}, of_leaves.remainder + 1};
  }
  if (b.from_last) {
    const std::int64_t x = b.first + member * b.ports_each + port;
    const Division of_planes = divide(x, f.planes), of_rails = divide(of_planes.quotient, rails);
    plane = of_planes.remainder;
    rail = of_rails.remainder;
    if (f.single_beside) return {f.leaf(plane, f.units - 1, rail), down + of_rails.quotient + 1};
    slot = f.units * down - 1 - of_rails.quotient;
  } else {
    const Division of_planes = divide(port, f.planes), of_rails = divide(of_planes.quotient, rails);
    plane = of_planes.remainder;
    slot = b.first + member * b.width + of_rails.quotient;
    rail = of_rails.remainder;
  }
  if (slot < 0 || slot >= f.units * down) return {};
  const Division of_leaves = divide(slot, down);
  return {f.leaf(plane, of_leaves.quotient, rail), of_leaves.remainder + 1};
}

PortRef Plan::leaf_port(int fabric, int end_points, std::int64_t member, std::int64_t port) const {
  const NetworkModel& n = cluster->networks[fabric];
  const int host = n.shares >= 0 ? n.shares : fabric;
  const Fabric& f = fabrics[host];
  if (const FabricBlock* b = f.block_of(fabric, end_points))
    return block_port(host, static_cast<int>(b - f.blocks.data()), member, port);
  if (host == fabric || end_points < 0 || end_points >= static_cast<int>(n.ends.size())) return {};
  // A guest on the host's own ports.
  const EndPoints& p = n.ends[end_points];
  for (std::size_t i = 0; i < f.blocks.size(); ++i) {
    const FabricBlock& b = f.blocks[i];
    if (b.what != FabricBlock::What::ends) continue;
    const EndPoints& o = cluster->networks[b.network].ends[b.end];
    if (o.group == p.group && o.storage == p.storage && o.ports == p.ports)
      return block_port(host, static_cast<int>(i), member, port);
  }
  return {};
}

std::int64_t Plan::leaf_of_node(int fabric, std::int64_t node) const {
  const NetworkModel& n = cluster->networks[fabric];
  for (std::size_t e = 0; e < n.ends.size(); ++e) {
    if (n.ends[e].group < 0) continue;
    const NodeGroupModel& g = cluster->nodes[n.ends[e].group];
    if (node >= g.first && node < g.first + g.count)
      return leaf_port(fabric, static_cast<int>(e), node - g.first, 0).sw.index;
  }
  return -1;
}

PortRef Plan::up_link(int fabric, SwitchRef lower, std::int64_t link, PortRef* upper) const {
  const Fabric& f = fabrics[fabric];
  if (lower.tier < 0 || lower.tier >= static_cast<int>(f.tiers.size()) || link < 0) return {};
  const FabricTier& t = f.tiers[lower.tier];
  const std::int64_t links_up = lower.tier == 0 ? f.leaf_up(lower.index) : t.up;
  if (link >= links_up) return {};
  if (f.uplink_cables > 0) {  // management switches: ports of their own, counted on after the last
    const Fabric& target = fabrics[f.uplinks_to];
    if (upper)
      for (std::size_t b = 0; b < target.blocks.size(); ++b)
        if (target.blocks[b].what == FabricBlock::What::uplinks && target.blocks[b].of == fabric)
          *upper = block_port(f.uplinks_to, static_cast<int>(b), lower.index, link);
    return {lower, t.ports + link + 1};
  }
  PortRef far;
  const Division of_planes = divide(lower.index, f.per_plane(lower.tier));
  if (const LeafGroup* own = lower.tier == 0 ? f.leaf_group(lower.index) : nullptr) {
    const Division of_pairs = divide(link, own->links_per_pair);
    std::int64_t before = f.common_leaves() * f.links_per_pair;
    for (const LeafGroup* g = f.leaf_groups.data(); g != own; ++g) before += g->count * g->links_per_pair;
    far = {{1, of_pairs.quotient},
           before + (of_planes.remainder - own->first) * own->links_per_pair + of_pairs.remainder + 1};
  } else if (lower.tier == 0) {
    const Division of_pods = divide(of_planes.remainder, f.leaves_per_pod), of_pairs = divide(link, f.links_per_pair);
    far = {{1, of_pods.quotient * f.spines_per_pod + of_pairs.quotient},
           of_pods.remainder * f.links_per_pair + of_pairs.remainder + 1};
  } else {
    const Division of_pods = divide(of_planes.remainder, f.spines_per_pod),
                   of_pairs = divide(link, f.core_links_per_pair);
    const Division of_group = divide(of_pods.remainder, f.spines_per_group);
    far = {
        {2, of_group.quotient * f.cores_per_group + of_pairs.quotient},
        (of_pods.quotient * f.spines_per_group + of_group.remainder) * f.core_links_per_pair + of_pairs.remainder + 1};
  }
  far.sw.index += of_planes.quotient * f.per_plane(far.sw.tier);
  if (upper) *upper = far;
  if (lower.tier == 0 && own_uplink_ports(f)) return {lower, t.ports + link + 1};
  const std::int64_t each = lower.tier == 0 ? f.uplink_ports : 1;  // a whole port is named by the first of its parts
  return {lower, t.ports - (links_up - link) * each + 1};
}

}  // namespace clusterc
