#include "system/gateways.h"

#include <algorithm>
#include <optional>

#include "model/group_ends.h"
#include "model/named_hosts.h"
#include "model/routed.h"
#include "spec/network.h"
#include "spec/nodes.h"
#include "spec/software.h"
#include "system/each_address.h"
#include "system/interfaces.h"
#include "system/slurm.h"

namespace clusterc {
namespace {

// Where the operating systems of all groups have ports, in networks with addresses: group after group, of each network
// its end points, -1: not in it.
std::vector<int> places_of_groups(const Cluster& c) {
  const std::size_t networks = c.networks.size();
  std::vector<int> out(c.nodes.size() * networks, -1);
  for (std::size_t n = 0; n < networks; ++n) {
    const NetworkModel& net = c.networks[n];
    for (std::size_t e = 0; net.subnet && e < net.ends.size(); ++e) {
      const EndPoints& ends = net.ends[e];
      if (ends.group < 0 || ends.members == 0 || is_management_port(c, net, ends)) continue;
      if (int& at = out[static_cast<std::size_t>(ends.group) * networks + n]; at < 0) at = static_cast<int>(e);
    }
  }
  return out;
}

class Places {
 public:
  explicit Places(const System& in)
      : in_(in),
        c_(in.cluster),
        networks_(c_.networks.size()),
        at_(c_.memo.get("places of groups", [&] { return places_of_groups(c_); })) {}
  int end_points(int group, std::size_t network) const {
    return at_[static_cast<std::size_t>(group) * networks_ + network];
  }
  bool is_in(int group, std::size_t network) const {
    return end_points(group, network) >= 0 && !is_out_of_band(c_.networks[network]);
  }
  // In it, and on one link with its other members. Where leaves route nobody is: they know who has an address of the
  // network, and not who forwards to others.
  bool is_beside(int group, std::size_t network) const {
    return is_in(group, network) && !has_routed_leaves(c_, c_.networks[network]);
  }
  std::size_t count(int group) const {
    std::size_t in = 0;
    for (std::size_t n = 0; n < networks_; ++n) in += is_beside(group, n);
    return in;
  }
  bool forwards(int group) {
    const NodeGroupModel& g = c_.nodes[static_cast<std::size_t>(group)];
    if (!c_.own_site || g.count == 0 || !g.has_role(Role::gateway) || count(group) < 2) return false;
    // With a leg among the BMCs only behind the firewall that keeps others from there.
    for (std::size_t n = 0; n < networks_; ++n)
      if (end_points(group, n) >= 0 && is_out_of_band(c_.networks[n])) {
        return in_.makes("nftables");
      }
    return true;
  }

 private:
  const System& in_;
  const Cluster& c_;
  const std::size_t networks_;
  const std::vector<int>& at_;
};

constexpr std::int64_t kMostServing = 16;  // nodes of a group, each of which is a route

bool any_gateway(const Cluster& c) { return !groups_with(c, Role::gateway).empty(); }

}  // namespace

bool forwards(const System& in, int group) {
  return in.cluster.nodes[static_cast<std::size_t>(group)].has_role(Role::gateway) && Places(in).forwards(group);
}

std::vector<GatewayRoute> gateway_routes(const System& in, int group) {
  const Cluster& c = in.cluster;
  std::vector<GatewayRoute> out;
  if (!any_gateway(c)) return out;
  Places places(in);
  const auto routed = [&](std::size_t n) {
    const Network* spec = c.networks[n].spec;
    return spec && spec->gateway;
  };
  const int primary = primary_network(c, group);
  for (std::size_t k = 0; k < c.nodes.size(); ++k) {
    const int by = static_cast<int>(k);
    if (by == group || !places.forwards(by)) continue;
    const auto beside = [&](std::size_t n) { return places.is_beside(by, n) && places.is_beside(group, n); };
    std::size_t over =
        primary >= 0 && beside(static_cast<std::size_t>(primary)) ? static_cast<std::size_t>(primary) : 0;
    while (over < c.networks.size() && !beside(over)) ++over;
    if (over == c.networks.size()) continue;
    for (std::size_t n = 0; n < c.networks.size(); ++n) {
      if (!places.is_beside(by, n) || places.is_in(group, n) || (routed(over) && routed(n)) ||
          std::any_of(out.begin(), out.end(), [&](const GatewayRoute& r) { return r.to == static_cast<int>(n); }))
        continue;
      out.push_back({.to = static_cast<int>(n),
                     .over = static_cast<int>(over),
                     .end_points = places.end_points(by, over),
                     .gateways = c.nodes[k].count});
    }
  }
  return out;
}

int gateway_between(const System& in, int from, int to) {
  const Cluster& c = in.cluster;
  if (!any_gateway(c)) return -1;
  Places places(in);
  for (std::size_t g = 0; g < c.nodes.size(); ++g)
    if (places.is_beside(static_cast<int>(g), static_cast<std::size_t>(from)) &&
        places.is_beside(static_cast<int>(g), static_cast<std::size_t>(to)) && places.forwards(static_cast<int>(g)))
      return static_cast<int>(g);
  return -1;
}

// Schedulers and their databases, who provisions and watches, the mirror.
bool is_called_by_name(const Cluster& c, int group) {
  const NodeGroupModel& g = c.nodes[static_cast<std::size_t>(group)];
  if (g.count == 0 || g.count > kMostServing) return false;
  for (const Role r : {Role::scheduler, Role::provisioning, Role::monitoring, Role::control_plane, Role::etcd})
    if (g.has_role(r)) return true;
  const auto& mirror = c.spec.software->mirror;
  return (mirror && mirror->server && g.names.index_of(without_domain(c, *mirror->server)) >= 0) ||
         runs_slurmctld(c, g) || slurm_keeps_accounts(c, g);
}

const std::vector<int>& groups_called_by_name(const Cluster& c) {
  return c.memo.get("groups called by name", [&] {
    std::vector<int> groups;
    for (int g = 0; g < static_cast<int>(c.nodes.size()); ++g)
      if (is_called_by_name(c, g)) groups.push_back(g);
    return groups;
  });
}

std::vector<HostRoute> host_routes(const System& in, int group) {
  const Cluster& c = in.cluster;
  const Plan& plan = in.plan;
  std::vector<HostRoute> out;
  std::optional<Places> places;
  const int primary = primary_network(c, group);
  if (!c.own_site || primary < 0) return out;
  for (const int server : groups_called_by_name(c)) {
    if (server == group) continue;
    const Home home = home_of(c, plan, server);
    if (home.network < 0 || home.network == primary) continue;
    if (!places) places.emplace(in);
    const auto routed = [&](std::size_t n) {
      const Network* spec = c.networks[n].spec;
      return spec && spec->gateway;
    };
    std::size_t over = c.networks.size();
    bool out_by_router = false;
    for (std::size_t n = 0; n < c.networks.size(); ++n) {
      if (!places->is_in(group, n)) continue;
      out_by_router |= routed(n);
      if (places->is_beside(server, n) && (over == c.networks.size() || static_cast<int>(n) == primary)) over = n;
    }
    const auto at = static_cast<std::size_t>(home.network);
    if (over == c.networks.size() || places->is_in(group, at) || (out_by_router && routed(at))) continue;
    for (std::int64_t m = 0; m < c.nodes[static_cast<std::size_t>(server)].count; ++m)
      out.push_back({plan.address(home.network, home.end_points, m, 0),
                     plan.address(static_cast<int>(over), places->end_points(server, over), m, 0),
                     static_cast<int>(over)});
  }
  std::erase_if(out, [](const HostRoute& r) { return r.to == 0 || r.through == 0; });
  return out;
}

void check_gateways(const System& in, Findings& findings) {
  const Cluster& c = in.cluster;
  for (const int group : groups_with(c, Role::gateway)) {
    const NodeGroupModel& g = c.nodes[static_cast<std::size_t>(group)];
    if (g.count == 0) continue;
    for (std::size_t n = 0; n < c.networks.size(); ++n)
      if (has_routed_leaves(c, c.networks[n]) && end_points_of(c, static_cast<int>(n), group) >= 0)
        findings
            .warning("gateway-network-routed", g.span,
                     "'" + g.name + "' forwards nothing to or from network '" + c.networks[n].name +
                         "': the leaves of this network route (`asn`) and have no route through a node")
            .help("connect the gateway and its clients to a network without `asn`");
  }
}

bool may_answer_over_others(const System& in, int group) {
  const Cluster& c = in.cluster;
  if (!any_gateway(c)) return false;
  Places places(in);
  if (places.count(group) < 2) return false;
  for (std::size_t g = 0; g < c.nodes.size(); ++g)
    if (places.forwards(static_cast<int>(g))) return true;
  return false;
}

}  // namespace clusterc
