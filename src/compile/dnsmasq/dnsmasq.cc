// dnsmasq/: dnsmasq.conf and dhcp-hosts. The network that users' traffic enters by, and those that manage equipment, are given out by DHCP; all other
// addresses stand in netplan.
//
// Every address is reserved: by the MAC of the inventory where it has one (of each port of a bond), else by the name that the client says it has, which an
// image or a BMC may be told. Who is neither gets none: the ranges are static.
#include "compile/dnsmasq/dnsmasq.h"

#include <map>

#include "base/ip.h"
#include "base/text.h"
#include "compile/hosts/each_address.h"

namespace clusterc {
namespace {

bool given_out(const Cluster& c, int network) {
  const NetworkModel& n = c.networks[network];
  return n.subnet && n.kind == LinkKind::ethernet && (network == primary_network(c) || n.everything || n.carries_traffic(Traffic::oob));
}

// Where the spec says that somebody gives addresses out: a node that provisions, or the MACs of an inventory. A cloud does it itself.
bool wanted(const Cluster& c) {
  const bool provisions = std::any_of(c.nodes.begin(), c.nodes.end(), [](const NodeGroupModel& g) { return g.count > 0 && g.has_role(Role::provisioning); });
  if (!provisions && !(c.own_site && c.spec.inventory)) return false;
  for (std::size_t n = 0; n < c.networks.size(); ++n)
    if (given_out(c, static_cast<int>(n))) return true;
  return false;
}

bool is_option(std::string_view text) {
  const std::size_t equals = text.find('=');
  const std::string_view key = text.substr(0, equals);
  const auto word = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '6'; };
  const auto printed = [](char c) { return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f && c != '#' && c != '"' && c != '\\'; };
  return !key.empty() && std::all_of(key.begin(), key.end(), word) && std::all_of(text.begin(), text.end(), printed) && text.back() != '=';
}

// Ports of the address `n` of a node, as inventory and netplan call them; one for each port of its bond.
std::vector<std::string> ports_of(const std::vector<Interface>& interfaces, const NamedAddress& n) {
  std::vector<std::string> out;
  for (const Interface& i : interfaces) {
    if (i.network != n.network || i.end_points != n.end_points || i.addresses == 0) continue;
    const std::int64_t width = i.ports / i.addresses, begin = n.port * width, end = n.port + 1 < i.addresses ? begin + width : i.ports;
    for (std::int64_t p = begin; p < end; ++p) out.push_back(i.names[static_cast<std::size_t>(p)]);
  }
  return out;
}

// The row of a port: by host name, else by what docs/names.md calls it (node/gpu/001, storage/home/1, pdu/r1/b). A frame has a port for each
// of its trays, so its rows name them: frame/nvl3,mgmt/4.
const InventoryRow* row_of(const CompileInput& in, const NamedAddress& n, std::string_view port) {
  if (const InventoryRow* row = in.inventory->find(n.name, port)) return row;
  if (n.equipment) {
    const CableEnd end = equipment_port(in.plan, n.equipment->what, n.equipment->of, n.member);
    const InventoryRow* row = in.inventory->find(end.object, end.port);
    return row || end.port != "mgmt" ? row : in.inventory->find(end.object, port);
  }
  if (n.group >= 0) return in.inventory->find(in.plan.node_object(in.cluster.nodes[static_cast<std::size_t>(n.group)].first + n.member), port);
  const EndPoints& ends = in.cluster.networks[static_cast<std::size_t>(n.network)].ends[static_cast<std::size_t>(n.end_points)];
  return in.inventory->find("storage/" + in.cluster.storage[static_cast<std::size_t>(ends.storage)].name + "/" + std::to_string(n.member + 1), port);
}

void write_hosts(const CompileInput& in, Bundle& bundle) {
  const Cluster& c = in.cluster;
  std::vector<std::vector<Interface>> interfaces;
  for (std::size_t g = 0; g < c.nodes.size(); ++g) interfaces.push_back(interfaces_of(c, in.plan, static_cast<int>(g)));
  bundle.open("dnsmasq/dhcp-hosts", "dnsmasq");
  std::string& out = bundle.text();
  out += made_by(in, "dnsmasq");
  bool take = false;
  each_address(
      in,
      [&](const AddressPlan& a) {
        take = given_out(c, a.network);
        if (take) out += "# network ", out += c.networks[a.network].name, out += ' ', out += a.subnet.text(), out += '\n';
      },
      [&](const NamedAddress& n) {
        if (!take) return;
        const NetworkModel& net = c.networks[n.network];
        if (n.equipment && n.equipment->what == FabricBlock::What::switches && n.equipment->of == n.network && !net.everything) return;   // a loopback asks nobody
        const bool bmc = n.group >= 0 && is_management_port(c, net, net.ends[static_cast<std::size_t>(n.end_points)]);
        const std::size_t begin = out.size();
        if (in.inventory) {
          const auto mac = [&](std::string_view port) {
            if (const InventoryRow* row = row_of(in, n, port); row && row->mac) append_mac(out, *row->mac), out += ',';
          };
          if (bmc) mac("bmc");
          else if (n.group >= 0)
            for (const std::string& port : ports_of(interfaces[static_cast<std::size_t>(n.group)], n)) mac(port);
          else if (n.port == 0) mac("");   // a MAC is that of one port
        }
        const bool by_mac = out.size() > begin;
        if (by_mac) append_ipv4(n.address, out), out += ',';
        out += n.name;
        if (!n.plain) out += '-', out += net.name;
        if (!n.plain && n.number > 0 && !n.first) out += '-', append_int(out, n.number);
        if (!by_mac) out += ',', append_ipv4(n.address, out);
        out += '\n';
      });
  bundle.close();
}

void emit(const CompileInput& in, Bundle& bundle, Findings& findings) {
  const Cluster& c = in.cluster;
  check_extra_files(in, "dnsmasq", {"dnsmasq.conf"}, findings);
  bundle.open("dnsmasq/dnsmasq.conf", "dnsmasq");
  std::string& out = bundle.text();
  out += made_by(in, "dnsmasq");
  out += "# names: those of the compiled hosts file\nno-hosts\naddn-hosts=/etc/dnsmasq.cluster/hosts\ndomain-needed\nbogus-priv\n";
  const Software& s = c.spec.software;
  if (s.domain) out += "domain=", out += *s.domain, out += "\nlocal=/", out += *s.domain, out += "/\nexpand-hosts\n";
  if (!s.name_servers.empty()) out += "no-resolv\n";
  for (const auto& server : s.name_servers)
    if (server) out += "server=", out += *server, out += '\n';
  out += "\n# addresses: every one is reserved\ndhcp-authoritative\ndhcp-hostsfile=/etc/dnsmasq.cluster/dhcp-hosts\n";
  for (const AddressPlan& a : in.plan.addresses) {
    if (!given_out(c, a.network)) continue;
    const NetworkModel& net = c.networks[a.network];
    out += "dhcp-range=set:", out += net.name, out += ',';
    append_ipv4(a.subnet.base, out);
    out += ",static,";
    append_ipv4(a.subnet.mask(), out);
    out += ",24h\n";
    // A gateway is what the spec names; without one the option says that there is none: else dnsmasq names itself.
    out += "dhcp-option=tag:", out += net.name, out += ",option:router";
    if (net.spec && net.spec->gateway) out += ',', append_ipv4(a.gateway, out);
    out += '\n';
    std::string clocks;
    for (const auto& server : s.time_servers)
      if (server && parse_ipv4(*server)) clocks += ',', clocks += *server;   // the option holds addresses
    if (!clocks.empty()) out += "dhcp-option=tag:", out += net.name, out += ",option:ntp-server", out += clocks, out += '\n';
  }
  if (const auto* extra = extra_of(in, "dnsmasq.conf")) {
    out += "\n# outputs.dnsmasq.extra of the spec\n";
    for (const auto& wish : *extra) {
      if (!wish) continue;
      const std::string_view text = trim(*wish);
      const std::string_view key = text.substr(0, text.find('='));
      if (!is_option(text)) findings.error("output-extra-malformed", wish.span, "'" + one_line(text.substr(0, 60)) + "' is no line of dnsmasq.conf").help("write one option in each line, for example dhcp-boot=ipxe.efi");
      else if (key == "domain" || key == "dhcp-hostsfile" || key == "addn-hosts" || key == "dhcp-range") findings.error("output-extra-contradicts-spec", wish.span, "'" + std::string(key) + "' follows from the spec").help("change the spec instead");
      else out += text, out += '\n';
    }
  }
  bundle.close();
  write_hosts(in, bundle);
}

}  // namespace

const Output kDnsmasqOutput{
    .id = "dnsmasq",
    .summary = "names and DHCP with every address reserved: by MAC of the inventory, else by name",
    .consumers = "dnsmasq 2.85 and newer",
    .wanted = wanted,
    .emit = emit,
};

}  // namespace clusterc
