// Networks: kind, switches and rate, what they carry; network_ends.cc has which ports of whom they connect.
#include <algorithm>

#include "model/network_ends.h"
#include "model/resolution.h"
#include "model/rounding.h"
#include "spec/network.h"
#include "spec/nodes.h"

namespace clusterc {
namespace {

// The provider's own network, beside a site of one's own: all of its members are instances.
bool connects_instances(const Cluster& c, const Network& n) {
  const auto& members = n.connects.groups;
  return !members.empty() && std::all_of(members.begin(), members.end(), [&](const auto& member) {
    const auto* group = c.spec.nodes.find(member.name);
    return group && group->value.instance;
  });
}

void find_kind_and_switch(Resolution& r, Named<Network>& entry, NetworkModel& m) {
  Network& n = entry.value;
  m.switch_part = r.part(n.switch_model, PartKind::switch_, &Catalog::switch_);
  m.switch_model = n.switch_model.value_or("");
  m.racks = r.find(n.racks, r.cluster.racks, "rack group");
  for (const auto& tier : n.tiers) {
    if (tier.name != "spine" && tier.name != "core")
      r.unknown_name(tier.name, tier.name_span, {"spine", "core"}, "tier above the leaves");
    else
      m.tier_parts.emplace_back(tier.name, r.part(tier.value, PartKind::switch_, &Catalog::switch_));
  }
  if (n.kind)
    m.kind = *n.kind;
  else if (m.switch_part && m.switch_part->link) {
    m.kind = *m.switch_part->link;
    n.kind =
        Value<LinkKind>::derived(m.kind, format("'{}' is {}", m.switch_model, enum_text(m.kind)), n.switch_model.span);
  } else if (!was_written(n.kind) && !was_written(n.shares_switches_with) && !was_written(n.switch_model)) {
    r.missing(entry.name_span, format("network '{}' has neither kind nor switch", entry.name),
              "write `kind: ethernet`");
  }
  m.direct = n.topology && *n.topology == NetworkTopology::point_to_point;
  if (m.direct && (m.switch_part || was_written(n.shares_switches_with))) {
    if (Finding* f = r.error("spec-count-mismatch", n.topology.span,
                             format("network '{}' is one cable between two ports, but has a switch", m.name)))
      f->note(m.switch_part ? n.switch_model.span : n.shares_switches_with.span, "written here")
          .help("leave out `topology`, or the switch");
    m.direct = false;
  }
  if (r.cluster.own_site && !m.direct && !connects_instances(r.cluster, n) && !was_written(n.switch_model) &&
      !was_written(n.shares_switches_with)) {
    const double links = static_cast<double>(n.breakout.value_or(1));
    const std::string fitting = n.rate ? fitting_switch(r.catalog, m.kind, *n.rate * links) : std::string();
    r.missing(entry.name_span, format("network '{}' has no switch", entry.name),
              format("write `switch: {}`, or `shares_switches_with: …`", fitting.empty() ? "…" : fitting));
  }
}

// A guest takes kind, switches and rate from its host.
void find_host(Resolution& r, Named<Network>& entry, NetworkModel& m) {
  Network& n = entry.value;
  m.shares = r.find(n.shares_switches_with, r.cluster.networks, "network");
  if (m.shares < 0) return;
  NetworkModel& host = r.cluster.networks[m.shares];
  if (&host == &m || host.spec->shares_switches_with) {
    if (Finding* f = r.error("spec-network-shares-in-a-chain", n.shares_switches_with.span,
                             &host == &m ? format("network '{}' shares its own switches", m.name)
                                         : format("network '{}' has no switches of its own to share", host.name)))
      f->help("name the network that has the switches");
    m.shares = -1;
    return;
  }
  if (!n.kind)
    n.kind = Value<LinkKind>::derived(host.kind, format("as network '{}'", host.name), n.shares_switches_with.span);
  m.kind = *n.kind;
  if (!m.switch_part) {
    m.switch_part = host.switch_part;
    m.switch_model = host.switch_model;
  }
  if (m.racks < 0) m.racks = host.racks;
}

BitsPerSecond divided(BitsPerSecond rate, std::int64_t ways) {
  return rate / static_cast<double>(std::max<std::int64_t>(1, ways));
}

void find_rate(Resolution& r, Named<Network>& entry, NetworkModel& m) {
  Network& n = entry.value;
  const bool rejected = was_written(n.rate) && !n.rate.value && !n.rate.unknown;  // the reader has said so
  if (!was_written(n.rate) || rejected) {
    if (m.shares >= 0 && r.cluster.networks[m.shares].rate.value > 0)
      n.rate = Value<BitsPerSecond>::derived(r.cluster.networks[m.shares].rate,
                                             format("as network '{}'", r.cluster.networks[m.shares].name),
                                             n.shares_switches_with.span);
    else if (m.switch_part && m.switch_part->port_rate) {
      const std::int64_t ways = n.breakout.value_or(1);
      n.rate = Value<BitsPerSecond>::derived(
          divided(*m.switch_part->port_rate, ways),
          ways > 1 ? format("{} of '{}' / {} ways", to_text(*m.switch_part->port_rate), m.switch_model, ways)
                   : format("port rate of '{}'", m.switch_model),
          n.switch_model.span);
    } else if (!r.cluster.own_site &&
               !rejected) {  // without a switch on a site of one's own the switch is what is missing
      r.missing(entry.name_span, format("network '{}' has no rate", entry.name), "write `rate: 100 Gb/s`");
    }
  }
  m.rate = n.rate.value_or(BitsPerSecond{0});
  if (was_written(n.breakout) && m.switch_part && m.switch_part->breakout && *n.breakout > *m.switch_part->breakout)
    r.error("spec-out-of-range", n.breakout.span,
            format("a port of '{}' splits {} ways at most, {} are asked for", m.switch_model, *m.switch_part->breakout,
                   *n.breakout));
  else if (was_written(n.breakout) && m.switch_part && m.switch_part->port_rate && *n.breakout > 1 &&
           above(m.rate.value * static_cast<double>(*n.breakout), m.switch_part->port_rate->value))
    r.error("spec-out-of-range", n.breakout.span,
            format("{} links of {} are asked for on a port of '{}', but the port has {}", *n.breakout, to_text(m.rate),
                   m.switch_model, to_text(*m.switch_part->port_rate)));
  // A leaf may have ports for uplinks alone, faster than the others.
  const bool own_uplinks = m.switch_part && m.switch_part->uplinks.value_or(0) > 0 && m.switch_part->uplink_rate;
  const Value<BitsPerSecond> up_port = !m.switch_part ? Value<BitsPerSecond>()
                                       : own_uplinks  ? m.switch_part->uplink_rate
                                                      : m.switch_part->port_rate;
  if (n.uplink_rate && up_port && above(n.uplink_rate->value, up_port->value))
    r.error("spec-out-of-range", n.uplink_rate.span,
            format("`uplink_rate` is {}, but {} of '{}' has {}", to_text(*n.uplink_rate),
                   own_uplinks ? "an uplink port" : "a port", m.switch_model, to_text(*up_port)));
  else if (n.uplink_rate && above(m.rate.value, n.uplink_rate->value))
    r.error("spec-out-of-range", n.uplink_rate.span,
            format("`uplink_rate` is {}, but a node port of network '{}' has {}", to_text(*n.uplink_rate), m.name,
                   to_text(m.rate)));
  if (!was_written(n.breakout) && m.switch_part && m.switch_part->port_rate && m.rate.value > 0 && !m.everything) {
    const std::int64_t most = m.switch_part->breakout.value_or(1);
    const auto ways =
        std::clamp<std::int64_t>(static_cast<std::int64_t>(*m.switch_part->port_rate / m.rate + 1e-9), 1, most);
    n.breakout = Value<std::int64_t>::derived(ways,
                                              format("port of '{}' {} / {}, at most {} ways", m.switch_model,
                                                     to_text(*m.switch_part->port_rate), to_text(m.rate), most),
                                              n.rate.span);
  }
}

void find_traffic(Named<Network>& entry, NetworkModel& m) {
  Network& n = entry.value;
  if (n.carries.empty()) {
    Traffic t = m.kind == LinkKind::ethernet ? Traffic::inband : Traffic::compute;
    std::string why = format("{} without a name of its own", enum_text(m.kind));
    if (n.topology && (*n.topology == NetworkTopology::rail_optimised || *n.topology == NetworkTopology::rail_only)) {
      t = Traffic::compute;
      why = "rails join the ports of GPUs";
    }
    for (const auto& [traffic, name] : EnumNames<Traffic>::names)
      if (name == entry.name) {
        t = traffic;
        why = "the network's name";
      }
    if (n.connects.everything.value_or(false)) {
      t = Traffic::oob;
      why = "it connects every management port";
    }
    n.carries.push_back(Value<Traffic>::derived(t, why, entry.name_span));
  }
  for (const auto& t : n.carries)
    if (t && !m.carries_traffic(*t)) m.carries.push_back(*t);
}

// Rails: what the group with the most compute ports has. Only where the spec asks for rails.
void find_rails(Network& n, const Cluster& c, const NetworkModel& m) {
  if (was_written(n.rails) || !n.topology ||
      (*n.topology != NetworkTopology::rail_optimised && *n.topology != NetworkTopology::rail_only))
    return;
  const EndPoints* most = nullptr;
  for (const EndPoints& e : m.ends)
    if (e.group >= 0 && c.nodes[e.group].computes && (!most || e.ports_each > most->ports_each)) most = &e;
  if (most && most->ports_each > 0)
    n.rails = Value<std::int64_t>::derived(most->ports_each,
                                           format("ports of one node of '{}'", c.nodes[most->group].name), most->span);
}

// Planes: fabrics side by side that share no switch. Rail-only is a plane for each rail. A port that carries the rate
// of every plane at once is split over them; other members deal their ports out, port k to plane k modulo the planes.
void find_planes(Resolution& r, Named<Network>& entry, NetworkModel& m) {
  Network& n = entry.value;
  const bool rail_only = n.topology && *n.topology == NetworkTopology::rail_only;
  if (rail_only) {
    if (n.planes.origin == Origin::spec)
      r.error("spec-out-of-range", n.planes.span,
              format("network '{}' is rail-only, which is a plane for each of its rails already", m.name))
          ->help("leave `planes` out, or write `topology: rail-optimised`");
    else if (n.rails)
      n.planes = Value<std::int64_t>::derived(*n.rails, "rail-only: a plane for each rail", n.topology.span);
  }
  const std::int64_t planes = n.planes.value_or(1);
  if (planes <= 1) return;
  for (EndPoints& e : m.ends) {
    const ServerModel* server = e.group >= 0 ? &r.cluster.nodes[e.group].server : nullptr;
    const BitsPerSecond port = server && e.ports >= 0 && e.ports < static_cast<int>(server->ports.size())
                                   ? server->ports[e.ports].rate
                                   : e.rate;
    const BitsPerSecond all = m.rate * static_cast<double>(planes);
    if (!rail_only && m.rate.value > 0 && port.value >= all.value * (1 - 1e-9)) {
      e.split = planes;
      e.rate = all;
    } else if (e.ports_each > planes && e.ports_each % planes != 0) {
      if (Finding* f =
              r.error("spec-out-of-range", n.planes.span,
                      format("{} ports of a member cannot be dealt evenly over {} planes", e.ports_each, planes)))
        f->note(e.span, "connected here");
    } else if (e.ports_each < planes) {
      r.findings
          .warning("spec-planes-not-reached", e.span,
                   format("with {} of its ports in network '{}' a member reaches {} of {} planes", e.ports_each, m.name,
                          e.ports_each, planes))
          .help("a port for each plane; what has fewer is reached from nodes with a port in the same plane only");
    }
  }
}

// A bond is a link to each of so many switches: a member needs a port for each of them. Members with fewer (PDUs,
// single-homed ones) stay single.
void check_bond(Resolution& r, const NetworkModel& m) {
  const Value<std::int64_t>& bond = m.spec->bond;
  if (bond.value_or(1) < 2 || m.ends.empty()) return;
  const EndPoints& most = *std::max_element(
      m.ends.begin(), m.ends.end(), [](const EndPoints& a, const EndPoints& b) { return a.ports_each < b.ports_each; });
  Finding* f = nullptr;
  if (most.ports_each > 0 && most.ports_each < *bond)
    f = r.error("spec-out-of-range", bond.span,
                format("'bond' is {}, but no member of network '{}' has more than {} port{}", *bond, m.name,
                       most.ports_each, most.ports_each == 1 ? "" : "s"));
  for (const EndPoints& e : m.ends)
    if (!f && e.ports_each > *bond && e.ports_each % *bond != 0)
      if ((f = r.error("spec-out-of-range", bond.span,
                       format("{} ports of a member cannot be divided into bonds of {}", e.ports_each, *bond))))
        f->note(e.span, "connected here");
  if (f)
    f->help("use a `bond` that divides the number of ports of each member; each link of a bond goes to another switch");
}

}  // namespace

void resolve_networks(Resolution& r) {
  Cluster& c = r.cluster;
  c.networks.resize(c.spec.networks.size());  // guests may come before their hosts
  for (std::size_t i = 0; i < c.networks.size(); ++i) {
    Named<Network>& entry = c.spec.networks.entries[i];
    NetworkModel& m = c.networks[i];
    m.name = entry.name;
    m.span = entry.name_span;
    m.spec = &entry.value;
    m.everything = entry.value.connects.everything.value_or(false);
    find_kind_and_switch(r, entry, m);
  }
  for (std::size_t i = 0; i < c.networks.size(); ++i) find_host(r, c.spec.networks.entries[i], c.networks[i]);
  for (const bool guests : {false, true})
    for (std::size_t i = 0; i < c.networks.size(); ++i)
      if ((c.networks[i].shares >= 0) == guests) find_rate(r, c.spec.networks.entries[i], c.networks[i]);
  for (std::size_t i = 0; i < c.networks.size(); ++i) {
    NetworkModel& m = c.networks[i];
    find_traffic(c.spec.networks.entries[i], m);
    std::string error;
    if (m.spec->subnet)
      m.subnet = Ipv4Prefix::parse(*m.spec->subnet, error);  // a prefix that does not parse was reported by the reader
    connect_all(r, m);
  }
  share_out_ports(r);
  for (NetworkModel& m : c.networks)
    if (m.everything) {
      if (m.ends.empty()) add_management_ports(c, m);
      built_for_what_others_are(c, m);
      take_built_for(r, m);
    }
  for (std::size_t i = 0; i < c.networks.size(); ++i) {
    find_rails(c.spec.networks.entries[i].value, c, c.networks[i]);
    find_planes(r, c.spec.networks.entries[i], c.networks[i]);
    check_bond(r, c.networks[i]);
  }
}

}  // namespace clusterc
