#include "compile/network_config.h"

#include <algorithm>

#include "base/ip.h"
#include "compile/common.h"
#include "spec/software.h"
#include "system/name_servers.h"
#include "write/writers.h"

namespace clusterc {

PatternText netplan_text(const CompileInput& in, GroupNetwork& network, const NodeGroupModel& g,
                         std::string_view output_id) {
  std::string text = made_by(in, output_id);
  const std::vector<std::string> servers = name_servers(in.system, g);
  YamlWriter y(text);
  const auto common = [&](const NetworkDevice& device) {
    if (device.mtu > 0) y.field("mtu", device.mtu);
    if (device.addresses.empty()) return;
    y.list("addresses");
    for (const NetworkAddress& a : device.addresses) y.value(network.address(a, true));
    y.end_list();
    if (device.table > 0 || std::any_of(device.addresses.begin(), device.addresses.end(),
                                        [](const NetworkAddress& a) { return a.gateway != 0 || !a.routes.empty(); })) {
      y.list("routes");
      for (const NetworkAddress& a : device.addresses) {
        if (a.gateway != 0) y.begin_map().field("to", "default").field("via", network.way_out(a)).end_map();
        for (const NetworkRoute& r : a.routes) {
          y.begin_map().field("to", r.to).field("via", network.via(r));
          if (r.metric > 0) y.field("metric", r.metric);
          y.end_map();
        }
        if (device.table > 0) {
          y.begin_map().field("to", a.subnet);
          if (a.routed())
            y.field("via", network.leaf(a));
          else
            y.field("scope", "link");
          y.field("table", device.table).end_map();
        }
      }
      y.end_list();
    }
    if (device.table > 0) {
      y.list("routing-policy");
      for (const NetworkAddress& a : device.addresses)
        y.begin_map().field("from", network.address(a, false)).field("table", device.table).end_map();
      y.end_list();
    }
    if (device.name_servers && (!servers.empty() || g.software->domain)) {
      y.map("nameservers");
      if (!servers.empty()) {
        y.list("addresses");
        for (const std::string& s : servers) y.value(s);
        y.end_list();
      }
      if (g.software->domain) y.list("search").value(*g.software->domain).end_list();
      y.end_map();
    }
  };
  y.begin_map().map("network").field("version", 2);
  if (reads_netplan(g)) y.field("renderer", "networkd");
  constexpr std::pair<NetworkDevice::Kind, std::string_view> kKinds[] = {{NetworkDevice::Kind::port, "ethernets"},
                                                                         {NetworkDevice::Kind::bond, "bonds"},
                                                                         {NetworkDevice::Kind::vlan, "vlans"}};
  for (const auto& [kind, section] : kKinds) {
    bool open = false;
    for (const NetworkDevice& d : network.devices()) {
      if (d.kind != kind) continue;
      if (!open) y.map(section), open = true;
      y.map(d.name);
      if (kind == NetworkDevice::Kind::port) {
        y.field("dhcp4", false);
        text += network.with_mac(d, "\n      match:\n        macaddress: \"",
                                 "\"\n      set-name: \"" + d.name + "\"");  // at the depth of dhcp4
      }
      if (kind == NetworkDevice::Kind::bond) {
        y.key("interfaces").flow(d.members);
        y.map("parameters")
            .field("mode", kBondMode)
            .field("lacp-rate", kBondTimer)
            .field("mii-monitor-interval", kBondMonitorMilliseconds)
            .field("transmit-hash-policy", kBondHash)
            .end_map();
      }
      if (kind == NetworkDevice::Kind::vlan) y.field("id", d.vlan).field("link", d.below);
      common(d);
      y.end_map();
    }
    if (open) y.end_map();
  }
  y.end_map().end_map();
  return network.pattern(std::move(text));
}

}  // namespace clusterc
