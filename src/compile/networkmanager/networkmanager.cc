// networkmanager/<group>-<bucket>/<node>/<device>.nmconnection: what has an address of this node;
// networkmanager/group/<group>/: devices without one (ports of a bond), the same for all its nodes;
// networkmanager/extra.nmconnection: extra lines, for all. NetworkManager reads none that others can read.

#include <algorithm>

#include "base/ip.h"
#include "base/text.h"
#include "compile/common.h"
#include "compile/device_files.h"
#include "compile/extra_ini.h"
#include "spec/software.h"
#include "system/group_network.h"
#include "system/name_servers.h"
#include "write/writers.h"

namespace clusterc {
namespace {

using Kind = NetworkDevice::Kind;
constexpr std::string_view kExtraFile = "extra.nmconnection";
// NetworkManager wants a number where others leave it to the kernel, which takes the one before the main table's, 32766
// (ip-rule(8)).
constexpr int kRulePriority = 32765;

bool wants_networkmanager(const Cluster& c) { return has_network_of(c, NetworkReader::networkmanager); }

std::string numbered(std::string_view key, int n) { return std::string(key) + std::to_string(n); }

std::string keyfile(const CompileInput& in, const NodeGroupModel& g, const GroupNetwork& network,
                    const NetworkDevice& d) {
  std::string out = made_by(in, "networkmanager");
  IniWriter ini(out);
  ini.section("connection")
      .field("id", d.name)
      .field("type", d.kind == Kind::bond   ? "bond"
                     : d.kind == Kind::vlan ? "vlan"
                     : d.infiniband         ? "infiniband"
                                            : "ethernet")
      .field("interface-name", d.name);
  if (!d.bond.empty()) ini.field("master", d.bond).field("slave-type", "bond");
  if (d.kind == Kind::bond)
    ini.section("bond")
        .field("mode", kBondMode)
        .field("lacp_rate", kBondTimer)
        .field("miimon", kBondMonitorMilliseconds)
        .field("xmit_hash_policy", kBondHash);
  if (d.kind == Kind::vlan) ini.section("vlan").field("id", d.vlan).field("parent", d.below);
  // Over InfiniBand the larger packets need the connected mode: a datagram is one packet of the fabric, 4,096 bytes at
  // most, less a header of 4 (RFC 4391; connected: RFC 4755).
  if (d.infiniband) ini.section("infiniband").field("transport-mode", d.mtu > 4092 ? "connected" : "datagram");
  if (d.mtu > 0) {
    if (!d.infiniband) ini.section("ethernet");
    ini.field("mtu", d.mtu);
  }
  if (!d.bond.empty()) return out;  // a port of a bond has no addresses of its own
  std::string servers, servers6;    // of either family, in the section of theirs
  if (d.name_servers)
    for (const std::string& s : name_servers(in.system, g))
      (s.find(':') == std::string::npos ? servers : servers6) += s + ";";
  ini.section("ipv4").field("method", d.addresses.empty() ? "disabled" : "manual");
  int n = 0;
  for (const NetworkAddress& a : d.addresses) ini.field(numbered("address", ++n), network.address(a, true));
  for (const NetworkAddress& a : d.addresses)
    if (a.gateway != 0) ini.field("gateway", network.way_out(a));
  n = 0;
  for (const NetworkAddress& a : d.addresses)
    for (const NetworkRoute& r : a.routes)
      ini.field(numbered("route", ++n),
                r.to + "," + network.via(r) + (r.metric > 0 ? "," + std::to_string(r.metric) : ""));
  if (d.table > 0) {  // without a next hop a route is of scope link
    for (const NetworkAddress& a : d.addresses) {
      const std::string route = numbered("route", ++n);
      ini.field(route, a.routed() ? a.subnet + "," + network.leaf(a) : a.subnet)
          .field(route + "_options", "table=" + std::to_string(d.table));
    }
    n = 0;
    for (const NetworkAddress& a : d.addresses)
      ini.field(numbered("routing-rule", ++n), "priority " + std::to_string(kRulePriority) + " from " +
                                                   network.address(a, false) + " table " + std::to_string(d.table));
  }
  if (!servers.empty()) ini.field("dns", servers);
  if (d.name_servers && g.software->domain) ini.field("dns-search", *g.software->domain + ";");
  // RoCE makes a GID of a link-local address. Where a name server is asked over IPv6 a router has to say how, and
  // NetworkManager takes it with no other method.
  ini.section("ipv6").field("method", servers6.empty() ? "link-local" : "auto");
  if (!servers6.empty()) ini.field("dns", servers6);
  return out;
}

void emit_networkmanager(const CompileInput& in, Bundle& bundle, Findings& findings) {
  check_extra_files(in, "networkmanager", {kExtraFile}, findings);
  std::vector<std::string> names;
  for (std::size_t g = 0; g < in.cluster.nodes.size(); ++g) {
    const NodeGroupModel& group = in.cluster.nodes[g];
    if (network_reader(in.cluster, group) != NetworkReader::networkmanager) continue;
    GroupNetwork network(in.system, static_cast<int>(g), findings);
    if (network.empty()) continue;
    std::vector<DeviceFile> files;
    for (const NetworkDevice& d : network.devices()) {
      names.push_back(d.name);
      files.push_back({d.name + ".nmconnection", keyfile(in, group, network, d), !d.addresses.empty()});
    }
    add_link_files(in, network, "networkmanager", files);
    write_device_files(in, static_cast<int>(g), network, files, "networkmanager", 0600, bundle);
  }
  const std::string extra =
      ini_lines(in, kExtraFile, "[connection] and then interface-name=mgmt0", findings,
                [&](std::string_view section, std::string_view key, std::string_view value) -> std::string {
                  if (section != "connection" || (key != "interface-name" && key != "id")) return {};
                  return std::find(names.begin(), names.end(), value) == names.end()
                             ? std::string()
                             : "an extra line configures interface '" + std::string(value) +
                                   "', which is already set from the spec";
                });
  if (!extra.empty())
    bundle.add("networkmanager/" + std::string(kExtraFile), "networkmanager", made_by(in, "networkmanager") + extra,
               0600);
}

}  // namespace

extern const Output kNetworkManagerOutput;  // registry.cc names it
const Output kNetworkManagerOutput{
    .id = "networkmanager",
    .summary =
        "network configuration of each node with RHEL 8 and newer, or its rebuilds: addresses, bonds, VLANs, MTU, "
        "routes",
    .consumers = "NetworkManager 1.30 and newer",
    .wanted = wants_networkmanager,
    .emit = emit_networkmanager,
};

}  // namespace clusterc
