#include "validate/culprits/pair_fabric.h"

#include "base/format.h"
#include "base/index.h"
#include "plan/fabric/routing.h"
#include "spec/network.h"
#include "targets/collectives.h"

namespace clusterc {
namespace {

// The ports of the nodes, and the routing between them.
struct PlannedPorts {
  const Plan* plan = nullptr;
  int fabric = -1;
  std::vector<PortRef> ports;  // by node * rails + rail
  std::unique_ptr<Routing> routing;
  std::int64_t leaf_up = 0, spine_up = 0, leaves = 0;

  // Links are numbered leaf by leaf, then spine by spine; the two directions of one follow each other.
  std::int32_t number(const FabricLink& l) const {
    const std::int64_t n =
        l.lower.tier == 0 ? l.lower.index * leaf_up + l.link : leaves * leaf_up + l.lower.index * spine_up + l.link;
    return static_cast<std::int32_t>(2 * n + (l.down ? 1 : 0));
  }
  FabricLink link(std::int32_t number) const {
    const std::int64_t n = number / 2, first_of_spines = leaves * leaf_up;
    const bool of_leaf = n < first_of_spines;
    const std::int64_t each = of_leaf ? leaf_up : spine_up, i = of_leaf ? n : n - first_of_spines;
    return {{of_leaf ? 0 : 1, i / each}, i % each, number % 2 != 0};
  }
};

// A subnet manager routes by destination; switches of Ethernet hash, and adaptive routing chooses for each packet.
bool routes_by_destination(const NetworkModel& network) {
  return network.kind == LinkKind::infiniband && network.spec && !network.spec->adaptive_routing.value_or(false);
}

}  // namespace

int PairFabric::hops(const PairPath& p) const {
  const std::int32_t a = leaf_of(p.from, p.rail), b = leaf_of(p.to, p.rail);
  if (a == b) return 0;
  if (pod.empty() || a < 0 || b < 0) return 1;
  return pod[at(a)] == pod[at(b)] ? 1 : 2;
}

PairFabric pair_fabric(const Plan& plan, int group, const std::vector<std::int64_t>& members) {
  PairFabric out;
  const Cluster& cluster = *plan.cluster;
  const NodeGroupModel& nodes = cluster.nodes[at(group)];
  const ComputePorts compute = compute_ports(cluster, nodes);
  if (compute.network < 0) return out;
  const NetworkModel& network = cluster.networks[at(compute.network)];
  const int host = network.shares >= 0 ? network.shares : compute.network;
  const Fabric& fabric = plan.fabrics[at(host)];
  int end = -1;
  for (std::size_t e = 0; e < network.ends.size() && end < 0; ++e)
    if (network.ends[e].group == group) end = static_cast<int>(e);
  if (end < 0 || fabric.tiers.empty()) return out;

  auto planned = std::make_shared<PlannedPorts>();
  planned->plan = &plan;
  planned->fabric = host;
  const auto count = static_cast<std::int32_t>(members.size()), rails = static_cast<std::int32_t>(compute.nics);
  for (const std::int64_t member : members) {
    for (std::int32_t rail = 0; rail < rails; ++rail) {
      const PortRef port = plan.leaf_port(compute.network, end, member, rail);
      planned->ports.push_back(port);
      out.leaf.push_back(static_cast<std::int32_t>(port.sw.index));
      out.slot.push_back(static_cast<std::int32_t>(port.port - 1));
    }
    const std::int64_t node = nodes.first + member;
    out.rack.push_back(at(node) < plan.node_rack.size() ? plan.node_rack[at(node)] : -1);
  }
  out.nodes = count;
  out.rails = rails;
  planned->leaves = fabric.tiers[0].count;
  for (std::int64_t leaf = 0; leaf < planned->leaves; ++leaf) {
    const std::int64_t up = fabric.tiers.size() > 1 ? fabric.leaf_up(leaf) : 0;
    out.uplinks.push_back(static_cast<std::int32_t>(up));
    planned->leaf_up = std::max(planned->leaf_up, up);
    if (fabric.tiers.size() > 2)
      out.pod.push_back(static_cast<std::int32_t>(leaf / fabric.per_plane(0) * fabric.pods +
                                                  leaf % fabric.per_plane(0) / fabric.leaves_per_pod));
  }
  out.flows_of_link = std::max(1, static_cast<std::int32_t>(fabric.uplink_speed()));
  if (fabric.tiers.size() > 2) planned->spine_up = fabric.tiers[1].up;
  if (fabric.tiers.size() > 1 && routes_by_destination(network)) {
    planned->routing = std::make_unique<Routing>(plan, host);
    out.links =
        static_cast<std::int32_t>(2 * (planned->leaves * planned->leaf_up +
                                       (fabric.tiers.size() > 2 ? fabric.tiers[1].count * planned->spine_up : 0)));
    out.route = [planned, rails](const PairPath& p, std::vector<std::int32_t>& links) {
      std::vector<FabricLink> walk;
      planned->routing->route(planned->ports[at(p.from * rails + p.rail)], planned->ports[at(p.to * rails + p.rail)],
                              walk);
      links.clear();
      for (const FabricLink& l : walk) links.push_back(planned->number(l));
    };
    out.link_name = [planned](std::int32_t number) { return planned->routing->link_name(planned->link(number)); };
  }
  out.node_name = [&nodes, members](std::int32_t node) { return nodes.names.name(members[at(node)]); };
  out.leaf_name = [planned](std::int32_t leaf) { return planned->plan->switch_name(planned->fabric, {0, leaf}); };
  out.rack_name = [&cluster](std::int32_t rack) { return cluster.rack_name(rack); };
  return out;
}

}  // namespace clusterc
