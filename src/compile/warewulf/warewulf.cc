// warewulf/nodes.yaml: a mapping of node names to their attributes, as `wwctl node import` reads it (Warewulf 4.6,
// Importing Nodes From a File; Network Interfaces; IPMI). nodes.conf itself is undocumented and changes between
// versions.

#include <algorithm>

#include "base/ip.h"
#include "base/text.h"
#include "compile/common.h"
#include "compile/extra_yaml.h"
#include "spec/network.h"
#include "system/name_servers.h"
#include "system/node_list.h"
#include "write/writers.h"

namespace clusterc {
namespace {

using WarewulfKind = NetworkDevice::Kind;
constexpr std::string_view kFile = "nodes.yaml";

bool wants_warewulf(const Cluster& c) { return lists_nodes(c, "warewulf"); }

std::string netmask(const CompileInput& in, int network) {
  return ipv4_text(in.cluster.networks[static_cast<std::size_t>(network)].subnet->mask());
}

// "comment: &a x": what stands for every node cannot be called by one name in all of them.
bool has_anchor(std::string_view text) {
  for (std::size_t i = 1; i + 1 < text.size(); ++i)
    if (text[i] == '&' && std::string_view(" \t\n[{,").find(text[i - 1]) != std::string_view::npos &&
        std::string_view(" \t\n").find(text[i + 1]) == std::string_view::npos)
      return true;
  return false;
}

void emit_warewulf(const CompileInput& in, Bundle& bundle, Findings& findings) {
  check_extra_files(in, "warewulf", {kFile}, findings);
  if (const auto* lines = extra_of(in, kFile))
    for (const auto& line : *lines)
      if (line && has_anchor(*line))
        findings
            .error("output-extra-malformed", line.span,
                   "'" + one_line(line->substr(0, 60)) + "' is copied to every node, so that it cannot have an anchor")
            .help("write the value without an anchor");
  std::string extra;  // attributes of every node
  for (const YamlEntry& e :
       yaml_entries(in, kFile, {"cluster name", "discoverable", "network devices", "primary network", "ipmi"},
                    "profiles: [default, site]", findings))
    extra += e.text;
  const bool own_profiles = extra.starts_with("profiles:") || extra.find("\nprofiles:") != std::string::npos;
  std::string nodes, example;
  std::int64_t missing = 0;
  std::vector<std::string> servers;  // of the group
  each_listed(
      in.system, findings,
      [&](const ListedGroup& g) {
        servers = name_servers(in.system, g.group());
        warn_of_routes(g, "warewulf", "Warewulf's files", findings);
        for (const NetworkDevice& d : g.network().devices())
          if (d.addresses.size() > 1)
            findings
                .warning("warewulf-second-address", g.group().span,
                         "device '" + d.name + "' of '" + g.group().name + "' has " +
                             std::to_string(d.addresses.size()) + " addresses, Warewulf's files hold only the first")
                .help("give the networks that share its ports a `vlan`");
      },
      [&](const ListedGroup& g, std::int64_t member, const std::string& name) {
        YamlWriter y(nodes);
        y.begin_map().map(name);
        if (!own_profiles) y.key("profiles").flow({"default"});
        y.field("cluster name", in.cluster.spec.name.value_or("cluster"));
        bool known = g.boot_ports().empty();
        std::vector<std::pair<const NetworkDevice*, std::optional<std::uint64_t>>> devices;
        for (const NetworkDevice& d : g.network().devices()) {
          std::optional<std::uint64_t> mac;
          if (d.kind == WarewulfKind::port) {
            mac = g.mac(member, name, d.name);
            if (!mac && missing++ == 0) example = name + "," + d.name + ",MAC";
            known |= mac && std::find(g.boot_ports().begin(), g.boot_ports().end(), d.name) != g.boot_ports().end();
          }
          devices.emplace_back(&d, mac);
        }
        if (!known) y.field("discoverable", true);  // the first that asks and is nobody is taken for this node
        if (!devices.empty()) y.map("network devices");
        for (const auto& [d, mac] : devices) {
          y.map(d->name)
              .field("type", d->kind == WarewulfKind::bond   ? "Bond"
                             : d->kind == WarewulfKind::vlan ? "vlan"
                             : d->infiniband                 ? "infiniband"
                                                             : "ethernet")
              .field("device", d->name);
          if (mac) y.field("hwaddr", mac_text(*mac));
          if (!d->addresses.empty()) {
            const NetworkAddress& a = d->addresses.front();
            y.field("ipaddr", ipv4_text(g.address(a, member)))
                .field("netmask", ipv4_text(Ipv4Prefix{0, a.length}.mask()));
            if (a.gateway != 0) y.field("gateway", ipv4_text(a.routed() ? g.leaf_address(a, member) : a.gateway));
          }
          if (d->mtu > 0) y.field("mtu", d->mtu);
          const bool names = d->name_servers && !servers.empty();
          if (!d->bond.empty() || d->kind == WarewulfKind::vlan || names) {
            y.map("tags");
            if (!d->bond.empty()) y.field("master", d->bond);
            if (d->kind == WarewulfKind::vlan)
              y.field("vlan_id", std::to_string(d->vlan)).field("parent_device", d->below);
            std::int64_t n = 0;
            if (names)
              for (const std::string& s : servers) y.field("DNS" + std::to_string(++n), s);
            y.end_map();
          }
          y.end_map();
        }
        if (!devices.empty()) y.end_map();
        if (g.home()) y.field("primary network", g.home()->name);
        if (const std::uint32_t bmc = g.bmc_address(member)) {
          y.map("ipmi").field("ipaddr", ipv4_text(bmc)).field("netmask", netmask(in, g.bmc_network()));
          const Network* spec = in.cluster.networks[static_cast<std::size_t>(g.bmc_network())].spec;
          if (const AddressPlan* plan = in.plan.addresses_of(g.bmc_network()); spec && spec->gateway && plan)
            y.field("gateway", ipv4_text(plan->gateway));
          y.end_map();
        }
        y.end_map().end_map();
        if (!extra.empty()) append_indented(nodes, extra, 2);
      });
  bundle.open("warewulf/" + std::string(kFile), "warewulf");
  std::string& out = bundle.text();
  out += made_by(in, "warewulf") + unknown_macs(missing, "ports", example);
  out += nodes;
  bundle.close();
}

}  // namespace

extern const Output kWarewulfOutput;  // registry.cc names it
const Output kWarewulfOutput{
    .id = "warewulf",
    .summary = "nodes for Warewulf, if `outputs` of the spec names it: addresses, ports, bonds, VLANs, BMC",
    .consumers = "wwctl node import of Warewulf 4.6",
    .wanted = wants_warewulf,
    .emit = emit_warewulf,
};

}  // namespace clusterc
