// networkd/<group>-<bucket>/<node>/10-<device>.network: what has an address of this node; networkd/group/<group>/:
// devices without one (ports of a bond) and .netdev files, the same for all its nodes; networkd/90-extra.network: extra
// lines, for all. Names of files decide their order: the first .network that matches a device is taken
// (systemd.network(5)), so that an extra file takes none of ours.

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
constexpr std::string_view kExtraFile = "90-extra.network";

bool wants_networkd(const Cluster& c) { return has_network_of(c, NetworkReader::networkd); }

std::string netdev(const CompileInput& in, const NetworkDevice& d) {
  std::string out = made_by(in, "networkd");
  IniWriter ini(out);
  ini.section("NetDev").field("Name", d.name).field("Kind", d.kind == Kind::bond ? "bond" : "vlan");
  if (d.mtu > 0) ini.field("MTUBytes", d.mtu);
  if (d.kind == Kind::vlan)
    ini.section("VLAN").field("Id", d.vlan);
  else
    ini.section("Bond")
        .field("Mode", kBondMode)
        .field("LACPTransmitRate", kBondTimer)
        .field("MIIMonitorSec", std::to_string(kBondMonitorMilliseconds) + "ms")
        .field("TransmitHashPolicy", kBondHash);
  return out;
}

std::string network_file(const CompileInput& in, const NodeGroupModel& g, const GroupNetwork& network,
                         const NetworkDevice& d) {
  std::string out = made_by(in, "networkd");
  IniWriter ini(out);
  ini.section("Match").field("Name", d.name);
  if (d.mtu > 0) ini.section("Link").field("MTUBytes", d.mtu);
  ini.section("Network");
  if (!d.bond.empty())
    ini.field("LinkLocalAddressing", "no").field("Bond", d.bond);
  else
    ini.field("LinkLocalAddressing", "ipv6");  // RoCE makes a GID of it
  // Addresses of bonds and VLANs stand before the first port is up, as netplan does it: what waits for the address at
  // the start does not fail.
  if (d.kind != Kind::port) ini.field("ConfigureWithoutCarrier", "yes");
  for (const std::string& vlan : network.vlans_on(d)) ini.field("VLAN", vlan);
  for (const NetworkAddress& a : d.addresses) ini.field("Address", network.address(a, true));
  if (d.name_servers) {
    for (const std::string& s : name_servers(in.system, g)) ini.field("DNS", s);
    if (g.software->domain) ini.field("Domains", *g.software->domain);
  }
  for (const NetworkAddress& a : d.addresses) {
    if (a.gateway != 0) ini.section("Route").field("Gateway", network.way_out(a));
    for (const NetworkRoute& r : a.routes) {
      ini.section("Route").field("Destination", r.to).field("Gateway", network.via(r));
      if (r.metric > 0) ini.field("Metric", r.metric);
    }
    if (d.table > 0) {
      ini.section("Route").field("Destination", a.subnet);
      if (a.routed())
        ini.field("Gateway", network.leaf(a));
      else
        ini.field("Scope", "link");
      ini.field("Table", d.table);
    }
  }
  if (d.table > 0)
    for (const NetworkAddress& a : d.addresses)
      ini.section("RoutingPolicyRule").field("From", network.address(a, false)).field("Table", d.table);
  return out;
}

void emit_networkd(const CompileInput& in, Bundle& bundle, Findings& findings) {
  check_extra_files(in, "networkd", {kExtraFile}, findings);
  std::vector<std::string> names;
  for (std::size_t g = 0; g < in.cluster.nodes.size(); ++g) {
    const NodeGroupModel& group = in.cluster.nodes[g];
    if (network_reader(in.cluster, group) != NetworkReader::networkd) continue;
    GroupNetwork network(in.system, static_cast<int>(g), findings);
    if (network.empty()) continue;
    std::vector<DeviceFile> files;
    for (const NetworkDevice& d : network.devices()) {
      names.push_back(d.name);
      files.push_back({"10-" + d.name + ".network", network_file(in, group, network, d), !d.addresses.empty()});
      if (d.kind != Kind::port) files.push_back({"10-" + d.name + ".netdev", netdev(in, d), false});
    }
    add_link_files(in, network, "networkd", files);
    write_device_files(in, static_cast<int>(g), network, files, "networkd", 0644, bundle);
  }
  const std::string extra = ini_lines(
      in, kExtraFile, "[Match] and then Name=mgmt0", findings,
      [&](std::string_view section, std::string_view key, std::string_view value) -> std::string {
        if (section != "Match" || key != "Name") return {};
        for (const std::string_view name : split(value, ' '))
          if (std::find(names.begin(), names.end(), name) != names.end())
            return "an extra line configures interface '" + std::string(name) + "', which is already set from the spec";
        return {};
      });
  if (!extra.empty()) bundle.add("networkd/" + std::string(kExtraFile), "networkd", made_by(in, "networkd") + extra);
}

}  // namespace

extern const Output kNetworkdOutput;  // registry.cc names it
const Output kNetworkdOutput{
    .id = "networkd",
    .summary =
        "network configuration of each node in place of netplan, if `outputs` of the spec names it: addresses, "
        "bonds, VLANs, MTU, routes",
    .consumers = "systemd-networkd 247 and newer",
    .wanted = wants_networkd,
    .emit = emit_networkd,
};

}  // namespace clusterc
