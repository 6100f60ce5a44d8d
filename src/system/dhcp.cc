#include "system/dhcp.h"

#include <algorithm>
#include <string>

#include "base/ip.h"
#include "base/text.h"
#include "model/routed.h"
#include "spec/network.h"
#include "spec/output.h"
#include "spec/software.h"
#include "system/each_address.h"
#include "system/gateways.h"
#include "system/install.h"
#include "system/links.h"
#include "system/time_servers.h"

namespace clusterc {
namespace {

// Whatever is installed.
bool always_given_out(const Cluster& c, int network) {
  const NetworkModel& n = c.networks[static_cast<std::size_t>(network)];
  // Where leaves route, no question that goes to all gets beyond them.
  return n.subnet && n.kind == LinkKind::ethernet && !has_routed_leaves(c, n) &&
         (network == primary_network(c) || n.everything || n.carries_traffic(Traffic::oob));
}

std::vector<bool> given_out(const Cluster& c) {
  std::vector<bool> out(c.networks.size());
  for (std::size_t n = 0; n < out.size(); ++n) out[n] = always_given_out(c, static_cast<int>(n));
  for (std::size_t g = 0; g < c.nodes.size(); ++g)
    if (const int over = install_network(c, static_cast<int>(g)); over >= 0) out[static_cast<std::size_t>(over)] = true;
  return out;
}

// Ports of the address `n` of a node, as the inventory calls them; one for each port of its bond.
template <class Take>
void each_port(const Cluster& c, const std::vector<Interface>& interfaces, const NamedAddress& n, const Take& take) {
  for (const Interface& i : interfaces) {
    if (i.network != n.network || i.end_points != n.end_points || i.addresses == 0) continue;
    const std::int64_t width = i.ports / i.addresses, begin = n.port * width,
                       end = n.port + 1 < i.addresses ? begin + width : i.ports;
    for (std::int64_t p = begin; p < end; ++p) take(planned_port(c, n.group, i.names[static_cast<std::size_t>(p)]));
  }
}

// The row of a port: by host name, else by what docs/names.md calls it (node/gpu/001, storage/home/1, pdu/r1/b). A
// frame has a port for each of its trays, so its rows name them: frame/nvl3,mgmt/4.
const InventoryRow* row_of(const System& in, const NamedAddress& n, std::string_view port) {
  if (const InventoryRow* row = in.inventory->find(n.name, port)) return row;
  if (n.equipment) {
    const CableEnd end = equipment_port(in.plan, n.equipment->what, n.equipment->of, n.member);
    const InventoryRow* row = in.inventory->find(end.object, end.port);
    return row || end.port != "mgmt" ? row : in.inventory->find(end.object, port);
  }
  if (n.group >= 0)
    return in.inventory->find(in.plan.node_object(in.cluster.nodes[static_cast<std::size_t>(n.group)].first + n.member),
                              port);
  const EndPoints& ends =
      in.cluster.networks[static_cast<std::size_t>(n.network)].ends[static_cast<std::size_t>(n.end_points)];
  return in.inventory->find(
      "storage/" + in.cluster.storage[static_cast<std::size_t>(ends.storage)].name + "/" + std::to_string(n.member + 1),
      port);
}

}  // namespace

namespace {

std::optional<DhcpServer> find_dhcp_server(const Cluster& c) {
  if (first_provisioner(c) < 0 && !(c.own_site && c.spec.inventory)) return std::nullopt;
  for (std::size_t n = 0; n < c.networks.size(); ++n)
    if (always_given_out(c, static_cast<int>(n))) {
      const auto* kea = c.spec.outputs.find("kea");
      return kea && !kea->value.skip.value_or(false) ? DhcpServer::kea : DhcpServer::dnsmasq;
    }
  return std::nullopt;
}

}  // namespace

std::optional<DhcpServer> dhcp_server(const Cluster& c) {
  return c.memo.get("DHCP server", [&] { return find_dhcp_server(c); });
}

std::vector<DhcpNetwork> dhcp_networks(const System& in) {
  std::vector<DhcpNetwork> out;
  const std::vector<bool> given = given_out(in.cluster);
  for (const AddressPlan& a : in.plan.addresses) {
    const NetworkModel& net = in.cluster.networks[static_cast<std::size_t>(a.network)];
    if (!given[static_cast<std::size_t>(a.network)]) continue;
    DhcpNetwork n{net, a.network, a.subnet, net.spec && net.spec->gateway ? a.gateway : 0, 0};
    n.router = n.gateway;
    for (std::size_t to = 0; n.router == 0 && to < in.cluster.networks.size();
         ++to)  // who is installed has no other routes yet
      if (const int by = static_cast<int>(to) == a.network ? -1 : gateway_between(in, a.network, static_cast<int>(to));
          by >= 0)
        n.router = in.plan.address(a.network, end_points_of(in.cluster, a.network, by), 0, 0);
    out.push_back(n);
  }
  return out;
}

void each_reservation(const System& in, const std::function<void(const DhcpNetwork&)>& begin,
                      const std::function<void(const DhcpReservation&)>& take) {
  const Cluster& c = in.cluster;
  std::vector<std::vector<Interface>> interfaces;
  for (std::size_t g = 0; g < c.nodes.size(); ++g) interfaces.push_back(interfaces_of(c, in.plan, static_cast<int>(g)));
  std::vector<bool> starts(c.nodes.size());
  if (const auto boot = network_boot(in))
    for (std::size_t g = 0; g < c.nodes.size(); ++g)
      for (const NetworkBoot::Script& script : boot->scripts) starts[g] = starts[g] || script.group == c.nodes[g].name;
  std::vector<int> over;
  for (std::size_t g = 0; g < c.nodes.size(); ++g) over.push_back(install_network(c, static_cast<int>(g)));
  const std::vector<bool> given = given_out(c);
  const std::vector<DhcpNetwork> networks = dhcp_networks(in);
  auto next = networks.begin();
  bool taken = false;
  std::string name;
  std::vector<std::uint64_t> macs;
  each_address(
      in,
      [&](const AddressPlan& a) {
        taken = given[static_cast<std::size_t>(a.network)];
        if (taken) begin(*next++);
      },
      [&](const NamedAddress& n) {
        if (!taken) return;
        const NetworkModel& net = c.networks[static_cast<std::size_t>(n.network)];
        if (n.equipment && n.equipment->what == FabricBlock::What::switches && n.equipment->of == n.network &&
            !net.everything)
          return;  // a loopback asks nobody
        const bool bmc = n.group >= 0 && is_management_port(c, net, net.ends[static_cast<std::size_t>(n.end_points)]);
        macs.clear();
        if (in.inventory) {
          const auto mac = [&](std::string_view port) {
            if (const InventoryRow* row = row_of(in, n, port); row && row->mac) macs.push_back(*row->mac);
          };
          if (bmc)
            mac("bmc");
          else if (n.group >= 0)
            each_port(c, interfaces[static_cast<std::size_t>(n.group)], n, mac);
          else if (n.port == 0)
            mac("");  // a MAC is that of one port
        }
        name = n.name;
        if (!n.plain) name += '-', name += net.name;
        if (!n.plain && n.number > 0 && !n.first) name += '-', append_int(name, n.number);
        const bool boots = !bmc && n.group >= 0 && n.network == over[static_cast<std::size_t>(n.group)] &&
                           starts[static_cast<std::size_t>(n.group)];
        take({n.address, name, macs,
              boots ? std::string_view(c.nodes[static_cast<std::size_t>(n.group)].name) : std::string_view()});
      });
}

std::optional<NetworkBoot> network_boot(const System& in) {
  if (!in.makes("ipxe")) return std::nullopt;
  NetworkBoot out;
  for (const BootServer& s : boot_servers(in)) out.servers.push_back({s.network, s.address});
  for (std::size_t g = 0; g < in.cluster.nodes.size(); ++g) {
    Findings of_installer;  // said by the installer's own output
    const auto plan = install_plan(in, static_cast<int>(g), of_installer);
    if (!plan) continue;
    const std::string& group = in.cluster.nodes[g].name;
    out.scripts.push_back({group, plan->server.address, plan->server.url + "/ipxe/" + group + ".ipxe"});
  }
  return out.scripts.empty() ? std::nullopt : std::optional(std::move(out));
}

bool reaches_from(const System& in, const DhcpNetwork& n, std::string_view address) {
  const Cluster& c = in.cluster;
  const auto a = parse_ipv4(address);
  if (!a || n.subnet.contains(*a)) return a.has_value();
  const auto at = std::find_if(c.networks.begin(), c.networks.end(),
                               [&](const NetworkModel& o) { return o.subnet && o.subnet->contains(*a); });
  if (at == c.networks.end()) return n.gateway != 0;
  return !is_out_of_band(n.network) &&
         (n.gateway != 0 || gateway_between(in, n.index, static_cast<int>(at - c.networks.begin())) >= 0);
}

std::vector<std::string> dhcp_time_servers(const System& in, const DhcpNetwork& n) {
  const Cluster& c = in.cluster;
  std::vector<std::string> out;
  const std::vector<OwnTimeServer> own = own_time_servers(in);
  for (const auto& server : c.spec.software->time_servers) {
    if (!server) continue;
    std::string address = *server;
    const auto node = std::find_if(own.begin(), own.end(), [&](const OwnTimeServer& o) { return o.server == *server; });
    if (node != own.end() && !parse_ipv4(address)) {
      const int beside = end_points_of(c, n.index, node->group);
      const Home home = home_of(c, in.plan, node->group);
      const std::uint32_t found = beside >= 0         ? in.plan.address(n.index, beside, node->member, 0)
                                  : home.network >= 0 ? in.plan.address(home.network, home.end_points, node->member, 0)
                                                      : 0;
      if (found != 0) address = ipv4_text(found);
    }
    if (reaches_from(in, n, address)) out.push_back(address);
  }
  return out;
}

}  // namespace clusterc
