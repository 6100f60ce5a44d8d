#include "compile/gateways.h"

#include <algorithm>

#include "compile/ansible/settings.h"
#include "compile/common.h"

namespace clusterc {
namespace {

// With a port of the operating system's own, or -1.
int end_points_in(const Cluster& c, int network, int group) {
  const NetworkModel& n = c.networks[static_cast<std::size_t>(network)];
  for (std::size_t e = 0; e < n.ends.size(); ++e)
    if (n.ends[e].group == group && n.ends[e].members > 0 && !is_management_port(c, n, n.ends[e])) return static_cast<int>(e);
  return -1;
}

std::vector<int> networks_with_addresses(const Cluster& c, int group, bool out_of_band) {
  std::vector<int> out;
  for (std::size_t n = 0; n < c.networks.size(); ++n)
    if (c.networks[n].subnet && is_out_of_band(c.networks[n]) == out_of_band && end_points_in(c, static_cast<int>(n), group) >= 0) out.push_back(static_cast<int>(n));
  return out;
}

bool has(const std::vector<int>& list, int n) { return std::find(list.begin(), list.end(), n) != list.end(); }

}  // namespace

bool is_out_of_band(const NetworkModel& n) { return n.everything || (n.carries_traffic(Traffic::oob) && !n.carries_traffic(Traffic::inband)); }

std::vector<int> forwarded_networks(const Cluster& c, int group) {
  const NodeGroupModel& g = c.nodes[static_cast<std::size_t>(group)];
  if (g.count == 0 || !g.has_role(Role::gateway) || !c.own_site) return {};
  // With a leg among the BMCs only behind the firewall that keeps others from there.
  if (!networks_with_addresses(c, group, true).empty() && !is_made(c, "nftables")) return {};
  std::vector<int> out = networks_with_addresses(c, group, false);
  if (out.size() < 2) out.clear();
  return out;
}

std::vector<GatewayRoute> gateway_routes(const Cluster& c, int group) {
  std::vector<GatewayRoute> out;
  const std::vector<int> own = networks_with_addresses(c, group, false);
  const auto routed = [&](int n) { const Network* spec = c.networks[static_cast<std::size_t>(n)].spec; return spec && spec->gateway; };
  const int primary = primary_network(c, group);
  for (std::size_t k = 0; k < c.nodes.size(); ++k) {
    const int by = static_cast<int>(k);
    const std::vector<int> theirs = by == group ? std::vector<int>() : forwarded_networks(c, by);
    int over = has(theirs, primary) && has(own, primary) ? primary : -1;
    for (const int n : own)
      if (over < 0 && has(theirs, n)) over = n;
    if (over < 0) continue;
    for (const int n : theirs) {
      if (has(own, n) || (routed(over) && routed(n)) || std::any_of(out.begin(), out.end(), [&](const GatewayRoute& r) { return r.to == n; })) continue;
      out.push_back({.to = n, .over = over, .end_points = end_points_in(c, over, by), .gateways = c.nodes[k].count});
    }
  }
  return out;
}

bool may_answer_over_others(const Cluster& c, int group) {
  if (networks_with_addresses(c, group, false).size() < 2) return false;
  for (std::size_t k = 0; k < c.nodes.size(); ++k)
    if (!forwarded_networks(c, static_cast<int>(k)).empty()) return true;
  return false;
}

}  // namespace clusterc
