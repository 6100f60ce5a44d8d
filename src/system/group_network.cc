#include "system/group_network.h"

#include <algorithm>
#include <unordered_map>

#include "base/ip.h"
#include "base/text.h"
#include "model/group_ends.h"
#include "spec/network.h"
#include "spec/output.h"
#include "spec/software.h"
#include "system/gateways.h"
#include "system/interfaces.h"
#include "system/links.h"

namespace clusterc {
namespace {

constexpr std::size_t kLongestName = 15;  // IFNAMSIZ is 16 with its final zero (include/uapi/linux/if.h)
constexpr std::int64_t kFirstTable =
    101;  // routing tables 0 and 253 to 255 are the kernel's (include/uapi/linux/rtnetlink.h)

using Kind = NetworkDevice::Kind;

NetworkDevice device(Kind kind, std::string name) {
  NetworkDevice d;
  d.kind = kind, d.name = std::move(name);
  return d;
}

// Of one kind, in the order in which they were made, and by name: a group may be in thousands of networks.
class DeviceList {
 public:
  NetworkDevice* find(const std::string& name) {
    const auto at = at_.find(name);
    return at == at_.end() ? nullptr : &all_[at->second];
  }
  NetworkDevice& add(NetworkDevice d) {  // until the next one
    at_.emplace(d.name, all_.size());
    return all_.emplace_back(std::move(d));
  }
  std::size_t size() const { return all_.size(); }
  std::vector<NetworkDevice>& all() { return all_; }

 private:
  std::vector<NetworkDevice> all_;
  std::unordered_map<std::string, std::size_t> at_;
};

struct Devices {
  DeviceList ports, bonds, vlans;
};

Devices devices_of(const Cluster& c, const Plan& plan, int group) {
  Devices d;
  for (const Interface& i : interfaces_of(c, plan, group)) {
    const NetworkModel& net = c.networks[i.network];
    const std::int64_t mtu = net.spec ? net.spec->mtu.value_or(0) : 0;
    const std::int64_t vlan = net.spec && net.shares >= 0 ? net.spec->vlan.value_or(0) : 0;
    std::vector<std::string> below;  // devices that carry this network
    for (const std::string& name : i.names) {
      NetworkDevice* port = d.ports.find(name);
      if (!port) port = &d.ports.add(device(Kind::port, name));
      port->mtu = std::max(port->mtu, mtu);
      // Over a port that is in a bond a guest comes through the bond.
      NetworkDevice* bond = port->bond.empty() ? nullptr : d.bonds.find(port->bond);
      const std::string& carrier = bond ? bond->name : name;
      if (bond) bond->mtu = std::max(bond->mtu, mtu);
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
        NetworkDevice bond = device(Kind::bond, "bond");
        append_uint(bond.name, d.bonds.size());
        bond.mtu = mtu, bond.members = {first, last};
        for (const std::string& member : bond.members) d.ports.find(member)->bond = bond.name;
        below.push_back(bond.name);
        d.bonds.add(std::move(bond));
      }
    }
    for (std::int64_t a = 0; a < i.addresses; ++a) {
      const std::string& carrier = below[std::min(static_cast<std::size_t>(a), below.size() - 1)];
      NetworkDevice* on = d.bonds.find(carrier);
      if (!on) on = d.ports.find(carrier);
      if (vlan > 0) {
        std::string name = carrier + ".";
        append_int(name, vlan);
        on = d.vlans.find(name);
        if (!on)
          on = &d.vlans.add(device(Kind::vlan, std::move(name))), on->below = carrier, on->vlan = vlan, on->mtu = mtu;
      }
      NetworkAddress address;
      address.network = i.network, address.end_points = i.end_points, address.port = a;
      const AddressPlan* addresses = plan.addresses_of(i.network);
      const bool routed = addresses && addresses->step == 2;
      address.subnet = net.subnet->text(), address.length = routed ? 31 : static_cast<int>(net.subnet->length);
      on->addresses.push_back(std::move(address));
    }
  }
  return d;
}

// "rocky-9.4": rocky, 9; without a release 0.
std::pair<std::string_view, std::uint64_t> distribution_of(std::string_view os) {
  const std::size_t dash = os.find_last_of('-');
  if (dash == std::string_view::npos) return {os, 0};
  const std::string_view release = os.substr(dash + 1);
  const auto major = parse_uint(release.substr(0, release.find('.')));
  return major ? std::pair{os.substr(0, dash), *major} : std::pair{os, std::uint64_t{0}};
}

bool is_skipped(const Cluster& c, std::string_view id) {
  const auto* wish = c.spec.outputs.find(id);
  return wish && wish->value.skip.value_or(false);
}

}  // namespace

bool reads_netplan(const NodeGroupModel& g) {
  const std::string os = g.software->os.value_or("");
  return os.empty() || os.starts_with("ubuntu") || os.starts_with("debian") ||
         os.starts_with("dgx-os");  // DGX OS is Ubuntu (its user guide, "Introduction")
}

NetworkReader network_reader(const Cluster& c, const NodeGroupModel& g) {
  const std::string os = g.software->os.value_or("");
  const auto [name, release] = distribution_of(os);
  const auto is = [name = name](std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (c.spec.outputs.find("networkd") && !is_skipped(c, "networkd") &&
      (reads_netplan(g) || is({"flatcar", "azure-linux"}) || (name == "amazon-linux" && release >= 2023)))
    return NetworkReader::networkd;
  if (reads_netplan(g)) return NetworkReader::netplan;
  // Before release 8 the network scripts are the standard (RHEL 8.0 release notes: "Network scripts are deprecated").
  const bool keyfiles = name == "fedora" || (is({"rhel", "rocky", "almalinux", "centos-stream", "oracle-linux"}) &&
                                             (release == 0 || release >= 8));
  return keyfiles && !is_skipped(c, "networkmanager") ? NetworkReader::networkmanager : NetworkReader::cloud_init;
}

std::string_view network_output(const Cluster& c, const NodeGroupModel& g) {
  switch (network_reader(c, g)) {
    case NetworkReader::netplan:
      return "netplan";
    case NetworkReader::networkd:
      return "networkd";
    case NetworkReader::networkmanager:
      return "networkmanager";
    case NetworkReader::cloud_init:
      break;
  }
  return {};
}

bool has_network_of(const Cluster& c, NetworkReader reader) {
  for (std::size_t g = 0; g < c.nodes.size(); ++g) {
    const std::vector<GroupEnd>& ends = ends_of_group(c, static_cast<int>(g));
    if (network_reader(c, c.nodes[g]) == reader && std::any_of(ends.begin(), ends.end(), [&](const GroupEnd& at) {
          const NetworkModel& n = c.networks[static_cast<std::size_t>(at.network)];
          return n.subnet && !is_management_port(c, n, n.ends[static_cast<std::size_t>(at.end)]);
        }))
      return true;
  }
  return false;
}

GroupNetwork::GroupNetwork(const System& in, int group, Findings& findings)
    : in_(in), group_(group), plan_(in.plan), salt_(in.spec_digest) {
  const Cluster& c = in.cluster;
  const NodeGroupModel& g = c.nodes[group];
  Devices d = devices_of(c, in.plan, group);
  for (std::vector<NetworkDevice>* list : {&d.ports.all(), &d.bonds.all(), &d.vlans.all()}) {
    const auto longest =
        std::find_if(list->begin(), list->end(), [](const NetworkDevice& n) { return n.name.size() > kLongestName; });
    if (longest != list->end())
      findings
          .error("netplan-interface-name-too-long", g.span,
                 "interface '" + longest->name + "' of '" + g.name + "' has " + std::to_string(longest->name.size()) +
                     " characters, Linux allows 15")
          .help("give the port group a shorter name");
    std::move(list->begin(), list->end(), std::back_inserter(devices_));
  }
  // The way out, and the name servers, belong to the primary network, else to the first with a gateway.
  const int primary = primary_network(c, group);
  const std::vector<GatewayRoute> routes = gateway_routes(in, group);
  const std::vector<HostRoute> servers = host_routes(in, group);
  int way_out = -1, first = -1;
  bool in_primary = false;
  std::vector<std::int64_t> in_network(c.networks.size());
  for (NetworkDevice& device : devices_)
    for (NetworkAddress& a : device.addresses) {
      a.mark = marks_.size();
      marks_.push_back({.network = a.network, .end_points = a.end_points, .port = a.port, .before = {}, .behind = {}});
      if (a.length == 31 && c.networks[static_cast<std::size_t>(a.network)].subnet->length < 31) {
        a.leaf = marks_.size();
        marks_.push_back({.network = a.network,
                          .end_points = a.end_points,
                          .port = a.port,
                          .leaf = true,
                          .before = {},
                          .behind = {}});
        a.routes.push_back({.to = a.subnet, .mark = a.leaf, .through = 0});
      }
      for (const GatewayRoute& r : routes) {
        if (r.over != a.network || a.port != 0) continue;
        a.routes.push_back(
            {.to = c.networks[static_cast<std::size_t>(r.to)].subnet->text(), .mark = marks_.size(), .through = 0});
        marks_.push_back(
            {.network = r.over, .end_points = r.end_points, .among = r.gateways, .before = {}, .behind = {}});
      }
      for (const HostRoute& r : servers)
        if (r.over == a.network && a.port == 0)
          a.routes.push_back({.to = ipv4_text(r.to) + "/32", .mark = 0, .through = r.through});
      ++in_network[static_cast<std::size_t>(a.network)];
      if (first < 0) first = a.network;
      in_primary |= a.network == primary;
      const AddressPlan* plan = in.plan.addresses_of(a.network);
      // A gateway is what the spec names: the first address, which the plan keeps free for one, need not be a router.
      const Network* spec = c.networks[a.network].spec;
      if (plan && plan->gateway != 0 && spec && spec->gateway && (way_out < 0 || a.network == primary))
        way_out = a.network;
    }
  const int named = way_out >= 0 ? way_out : in_primary ? primary : first;
  std::int64_t table = kFirstTable;
  for (NetworkDevice& device : devices_) {
    bool several = false;
    for (NetworkAddress& a : device.addresses) {
      if (a.network == way_out && a.port == 0) a.gateway = in.plan.addresses_of(a.network)->gateway;
      device.infiniband |= device.kind == Kind::port && c.networks[a.network].kind == LinkKind::infiniband;
      device.name_servers |= a.network == named && a.port == 0;
      several |= in_network[static_cast<std::size_t>(a.network)] > 1;
    }
    if (several) device.table = table++;
    // The same route over several ports: the kernel has one of each metric, and takes the lowest that is up.
    for (NetworkAddress& a : device.addresses)
      if (a.routed() && in_network[static_cast<std::size_t>(a.network)] > 1)
        for (NetworkRoute& r : a.routes)
          if (r.mark == a.leaf) r.metric = device.table;
    several_ |= several;
  }
}

std::vector<std::string> GroupNetwork::devices_in(int network) const {
  std::vector<std::string> out;
  for (const NetworkDevice& d : devices_)
    if (std::any_of(d.addresses.begin(), d.addresses.end(),
                    [&](const NetworkAddress& a) { return a.network == network; }))
      out.push_back(d.name);
  return out;
}

std::vector<std::string> GroupNetwork::vlans_on(const NetworkDevice& device) const {
  std::vector<std::string> out;
  for (const NetworkDevice& d : devices_)
    if (d.kind == Kind::vlan && d.below == device.name) out.push_back(d.name);
  return out;
}

std::string GroupNetwork::address(const NetworkAddress& a, bool with_prefix) const {
  std::string out = PatternText::mark(salt_, a.mark);
  if (with_prefix) out += '/', append_int(out, a.length);
  return out;
}

std::string GroupNetwork::via(const NetworkRoute& route) const {
  return route.through != 0 ? ipv4_text(route.through) : PatternText::mark(salt_, route.mark);
}

std::string GroupNetwork::way_out(const NetworkAddress& a) const { return a.routed() ? leaf(a) : ipv4_text(a.gateway); }

std::string GroupNetwork::leaf(const NetworkAddress& a) const {
  return a.routed() ? PatternText::mark(salt_, a.leaf) : std::string();
}

std::string GroupNetwork::with_mac(const NetworkDevice& device, std::string before, std::string behind) {
  if (!in_.inventory) return {};
  Mark mark;
  mark.device = static_cast<std::size_t>(&device - devices_.data()), mark.before = std::move(before),
  mark.behind = std::move(behind);
  marks_.push_back(std::move(mark));
  return PatternText::mark(salt_, marks_.size() - 1);
}

std::optional<std::uint64_t> GroupNetwork::mac(const NetworkDevice& device, std::int64_t member) const {
  if (!in_.inventory || device.kind != Kind::port || device.infiniband) return std::nullopt;
  return inventory_mac(in_, group_, member, in_.cluster.nodes[static_cast<std::size_t>(group_)].names.name(member),
                       device.name);
}

void GroupNetwork::append(const PatternText& text, std::int64_t member, std::string& out) const {
  text.append(out, [&](std::size_t mark, std::string& to) {
    const Mark& m = marks_[mark];
    if (m.network < 0) {
      if (const auto known = mac(devices_[m.device], member)) to += m.before, append_mac(to, *known), to += m.behind;
      return;
    }
    append_ipv4(m.leaf ? plan_.leaf_address(m.network, m.end_points, member, m.port)
                       : plan_.address(m.network, m.end_points, m.among > 0 ? member % m.among : member, m.port),
                to);
  });
}

void check_interface_names(const System& in, Findings& findings) {
  const Cluster& c = in.cluster;
  std::int64_t ports = 0, nodes = 0;
  std::string name, host, ipoib;
  SourceSpan at, ipoib_at;
  for (std::size_t g = 0; g < c.nodes.size(); ++g) {
    Findings of_network;  // said by the output
    const GroupNetwork network(in, static_cast<int>(g), of_network);
    for (std::int64_t i = 0; i < c.nodes[g].count; ++i) {
      std::int64_t missing = 0;
      for (const NetworkDevice& d : network.devices()) {
        if (d.kind != Kind::port || network.mac(d, i) || planned_port(c, static_cast<int>(g), d.name) != d.name)
          continue;          // the machine has the names of `link` already
        if (d.infiniband) {  // IPoIB has no address that a .link file could match: the image names them, or udev rules
                             // of the site
          if (ipoib.empty()) ipoib = d.name + "' on '" + c.nodes[g].names.name(i), ipoib_at = c.nodes[g].span;
          continue;
        }
        if (name.empty()) name = d.name, host = c.nodes[g].names.name(i), at = c.nodes[g].span;
        ++missing;
      }
      ports += missing, nodes += missing > 0;
    }
  }
  if (!ipoib.empty())
    findings
        .note("network-names-unmade", ipoib_at,
              "no output names InfiniBand ports: the names in their network configuration, such as '" + ipoib +
                  "', must exist on the machine")
        .help("name the ports in the image, or by your own udev rules with their GUIDs");
  if (ports == 0) return;
  findings
      .note("network-names-unmade", at,
            std::to_string(ports) + (ports == 1 ? " port of " : " ports of ") + std::to_string(nodes) +
                (nodes == 1 ? " node" : " nodes") + (ports == 1 ? " has" : " have") +
                " no MAC address in the inventory: " + (ports == 1 ? "its name" : "their names") +
                " in the network configuration, such as '" + name + "' on '" + host + "', must exist on the machine")
      .help("add an inventory row for each port, so that it is named by its MAC address: " + host + "," + name +
            ",94:6d:ae:00:00:01");
}

bool has_network_config(const System& in, int group) {
  Findings of_network;  // said by the output
  return !reads_netplan(in.cluster.nodes[static_cast<std::size_t>(group)]) &&
         !GroupNetwork(in, group, of_network).empty();
}

}  // namespace clusterc
