#include "system/switches.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/index.h"
#include "base/ip.h"
#include "base/text.h"
#include "model/group_ends.h"
#include "model/roce.h"
#include "model/routed.h"
#include "model/sonic_ports.h"
#include "plan/equipment.h"
#include "plan/fabric/bgp.h"
#include "plan/fabric/cabling.h"
#include "plan/fabric/fabric.h"
#include "plan/fabric/links.h"
#include "spec/software.h"
#include "system/dhcp.h"
#include "system/interfaces.h"
#include "system/name_servers.h"
#include "system/time_servers.h"

namespace clusterc {
namespace {

// Why a network that names an operating system has switches that are not configured; empty: they are.
std::string obstacle(const System& in, int network) {
  const NetworkModel& n = in.cluster.networks[at(network)];
  const Fabric& f = in.plan.fabrics[at(network)];
  if (n.kind != LinkKind::ethernet) return "they are not Ethernet";
  if (n.shares >= 0) return "they are those of network '" + in.cluster.networks[at(n.shares)].name + "'";
  if (f.switch_count() == 0) return "it has none of its own";
  if (n.everything) return "management switches must work before the compiled files can be copied to any switch";
  if (n.spec->bond.value_or(1) > 1)
    return "each bond ends on several switches, which then need EVPN multihoming or MC-LAG";
  if (has_loopbacks(in.plan, network))
    return loopback(in.plan, network, {0, 0}) != 0 ? "" : "its subnet has too few addresses";
  if (f.tiers.size() > 1)
    return n.subnet ? "there are several paths between two switches, and without BGP numbers no switch routes"
                    : "it has no subnet";
  return {};
}

std::vector<ConfiguredFabric> find_configured(const System& in) {
  std::vector<ConfiguredFabric> out;
  for (std::size_t i = 0; i < in.cluster.networks.size(); ++i) {
    const auto network = static_cast<int>(i);
    const NetworkModel& n = in.cluster.networks[i];
    if (n.spec && n.spec->switch_os && obstacle(in, network).empty())
      out.push_back({network, *n.spec->switch_os, has_member_links(in.plan, network)});
  }
  return out;
}

// The place of a port on the front. Split as the leaves' or the tier's ports are; uplinks that nothing else fits are
// cages of their own behind the others, and of an uplink over several parts the first gives the number (docs/names.md).
class Fronts {
 public:
  explicit Fronts(const Fabric& f) {
    for (std::size_t t = 0; t < f.tiers.size(); ++t) {
      const FabricTier& tier = f.tiers[t];
      Tier& of = tiers_.emplace_back();
      of.ports = tier.ports;
      if (!tier.part) continue;
      const std::int64_t ports = std::max<std::int64_t>(1, tier.part->ports.value_or(tier.ports)),
                         twin = tier.part->ports_per_cage.value_or(1);
      of.in_cage = std::max<std::int64_t>(1, tier.ports / ports) * twin;
      of.cages = (ports + twin - 1) / twin;
      of.lanes = std::max<std::int64_t>(1, lanes_of_cage(tier.part->connector.value_or("")));
      of.uplink_lanes = std::max<std::int64_t>(1, lanes_of_cage(tier.part->uplink_connector.value_or("")));
      if (t == 0 && !own_uplink_ports(f)) of.whole = f.uplink_ports;
    }
  }
  void place(SwitchRef sw, bool up, SwitchPort& p) const {
    const Tier& t = tiers_[at(sw.tier)];
    if (p.number > t.ports) {
      p.cage = t.cages + p.number - t.ports;
      p.lanes = t.uplink_lanes;
      p.first_lane = t.cages * t.lanes + (p.cage - t.cages - 1) * t.uplink_lanes;
      return;
    }
    const std::int64_t parts = up ? t.whole : 1;  // that this one takes
    p.cage = (p.number - 1) / t.in_cage + 1;
    p.ways = std::max<std::int64_t>(1, t.in_cage / parts);
    p.way = (p.number - 1) % t.in_cage / parts;
    p.lanes = std::max<std::int64_t>(1, t.lanes / p.ways);
    p.first_lane = (p.cage - 1) * t.lanes + p.way * p.lanes;
  }

 private:
  struct Tier {
    std::int64_t ports = 0, in_cage = 1, cages = 0, lanes = 1, uplink_lanes = 1, whole = 1;
  };
  std::vector<Tier> tiers_;
};

// Links by the switches that they end on.
struct LinksOfSwitches {
  std::vector<PluggedLink> links;
  struct End {
    std::uint32_t link;
    bool far;  // the switch is the link's far end
  };
  std::vector<End> ends;           // switch after switch
  std::vector<std::size_t> first;  // of each switch, and behind the last
};

LinksOfSwitches sort_links(const Plan& plan, const Links& all, int fabric) {
  const Fabric& f = plan.fabrics[at(fabric)];
  LinksOfSwitches out;
  const auto index = [&](SwitchRef r) { return at(plan.switch_number(fabric, r) - f.first_switch); };
  const auto take = [&](const PluggedLink& l) {
    if (l.far_fabric == fabric && l.far_block < 0 && l.far.tier >= 0) out.links.push_back(l);
    return true;
  };
  all.each(fabric, take);
  for (std::size_t o = 0; o < plan.fabrics.size(); ++o)
    if (static_cast<int>(o) != fabric && plan.fabrics[o].uplinks_to == fabric && plan.fabrics[o].uplink_cables > 0)
      all.each(static_cast<int>(o), [&](const PluggedLink& l) { return l.block >= 0 || take(l); });
  out.first.assign(at(f.switch_count()) + 1, 0);
  const auto near_here = [&](const PluggedLink& l) { return l.block < 0 && l.fabric == fabric; };
  for (const PluggedLink& l : out.links) {
    ++out.first[index(l.far) + 1];
    if (near_here(l)) ++out.first[index(l.near) + 1];
  }
  for (std::size_t s = 1; s < out.first.size(); ++s) out.first[s] += out.first[s - 1];
  out.ends.resize(out.first.back());
  std::vector<std::size_t> next(out.first.begin(), out.first.end() - 1);
  for (std::size_t i = 0; i < out.links.size(); ++i) {
    const PluggedLink& l = out.links[i];
    out.ends[next[index(l.far)]++] = {static_cast<std::uint32_t>(i), true};
    if (near_here(l)) out.ends[next[index(l.near)]++] = {static_cast<std::uint32_t>(i), false};
  }
  return out;
}

// One fabric, switch after switch.
class Emitter {
 public:
  Emitter(const System& in, const ConfiguredFabric& of)
      : in_(in),
        c_(in.cluster),
        plan_(in.plan),
        of_(of),
        network_(c_.networks[at(of.fabric)]),
        fabric_(plan_.fabrics[at(of.fabric)]),
        links_(plan_),
        fronts_(fabric_),
        by_switch_(sort_links(plan_, links_, of.fabric)) {
    for (const FabricTier& tier : fabric_.tiers)
      maps_.push_back(tier.part && of.os == SwitchOs::sonic ? SonicPortMap::of(*tier.part) : std::nullopt);
  }

  void each(const std::function<void(const ConfiguredSwitch&)>& take) {
    ConfiguredSwitch s;
    s.fabric = of_.fabric, s.routed = of_.routed, s.network = &network_;
    s.roce = carries_roce(c_, network_) ? roce_plan(c_, network_) : nullptr;
    const SwitchManagement reached = management_of(in_, of_.fabric);
    s.reached = &reached;
    if (of_.routed) s.prefixes = count_prefixes();
    for (std::int64_t i = 0; i < fabric_.switch_count(); ++i) {
      s.ref = plan_.switch_ref(of_.fabric, i);
      const FabricTier& tier = fabric_.tiers[at(s.ref.tier)];
      if (!tier.part) continue;
      s.object = plan_.switch_name(of_.fabric, s.ref);
      s.host = plan_.switch_host_name(of_.fabric, s.ref);
      s.tier = tier.word, s.model = tier.model, s.part = tier.part;
      s.management = plan_.switch_address(of_.fabric, s.ref);
      if (of_.routed) {
        s.asn = asn(s.ref);
        s.loopback = loopback(plan_, of_.fabric, s.ref);
        s.paths = paths(s.ref);
      }
      s.ports.clear();
      for (std::size_t e = by_switch_.first[at(i)]; e < by_switch_.first[at(i) + 1]; ++e)
        s.ports.push_back(port(s.ref, by_switch_.links[by_switch_.ends[e].link], by_switch_.ends[e].far));
      std::sort(s.ports.begin(), s.ports.end(),
                [](const SwitchPort& a, const SwitchPort& b) { return a.number < b.number; });
      take(s);
    }
  }

 private:
  std::int64_t asn(SwitchRef r) const { return *network_.spec->asn + bgp_number(fabric_, r); }

  // Up over every link; down to a switch over the links of the pair, and from a spine or core to one far below over
  // those and no more, as each lower switch is reached in one way (docs/names.md).
  std::int64_t paths(SwitchRef r) const {
    const std::int64_t up = r.tier == 0 ? fabric_.leaf_up(r.index) : fabric_.tiers[at(r.tier)].up;
    std::int64_t pair = 1;
    if (r.tier == 1) pair = fabric_.links_per_pair;
    for (const LeafGroup& g : fabric_.leaf_groups)
      if (r.tier == 1) pair = std::max(pair, g.links_per_pair);
    if (r.tier == 2) pair = fabric_.core_links_per_pair;
    const bool uses_up = r.tier + 1 < static_cast<int>(fabric_.tiers.size());
    return std::max<std::int64_t>({1, uses_up ? up : 0, pair});
  }

  std::int64_t count_prefixes() const {
    std::int64_t out = fabric_.switch_count();
    for (const EndPoints& e : network_.ends) out += std::max(e.members, e.built_for) * e.ports_each;
    return out;
  }

  SwitchPort port(SwitchRef sw, const PluggedLink& l, bool far) {
    SwitchPort p;
    p.number = far ? l.far_port : l.near_port;
    fronts_.place(sw, l.block < 0 && !far, p);
    p.rate = links_.rate(l);
    links_.near_end(l, near_);
    links_.far_end(l, far_);
    const Cabling::Run run = plan_.cabling().run(l);
    plan_.cabling().name_cable(run, l, near_, far_, p.cable);
    p.length = run.length;
    name_port(sw, p);
    p.mtu = network_.spec->mtu.value_or(0);
    if (l.block >= 0) {
      member(l, p);
    } else if (l.fabric != of_.fabric) {
      p.kind = SwitchPort::Far::equipment;
      p.far_host = plan_.switch_host_name(l.fabric, l.near);
      p.far_port = near_.port;
    } else {
      const SwitchRef other = far ? l.near : l.far;
      p.kind = SwitchPort::Far::switch_;
      p.far_host = plan_.switch_host_name(of_.fabric, other);
      SwitchPort there;
      there.number = far ? l.near_port : l.far_port;
      fronts_.place(other, far, there);
      there.rate = p.rate;
      name_port(other, there);
      p.far_port = switch_port_name(of_.os, there);
      p.far_front = there.front;
      if (of_.routed) p.far_asn = asn(other);
    }
    if (!of_.routed) set_vlans(l, p);
    return p;
  }

  void name_port(SwitchRef sw, SwitchPort& p) const {
    const std::optional<SonicPortMap>& map = maps_[at(sw.tier)];
    if (!map) return;
    if (auto port = map->port(p.cage, p.ways, p.way, p.rate))
      p.name = std::move(port->name), p.front = std::move(port->alias);
  }

  void member(const PluggedLink& l, SwitchPort& p) {
    const FabricBlock& b = fabric_.blocks[at(l.block)];
    if (b.what != FabricBlock::What::ends) {
      p.kind = SwitchPort::Far::equipment;
      p.far_host = equipment_host_name(plan_, b.what, b.of, l.member);
      p.far_port = near_.port;
      return;
    }
    const EndPoints& e = c_.networks[at(b.network)].ends[at(b.end)];
    if (e.group >= 0) {
      p.far_host = c_.nodes[at(e.group)].names.name(l.member);
      const std::vector<std::string>& names = port_names(e.group, b.network, b.end);
      p.far_port = at(l.port) < names.size() ? names[at(l.port)] : near_.port;
    } else {
      p.far_host = c_.storage[at(e.storage)].name + '-';
      append_int(p.far_host, l.member + 1);
      p.far_port = near_.port;
    }
    if (const auto& mtu = c_.networks[at(b.network)].spec->mtu) p.mtu = std::max(p.mtu, *mtu);
    if (of_.routed && b.network == of_.fabric) {
      p.address = plan_.leaf_address(b.network, b.end, l.member, l.port);
      p.far_address = plan_.address(b.network, b.end, l.member, l.port);
    }
  }

  // As the node calls its ports in this network.
  const std::vector<std::string>& port_names(int group, int network, int end) {
    const auto [known, is_new] = port_names_.try_emplace({group, network, end});
    if (is_new)
      for (const Interface& i : interfaces_of(c_, plan_, group))
        if (i.network == network && i.end_points == end) known->second = i.names;
    return known->second;
  }

  // A guest comes over the ports of its own members, or over those that they have in this network.
  void set_vlans(const PluggedLink& l, SwitchPort& p) const {
    if (l.block < 0) return;  // two links of a management switch: in one VLAN they would be a loop
    const FabricBlock& b = fabric_.blocks[at(l.block)];
    if (b.what != FabricBlock::What::ends) return;
    p.vlan = c_.networks[at(b.network)].spec->vlan.value_or(0);
    const EndPoints& here = c_.networks[at(b.network)].ends[at(b.end)];
    for (std::size_t n = 0; n < c_.networks.size(); ++n) {
      const NetworkModel& guest = c_.networks[n];
      if (guest.shares != of_.fabric || static_cast<int>(n) == b.network || !guest.spec->vlan) continue;
      for (std::size_t e = 0; e < guest.ends.size(); ++e) {
        const EndPoints& o = guest.ends[e];
        if (o.group != here.group || o.storage != here.storage || o.ports != here.ports ||
            fabric_.block_of(static_cast<int>(n), static_cast<int>(e)))
          continue;
        p.tagged.push_back(*guest.spec->vlan);
        p.mtu = std::max(p.mtu, guest.spec->mtu.value_or(0));
      }
    }
    std::sort(p.tagged.begin(), p.tagged.end());
    p.tagged.erase(std::unique(p.tagged.begin(), p.tagged.end()), p.tagged.end());
  }

  const System& in_;
  const Cluster& c_;
  const Plan& plan_;
  const ConfiguredFabric of_;
  const NetworkModel& network_;
  const Fabric& fabric_;
  const Links links_;
  const Fronts fronts_;
  const LinksOfSwitches by_switch_;
  std::vector<std::optional<SonicPortMap>> maps_;  // of the tiers
  std::map<std::tuple<int, int, int>, std::vector<std::string>> port_names_;
  CableEnd near_, far_;
};

// Time servers that are names of others: DHCP tells addresses only, SONiC asks a name server.
void add_named_servers(const System& in, SwitchManagement& m) {
  const std::vector<OwnTimeServer> own = own_time_servers(in);
  const auto& all = in.cluster.spec.software->time_servers;
  for (const auto& server : all) {
    const bool name = server && !parse_ipv4(*server) && server->find(':') == std::string::npos &&
                      std::none_of(own.begin(), own.end(), [&](const OwnTimeServer& o) { return o.server == *server; });
    if (name && m.gateway != 0 && !m.name_servers.empty()) m.time_servers.push_back(*server);
  }
  m.time_servers_left = static_cast<std::int64_t>(all.size()) - static_cast<std::int64_t>(m.time_servers.size());
}

}  // namespace

SwitchManagement management_of(const System& in, int fabric) {
  SwitchManagement out;
  const auto is_here = [&](const AddressPlan& a) {
    return in.cluster.networks[at(a.network)].everything &&
           std::any_of(a.equipment.begin(), a.equipment.end(), [&](const EquipmentAddresses& e) {
             return e.what == FabricBlock::What::switches && e.of == fabric;
           });
  };
  const auto here = std::find_if(in.plan.addresses.begin(), in.plan.addresses.end(), is_here);
  if (here != in.plan.addresses.end()) {
    out.subnet = here->subnet;
    for (const DhcpNetwork& n : dhcp_networks(in))
      if (n.index == here->network) {
        out.gateway = n.router;
        out.time_servers = dhcp_time_servers(in, n);
        out.name_servers = dhcp_name_servers(in, n);
      }
  }
  add_named_servers(in, out);
  return out;
}

const std::vector<ConfiguredFabric>& configured_fabrics(const System& in) {
  return in.memo.get("configured fabrics", [&] { return find_configured(in); });
}

void each_switch(const System& in, const ConfiguredFabric& fabric,
                 const std::function<void(const ConfiguredSwitch&)>& take) {
  Emitter(in, fabric).each(take);
}

std::string switch_port_name(SwitchOs os, const SwitchPort& p) {
  if (!p.name.empty()) return p.name;
  std::string out;
  switch (os) {
    case SwitchOs::sonic:
      out = "Ethernet";
      append_int(out, p.first_lane);
      break;
    case SwitchOs::cumulus:
      out = "swp";
      append_int(out, p.cage);
      if (p.ways > 1) out += 's', append_int(out, p.way);
      break;
  }
  return out;
}

// SFF-8402 (SFP: one lane), SFF-8665 (QSFP: four), QSFP-DD MSA and OSFP MSA (eight).
std::int64_t lanes_of_cage(std::string_view connector) {
  if (connector.starts_with("osfp") || connector.starts_with("qsfp-dd")) return 8;
  if (connector.starts_with("qsfp")) return 4;
  if (connector.starts_with("sfp") || connector == "rj45") return 1;
  return 0;
}

std::string_view switch_output(SwitchOs os) { return os == SwitchOs::cumulus ? "cumulus" : "sonic"; }

bool makes_switches(const System& in, int network) {
  const std::vector<ConfiguredFabric>& all = configured_fabrics(in);
  return std::ranges::any_of(
      all, [&](const ConfiguredFabric& f) { return f.fabric == network && in.makes(switch_output(f.os)); });
}

void check_switches(const System& in, Findings& findings) {
  constexpr std::string_view kRule = "switches-unmade";
  const Cluster& c = in.cluster;
  for (std::size_t i = 0; i < c.networks.size(); ++i) {
    const NetworkModel& n = c.networks[i];
    if (!n.spec || !n.spec->switch_os) continue;
    const std::string why = obstacle(in, static_cast<int>(i));
    if (why.empty()) continue;
    auto& f = findings.warning(kRule, n.spec->switch_os.span,
                               "no output configures the switches of network '" + n.name + "': " + why);
    if (n.shares < 0 && in.plan.fabrics[i].tiers.size() > 1 && !n.spec->asn && n.subnet)
      f.help("give the network a first BGP number, such as `asn: 4200000000`: then its leaves route");
    else
      f.help("leave `switch_os` out, and set these switches up by hand");
  }
  for (const ConfiguredFabric& of : configured_fabrics(in)) {
    const NetworkModel& n = c.networks[at(of.fabric)];
    for (const NetworkModel& guest : c.networks)
      if (of.routed && guest.shares == of.fabric)
        findings
            .warning(kRule, guest.span,
                     "no output configures network '" + guest.name + "' on the switches of '" + n.name +
                         "': its leaves route, and a second network on them needs VXLAN")
            .help("give '" + guest.name + "' switches of its own, or set it up by hand");
    for (std::size_t o = 0; o < in.plan.fabrics.size(); ++o)
      if (in.plan.fabrics[o].uplinks_to == of.fabric && in.plan.fabrics[o].uplink_cables > 0)
        findings
            .warning(kRule, c.networks[o].span,
                     "no output configures the uplinks of network '" + c.networks[o].name + "' into the " +
                         (of.routed ? "leaves of '" + n.name + "', which route" : "switches of '" + n.name + "'"))
            .help(of.routed ? "give these ports of the leaves addresses and a route by hand"
                            : "join the ports of these uplinks in one link aggregate (LACP) of their VLAN by hand: as "
                              "separate links they are a loop");
  }
}

}  // namespace clusterc
