// The rails of the fabric as secondary networks of pods: an interface beside the node's own on each rail, with an
// address of the same subnet that no machine of the plan has.
#include <algorithm>

#include "base/text.h"
#include "plan/fabric/addresses.h"
#include "spec/network.h"
#include "spec/nodes.h"
#include "system/addresses_in_use.h"
#include "system/group_network.h"
#include "system/kubernetes.h"

namespace clusterc {
namespace {

bool is_rail_network(const NetworkModel& n) {
  return n.subnet && n.spec && n.carries_traffic(Traffic::compute) &&
         (n.kind == LinkKind::infiniband || n.spec->rdma.value_or(Rdma::none) == Rdma::roce);
}

// So many blocks of the subnet, from its end down, in which nobody has an address.
std::vector<Ipv4Prefix> free_blocks(const AddressPlan& a, const AddressesInUse& in_use, int length, std::size_t count) {
  std::vector<Ipv4Prefix> out;
  if (length <= a.subnet.length) return out;
  for (std::uint64_t i = std::uint64_t{1} << (length - a.subnet.length); i-- > 0 && out.size() < count;) {
    const Ipv4Prefix block = a.subnet.part(length, i);
    if (block.base <= in_use.last_planned()) break;
    if (!in_use.any_in(block)) out.push_back(block);
  }
  std::reverse(out.begin(), out.end());
  return out;
}

void give_addresses(const Plan& plan, const NetworkModel& n, const AddressPlan& a, std::int64_t nodes,
                    KubernetesRailNetwork& r, Findings& findings) {
  const AddressesInUse in_use(plan, a);
  for (const std::int64_t each : {8, 4, 2, 1}) {  // pods of a node that hang on the rails at a time
    int length = 30;
    // The first and the last address of a pool are no pod's.
    while (length > a.subnet.length && (std::int64_t{1} << (32 - length)) < nodes * each + 2) --length;
    const std::vector<Ipv4Prefix> blocks = free_blocks(a, in_use, length, r.rails.size());
    if (blocks.size() < r.rails.size()) continue;
    for (std::size_t i = 0; i < r.rails.size(); ++i) r.rails[i].pool = blocks[i], r.rails[i].block = each;
    return;
  }
  findings
      .note("kubernetes-rail-addresses-full", n.spec->subnet.span,
            "subnet " + a.subnet.text() + " of network '" + n.name + "' has no room for the addresses of pods on " +
                std::to_string(r.rails.size()) + (r.rails.size() == 1 ? " rail" : " rails") + " of " +
                std::to_string(nodes) + (nodes == 1 ? " node" : " nodes"))
      .help(
          "use a shorter prefix: pods then get addresses in its upper half; until then only pods in the network of "
          "their node reach the fabric");
}

}  // namespace

void kubernetes_rails(const System& in, KubernetesFacts& facts, Findings& findings) {
  const Cluster& c = in.cluster;
  if (!c.own_site) return;
  for (std::size_t n = 0; n < c.networks.size(); ++n) {
    const NetworkModel& net = c.networks[n];
    const AddressPlan* addresses = is_rail_network(net) ? in.plan.addresses_of(static_cast<int>(n)) : nullptr;
    if (!addresses || !has_addresses(*addresses)) continue;
    KubernetesRailNetwork r;
    r.network = static_cast<int>(n), r.infiniband = net.kind == LinkKind::infiniband;
    r.mtu = net.spec->mtu.value_or(0);
    r.resource = "rdma/" + to_lower(net.name);
    std::int64_t nodes = 0;
    for (std::size_t w = 0; w < facts.workers.size(); ++w) {
      const int group = facts.workers[w].group;
      if (c.nodes[static_cast<std::size_t>(group)].server.virtual_machine) continue;
      Findings told;  // by the outputs that write this network
      const std::vector<std::string> devices = GroupNetwork(in, group, told).devices_in(static_cast<int>(n));
      if (devices.empty()) continue;
      r.workers.push_back(static_cast<int>(w));
      nodes += static_cast<std::int64_t>(facts.workers[w].nodes.size());
      for (const std::string& d : devices)
        if (std::none_of(r.rails.begin(), r.rails.end(), [&](const KubernetesRail& o) { return o.device == d; })) {
          KubernetesRail rail;
          rail.name = to_lower(net.name + "-" + d), rail.device = d;
          r.rails.push_back(std::move(rail));
        }
    }
    if (r.rails.empty()) continue;
    if (addresses->step == 2) {
      findings
          .note("kubernetes-rail-routed", net.spec->asn.span,
                "pods get no addresses on the rails of network '" + net.name +
                    "': its leaves route (`asn`), and have routes only to the addresses of the nodes, not to those of "
                    "pods")
          .help("write `hostNetwork: true` in the pods that need the fabric: they then use the network of their node");
      continue;
    }
    give_addresses(in.plan, net, *addresses, nodes, r, findings);
    facts.rails.push_back(std::move(r));
  }
}

}  // namespace clusterc
