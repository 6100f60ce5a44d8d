#include "system/interfaces.h"

#include <algorithm>

#include "base/text.h"
#include "model/group_ends.h"
#include "spec/network.h"
#include "system/links.h"

namespace clusterc {

namespace {

int find_primary_network(const Cluster& c) {
  int first = -1;
  for (std::size_t n = 0; n < c.networks.size(); ++n) {
    const NetworkModel& net = c.networks[n];
    if (!net.subnet || net.everything || net.carries_traffic(Traffic::oob)) continue;
    if (net.carries_traffic(Traffic::inband)) return static_cast<int>(n);
    if (first < 0) first = static_cast<int>(n);
  }
  return first;
}

}  // namespace

int primary_network(const Cluster& c) {
  return c.memo.get("primary network", [&] { return find_primary_network(c); });
}

int primary_network(const Cluster& c, int group) {
  const int whole = primary_network(c);
  int inband = -1, any = -1;
  for (const GroupEnd& at : ends_of_group(c, group)) {
    const NetworkModel& net = c.networks[static_cast<std::size_t>(at.network)];
    if (!net.subnet || net.everything || net.carries_traffic(Traffic::oob)) continue;
    if (is_management_port(c, net, net.ends[static_cast<std::size_t>(at.end)])) continue;
    if (at.network == whole) return whole;
    if (any < 0) any = at.network;
    if (inband < 0 && net.carries_traffic(Traffic::inband)) inband = at.network;
  }
  return inband >= 0 ? inband : any;
}

bool is_out_of_band(const NetworkModel& n) {
  return n.everything || (n.carries_traffic(Traffic::oob) && !n.carries_traffic(Traffic::inband));
}

bool is_management_port(const Cluster& c, const NetworkModel& net, const EndPoints& e) {
  if (e.ports >= 0 || e.group < 0) return false;
  const ServerModel& s = c.nodes[e.group].server;
  if (s.virtual_machine || s.instance) return false;  // what they have is an interface of the operating system
  return is_out_of_band(net);
}

int end_points_of(const Cluster& c, int network, int group) {
  const NetworkModel& net = c.networks[static_cast<std::size_t>(network)];
  for (const GroupEnd& at : ends_of_group(c, group))
    if (at.network == network) {
      const EndPoints& ends = net.ends[static_cast<std::size_t>(at.end)];
      if (ends.members > 0 && !is_management_port(c, net, ends)) return at.end;
    }
  return -1;
}

std::vector<Interface> interfaces_of(const Cluster& c, const Plan& plan, int group) {
  std::vector<Interface> out = ports_of_group(c, plan, group);
  std::erase_if(out, [&](const Interface& i) { return !c.networks[i.network].subnet; });
  for (Interface& i : out)
    for (std::string& name : i.names)
      if (const std::string* link = link_of(c, group, name)) name = *link;
  return out;
}

std::vector<Interface> ports_of_group(const Cluster& c, const Plan& plan, int group) {
  std::vector<Interface> out;
  std::int64_t next_plain = 0;
  const auto take = [&](int n, std::size_t e) {
    const NetworkModel& net = c.networks[n];
    const EndPoints& ends = net.ends[e];
    if (is_management_port(c, net, ends)) return;
    Interface i{.network = n, .end_points = static_cast<int>(e), .ports = std::max<std::int64_t>(1, ends.ports_each)};
    const AddressPlan* addresses = plan.addresses_of(n);  // how many a bond leaves is the plan's decision
    i.addresses = addresses ? addresses->stride[e] : i.ports;
    i.bonded = i.addresses < i.ports;
    std::int64_t number = ends.first_port + 1;
    if (ends.ports >= 0) {
      i.port_set = c.nodes[group].server.ports[ends.ports].name;
    } else {
      i.port_set = "eth";
      // A guest of another network comes over the ports of that one.
      const auto is_host = [&](const Interface& o) { return o.network == net.shares && o.port_set == "eth"; };
      const auto host = net.shares < 0 ? out.end() : std::find_if(out.begin(), out.end(), is_host);
      if (host != out.end())
        number = host->first;
      else
        number = next_plain, next_plain += i.ports;
    }
    i.first = number;
    for (std::int64_t p = 0; p < i.ports; ++p) append_int(i.names.emplace_back(i.port_set), number + p);
    out.push_back(std::move(i));
  };
  for (const bool guests : {false, true})
    for (const GroupEnd& at : ends_of_group(c, group))
      if ((c.networks[at.network].shares >= 0) == guests) take(at.network, static_cast<std::size_t>(at.end));
  return out;
}

std::optional<std::uint64_t> inventory_mac(const System& in, int group, std::int64_t member, std::string_view host,
                                           std::string_view port) {
  if (!in.inventory) return std::nullopt;
  port = planned_port(in.cluster, group, port);
  const InventoryRow* row = in.inventory->find(host, port);
  if (!row)
    row =
        in.inventory->find(in.plan.node_object(in.cluster.nodes[static_cast<std::size_t>(group)].first + member), port);
  return row ? row->mac : std::nullopt;
}

void append_bucket(const NodeGroupModel& g, std::int64_t member, std::string& out) {
  out += g.name;
  out += '-';
  append_int(out, member / kBucket);
}

bool has_plain_name(const Cluster& c, const Plan& plan, int group) {  // as hosts has it
  return std::ranges::any_of(ends_of_group(c, group), [&](const GroupEnd& at) {
    const NetworkModel& net = c.networks[static_cast<std::size_t>(at.network)];
    return !is_management_port(c, net, net.ends[static_cast<std::size_t>(at.end)]) && plan.addresses_of(at.network);
  });
}

}  // namespace clusterc
