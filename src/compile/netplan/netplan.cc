// netplan/<group>-<bucket>/<node>.yaml: addresses, bonds, VLANs, MTU and routes of one node; netplan/extra.yaml: extra
// lines, for all.
#include <algorithm>
#include <set>
#include <string_view>

#include "base/ip.h"
#include "base/text.h"
#include "compile/common.h"
#include "compile/extra_yaml.h"
#include "compile/network_config.h"
#include "system/name_servers.h"
#include "write/writers.h"

namespace clusterc {

namespace {

bool wants_netplan(const Cluster& c) { return has_network_of(c, NetworkReader::netplan); }

constexpr std::string_view kExtraFile = "extra.yaml";

// What every node gets besides: netplan merges all files of /etc/netplan, so that a second one adds to the first.
// `shared`: interfaces that every machine has.
void extra_file(const CompileInput& in, const std::vector<std::string>& devices, const std::vector<std::string>& shared,
                Bundle& bundle, Findings& findings) {
  const auto has = [](const std::vector<std::string>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  const auto* lines = extra_of(in, kExtraFile);
  // What an extra line builds on is there on each machine, or an extra line makes it: netplan takes no file that names
  // another.
  const auto missing = [&](std::string_view name) -> std::string {
    if (has(shared, name)) return {};
    const bool made =
        lines && std::any_of(lines->begin(), lines->end(), [&](const auto& line) {
          return line &&
                 (" " + replace_all(replace_all(*line, "{", " "), "\"", " ")).find(" " + std::string(name) + ":") !=
                     std::string::npos;
        });
    return made ? std::string()
           : has(devices, name)
               ? "only some machines have the interface '" + one_line(name) + "', but all machines read this file"
               : "no machine has the interface '" + one_line(name) + "'";
  };
  const auto look = [&](const Document& d, NodeId value, std::string_view key) -> Refusal {
    if (!d.is_mapping(value)) return {"'" + std::string(key) + "' of network must be a mapping of interfaces", false};
    for (std::size_t i = 0; i < d.size(value); ++i) {
      const std::string_view name = d.scalar(d.key(value, i));
      if (const NodeId below = d.value(value, i); d.is_mapping(below)) {
        if (const NodeId link = d.find(below, "link"); link != kNoNode && key == "vlans")
          if (const std::string why = missing(d.scalar(link)); !why.empty()) return {why, false};
        if (const NodeId members = d.find(below, "interfaces");
            members != kNoNode && d.is_sequence(members) && !has(devices, name))
          for (std::size_t m = 0; m < d.size(members); ++m)
            if (const std::string why = missing(d.scalar(d.item(members, m))); !why.empty()) return {why, false};
      }
      if (std::find(devices.begin(), devices.end(), name) == devices.end() || !d.is_mapping(d.value(value, i)))
        continue;
      // Of an interface of ours these are written for each node; netplan would take the later file's.
      for (const std::string_view ours : {"addresses", "dhcp4", "id", "interfaces", "link", "mtu", "parameters"})
        if (d.find(d.value(value, i), ours) != kNoNode)
          return {"an extra line sets '" + std::string(ours) + "' of '" + std::string(name) +
                      "', which is already set from the spec",
                  true};
    }
    return {};
  };
  const auto entries =
      yaml_entries(in, kExtraFile, {"version", "renderer"}, "ethernets: { mgmt0: { dhcp4: true } }", findings, look);
  if (entries.empty()) return;
  bundle.open("netplan/" + std::string(kExtraFile), "netplan", 0600);
  std::string& out = bundle.text();
  out += made_by(in, "netplan");
  out += "network:\n  version: 2\n";
  for (const YamlEntry& e : entries) append_indented(out, e.text, 2);
  bundle.close();
}

void emit_netplan(const CompileInput& in, Bundle& bundle, Findings& findings) {
  check_extra_files(in, "netplan", {kExtraFile}, findings);
  std::vector<std::string> devices, shared;
  for (std::size_t g = 0; g < in.cluster.nodes.size(); ++g) {
    const NodeGroupModel& group = in.cluster.nodes[g];
    if (network_reader(in.cluster, group) != NetworkReader::netplan) continue;
    GroupNetwork network(in.system, static_cast<int>(g), findings);
    if (network.empty()) continue;
    std::vector<std::string> own;
    for (const NetworkDevice& d : network.devices()) own.push_back(d.name);
    if (devices.empty()) shared = own;
    const std::set<std::string_view> all(own.begin(), own.end());
    std::erase_if(shared, [&](const std::string& name) { return !all.contains(name); });
    devices.insert(devices.end(), own.begin(), own.end());
    const PatternText text = netplan_text(in, network, group, "netplan");
    std::string path;
    for (std::int64_t i = 0; i < group.count && !in.judging; ++i) {
      path = "netplan/";
      append_bucket(group, i, path);
      path += '/';
      group.names.append_name(i, path);
      path += ".yaml";
      bundle.open(path, "netplan",
                  0600);  // netplan warns of anything wider: keys of Wi-Fi and VPNs may stand in such files
      network.append(text, i, bundle.text());
      bundle.close();
    }
  }
  extra_file(in, devices, shared, bundle, findings);
}

}  // namespace

extern const Output kNetplanOutput;  // registry.cc names it
const Output kNetplanOutput{
    .id = "netplan",
    .summary = "network configuration of each node: addresses, bonds, VLANs, MTU, routes",
    .consumers = "netplan 0.106 and newer with systemd-networkd",
    .wanted = wants_netplan,
    .emit = emit_netplan,
};

}  // namespace clusterc
