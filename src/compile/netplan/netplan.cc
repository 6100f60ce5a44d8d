// netplan/<group>-<bucket>/<node>.yaml: addresses, bonds, VLANs, MTU and routes of one node; netplan/extra.yaml: extra lines, for all.
//
// Interfaces are called by what the spec calls the ports (compute1 … compute8, data1): names that the image gives by PCI address or
// MAC. Ports of one bond are bond0, bond1, …. A network that shares another's switches comes over the same ports, tagged when it has
// a VLAN. Several ports of a node in one subnet get a routing table each, so that an answer leaves where the question came in.
#include "compile/netplan/netplan.h"

#include <algorithm>

#include "base/ip.h"
#include "base/text.h"
#include "compile/common.h"
#include "compile/extra_yaml.h"
#include "write/writers.h"

namespace clusterc {
namespace {

constexpr std::size_t kLongestName = 15;   // IFNAMSIZ is 16 with its final zero (include/uapi/linux/if.h)
constexpr std::int64_t kFirstTable = 101;  // routing tables 0 and 253 to 255 are the kernel's (include/uapi/linux/rtnetlink.h)

struct Binding { int network, end_points; std::int64_t port; std::size_t mark; };
struct Device {
  std::string name, link;            // link: the device below a VLAN
  std::int64_t vlan = 0, mtu = 0;
  std::vector<std::string> members;  // of a bond
  std::vector<Binding> bindings;
};

Device* find(std::vector<Device>& devices, std::string_view name) {
  const auto at = std::find_if(devices.begin(), devices.end(), [&](const Device& d) { return d.name == name; });
  return at == devices.end() ? nullptr : &*at;
}

struct Devices { std::vector<Device> ports, bonds, vlans; };

Devices devices_of(const Cluster& c, const Plan& plan, int group) {
  Devices d;
  for (const Interface& i : interfaces_of(c, plan, group)) {
    const NetworkModel& net = c.networks[i.network];
    const std::int64_t mtu = net.spec ? net.spec->mtu.value_or(0) : 0;
    const std::int64_t vlan = net.spec && net.shares >= 0 ? net.spec->vlan.value_or(0) : 0;
    std::vector<std::string> below;   // devices that carry this network
    for (const std::string& name : i.names) {
      Device* port = find(d.ports, name);
      if (!port) d.ports.push_back({name, {}, 0, 0, {}, {}}), port = &d.ports.back();
      port->mtu = std::max(port->mtu, mtu);
      // Over a port that is in a bond a guest comes through the bond.
      const auto bond = std::find_if(d.bonds.begin(), d.bonds.end(), [&](const Device& b) { return std::find(b.members.begin(), b.members.end(), name) != b.members.end(); });
      const std::string& carrier = bond == d.bonds.end() ? name : bond->name;
      if (bond != d.bonds.end()) bond->mtu = std::max(bond->mtu, mtu);
      if (std::find(below.begin(), below.end(), carrier) == below.end()) below.push_back(carrier);
    }
    if (i.bonded && below == i.names) {
      below.clear();
      const auto width = static_cast<std::ptrdiff_t>(i.ports / i.addresses);
      for (std::int64_t b = 0; b < i.addresses; ++b) {
        const auto first = i.names.begin() + b * width, last = b + 1 < i.addresses ? first + width : i.names.end();
        if (last - first == 1) {
          below.push_back(*first);
          continue;
        }
        Device bond{"bond", {}, 0, mtu, {first, last}, {}};
        append_uint(bond.name, d.bonds.size());
        below.push_back(bond.name);
        d.bonds.push_back(std::move(bond));
      }
    }
    for (std::int64_t a = 0; a < i.addresses; ++a) {
      const std::string& carrier = below[std::min(static_cast<std::size_t>(a), below.size() - 1)];
      Device* device = find(d.bonds, carrier);
      if (!device) device = find(d.ports, carrier);
      if (vlan > 0) {
        std::string name = carrier + ".";
        append_int(name, vlan);
        device = find(d.vlans, name);
        if (!device) device = &d.vlans.emplace_back(Device{std::move(name), carrier, vlan, mtu, {}, {}});
      }
      device->bindings.push_back({i.network, i.end_points, a, 0});
    }
  }
  return d;
}

void check_names(const std::vector<Device>& devices, const NodeGroupModel& g, Findings& findings) {
  for (const Device& d : devices)
    if (d.name.size() > kLongestName) {
      findings.error("netplan-interface-name-too-long", g.span, "interface '" + d.name + "' of '" + g.name + "' has " + std::to_string(d.name.size()) + " characters, Linux takes 15")
          .help("give the port group a shorter name");
      return;
    }
}

}  // namespace

bool reads_netplan(const NodeGroupModel& g) {
  const std::string os = g.software.os.value_or("");
  return os.empty() || os.starts_with("ubuntu") || os.starts_with("debian");
}

GroupNetwork::GroupNetwork(const CompileInput& in, int group, std::string_view output_id, Findings& findings) : plan_(in.plan) {
  const Cluster& c = in.cluster;
  const NodeGroupModel& g = c.nodes[group];
  Devices d = devices_of(c, in.plan, group);
  for (std::vector<Device>* list : {&d.ports, &d.bonds, &d.vlans}) {
    check_names(*list, g, findings);
    for (Device& device : *list) {
      devices_.push_back(device.name);
      for (Binding& b : device.bindings) {
        b.mark = addresses_.size();
        addresses_.push_back({b.network, b.end_points, b.port});
        carriers_.push_back(device.name);
      }
    }
  }
  // The way out, and the name servers, belong to the primary network, else to the first with a gateway.
  int way_out = -1;
  for (const Address& a : addresses_) {
    const AddressPlan* plan = in.plan.addresses_of(a.network);
    // A gateway is what the spec names: the first address, which the plan keeps free for one, need not be a router.
    const Network* spec = c.networks[a.network].spec;
    if (plan && plan->gateway != 0 && spec && spec->gateway && (way_out < 0 || a.network == primary_network(c))) way_out = a.network;
  }
  const bool in_primary = std::any_of(addresses_.begin(), addresses_.end(), [&](const Address& a) { return a.network == primary_network(c); });
  const int named = addresses_.empty() ? -1 : way_out >= 0 ? way_out : in_primary ? primary_network(c) : addresses_.front().network;
  std::int64_t table = kFirstTable;

  std::string text = made_by(in, output_id);
  YamlWriter y(text);
  const auto ip = [&](const Binding& b, bool prefix) {
    std::string s = PatternText::mark(in.spec_digest, b.mark);
    if (prefix) s += '/', append_int(s, c.networks[b.network].subnet->length);
    return s;
  };
  const auto common = [&](const Device& device) {
    if (device.mtu > 0) y.field("mtu", device.mtu);
    if (device.bindings.empty()) return;
    y.list("addresses");
    for (const Binding& b : device.bindings) y.value(ip(b, true));
    y.end_list();
    bool routes = false, policy = false, servers = false;
    for (const Binding& b : device.bindings) {
      const auto same = std::count_if(addresses_.begin(), addresses_.end(), [&](const Address& a) { return a.network == b.network; });
      policy |= same > 1;
      routes |= same > 1 || (b.network == way_out && b.port == 0);
      servers |= b.network == named && b.port == 0;
    }
    several_ |= policy;
    if (routes) {
      y.list("routes");
      for (const Binding& b : device.bindings) {
        if (b.network == way_out && b.port == 0) y.begin_map().field("to", "default").field("via", ipv4_text(in.plan.addresses_of(b.network)->gateway)).end_map();
        if (policy) y.begin_map().field("to", c.networks[b.network].subnet->text()).field("scope", "link").field("table", table).end_map();
      }
      y.end_list();
    }
    if (policy) {
      y.list("routing-policy");
      for (const Binding& b : device.bindings) y.begin_map().field("from", ip(b, false)).field("table", table).end_map();
      y.end_list();
      ++table;
    }
    if (servers && (!g.software.name_servers.empty() || g.software.domain)) {
      y.map("nameservers");
      if (!g.software.name_servers.empty()) {
        y.list("addresses");
        for (const auto& s : g.software.name_servers) y.value(s.value_or(""));
        y.end_list();
      }
      if (g.software.domain) y.list("search").value(*g.software.domain).end_list();
      y.end_map();
    }
  };
  y.begin_map().map("network").field("version", 2);
  if (reads_netplan(g)) y.field("renderer", "networkd");
  if (!d.ports.empty()) {
    y.map("ethernets");
    for (const Device& p : d.ports) {
      y.map(p.name).field("dhcp4", false);
      common(p);
      y.end_map();
    }
    y.end_map();
  }
  if (!d.bonds.empty()) {
    y.map("bonds");
    for (const Device& b : d.bonds) {
      y.map(b.name).key("interfaces").flow(b.members);
      // LACP with its fast timer: a broken link leaves the bond after 3 s instead of 90 s (IEEE 802.1AX, 6.4)
      y.map("parameters").field("mode", "802.3ad").field("lacp-rate", "fast").field("mii-monitor-interval", 100).field("transmit-hash-policy", "layer3+4").end_map();
      common(b);
      y.end_map();
    }
    y.end_map();
  }
  if (!d.vlans.empty()) {
    y.map("vlans");
    for (const Device& v : d.vlans) {
      y.map(v.name).field("id", v.vlan).field("link", v.link);
      common(v);
      y.end_map();
    }
    y.end_map();
  }
  y.end_map().end_map();
  text_ = PatternText(std::move(text), in.spec_digest);
}

std::vector<std::string> GroupNetwork::devices_in(int network) const {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < addresses_.size(); ++i)
    if (addresses_[i].network == network && std::find(out.begin(), out.end(), carriers_[i]) == out.end()) out.push_back(carriers_[i]);
  return out;
}

void GroupNetwork::append(std::int64_t member, std::string& out) const {
  text_.append(out, [&](std::size_t mark, std::string& to) {
    const Address& a = addresses_[mark];
    append_ipv4(plan_.address(a.network, a.end_points, member, a.port), to);
  });
}

namespace {

bool wanted(const Cluster& c) {
  for (std::size_t g = 0; g < c.nodes.size(); ++g)
    if (reads_netplan(c.nodes[g]) && std::any_of(c.networks.begin(), c.networks.end(), [&](const NetworkModel& n) {
          return n.subnet && std::any_of(n.ends.begin(), n.ends.end(), [&](const EndPoints& e) { return e.group == static_cast<int>(g) && !is_management_port(c, n, e); });
        })) return true;
  return false;
}

constexpr std::string_view kExtraFile = "extra.yaml";

// What every node gets besides: netplan merges all files of /etc/netplan, so that a second one adds to the first.
void extra_file(const CompileInput& in, const std::vector<std::string>& devices, Bundle& bundle, Findings& findings) {
  const auto look = [&](const Document& d, NodeId value, std::string_view key) -> Refusal {
    if (!d.is_mapping(value)) return {"'" + std::string(key) + "' of network is a mapping of interfaces", false};
    for (std::size_t i = 0; i < d.size(value); ++i) {
      const std::string_view name = d.scalar(d.key(value, i));
      if (std::find(devices.begin(), devices.end(), name) == devices.end() || !d.is_mapping(d.value(value, i))) continue;
      // Of an interface of ours these are written for each node; netplan would take the later file's.
      for (const std::string_view ours : {"addresses", "dhcp4", "id", "interfaces", "link", "mtu", "parameters"})
        if (d.find(d.value(value, i), ours) != kNoNode) return {"'" + std::string(ours) + "' of '" + std::string(name) + "' follows from the spec", true};
    }
    return {};
  };
  const auto entries = yaml_entries(in, kExtraFile, {"version", "renderer"}, "ethernets: { mgmt0: { dhcp4: true } }", findings, look);
  if (entries.empty()) return;
  bundle.open("netplan/" + std::string(kExtraFile), "netplan", 0600);
  std::string& out = bundle.text();
  out += made_by(in, "netplan");
  out += "network:\n  version: 2\n";
  for (const YamlEntry& e : entries) append_indented(out, e.text, 2);
  bundle.close();
}

void emit(const CompileInput& in, Bundle& bundle, Findings& findings) {
  check_extra_files(in, "netplan", {kExtraFile}, findings);
  std::vector<std::string> devices;
  for (std::size_t g = 0; g < in.cluster.nodes.size(); ++g) {
    const NodeGroupModel& group = in.cluster.nodes[g];
    if (!reads_netplan(group)) continue;
    const GroupNetwork network(in, static_cast<int>(g), "netplan", findings);
    if (network.empty()) continue;
    devices.insert(devices.end(), network.devices().begin(), network.devices().end());
    std::string path;
    for (std::int64_t i = 0; i < group.count; ++i) {
      path = "netplan/";
      append_bucket(group, i, path);
      path += '/';
      group.names.append_name(i, path);
      path += ".yaml";
      bundle.open(path, "netplan", 0600);   // netplan warns of anything wider: keys of Wi-Fi and VPNs may stand in such files
      network.append(i, bundle.text());
      bundle.close();
    }
  }
  extra_file(in, devices, bundle, findings);
}

}  // namespace

const Output kNetplanOutput{
    .id = "netplan",
    .summary = "network configuration of each node: addresses, bonds, VLANs, MTU, routes",
    .consumers = "netplan 0.106 and newer with systemd-networkd",
    .wanted = wanted,
    .emit = emit,
};

}  // namespace clusterc
