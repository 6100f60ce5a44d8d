#include "system/fabric_places.h"

#include <algorithm>

#include "base/text.h"
#include "model/nvlink.h"
#include "spec/network.h"

namespace clusterc {
namespace {

std::string numbered(std::string_view stem, std::string_view word, std::int64_t number) {
  std::string s(stem);
  s += word;
  append_int(s, number);
  return s;
}

void place_in_fabrics(const System& in, std::vector<FabricPlace>& places) {
  const Cluster& c = in.cluster;
  for (std::size_t n = 0; n < c.networks.size(); ++n) {
    if (!c.networks[n].carries_traffic(Traffic::compute)) continue;
    int f = static_cast<int>(n);  // a network that uses another's switches has no tiers of its own
    if (in.plan.fabrics[n].tiers.empty() && c.networks[n].shares >= 0) f = c.networks[n].shares;
    const Fabric& fabric = in.plan.fabrics[static_cast<std::size_t>(f)];
    if (fabric.tiers.empty()) continue;
    const std::int64_t per_unit = std::max<std::int64_t>(1, fabric.leaves_per_unit);
    const std::string& name = c.networks[static_cast<std::size_t>(f)].name;
    for (std::size_t node = 0; node < places.size(); ++node) {
      FabricPlace& p = places[node];
      if (!p.leaf.empty()) continue;
      const std::int64_t leaf = in.plan.leaf_of_node(f, static_cast<std::int64_t>(node));
      if (leaf < 0) continue;
      const std::int64_t unit = leaf / per_unit;
      p.fabric = name;
      p.leaf = fabric.rail_optimised || fabric.planes > 1 ? numbered(name, "-su", unit + 1)
                                                          : in.plan.switch_host_name(f, {0, unit});
      if (fabric.tiers.size() > 2)
        p.pod = numbered(name, "-pod", unit * per_unit / std::max<std::int64_t>(1, fabric.leaves_per_pod) + 1);
    }
  }
}

}  // namespace

std::vector<FabricPlace> fabric_places(const System& in) {
  const Cluster& c = in.cluster;
  std::vector<FabricPlace> places(static_cast<std::size_t>(c.node_count));
  place_in_fabrics(in, places);
  for (const NodeGroupModel& g : c.nodes) {
    const std::int64_t each = nvlink_domain_nodes(c, g);
    const bool frames = each > 0 && g.assembly >= 0 &&
                        c.assemblies[static_cast<std::size_t>(g.assembly)].count == (g.count + each - 1) / each;
    for (std::int64_t i = 0; i < g.count; ++i) {
      const auto node = static_cast<std::size_t>(g.first + i);
      FabricPlace& p = places[node];
      if (const std::int32_t rack = in.plan.node_rack[node]; rack >= 0) p.rack = c.rack_name(rack);
      if (each > 0)
        p.nvlink = frames ? c.assemblies[static_cast<std::size_t>(g.assembly)].names.name(i / each)
                          : numbered(g.name, "-block", i / each + 1);
    }
  }
  return places;
}

}  // namespace clusterc
