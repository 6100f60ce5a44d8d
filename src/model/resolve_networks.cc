// Networks: kind, switches and rate, what they carry, and which ports of whom they connect.
#include <map>
#include <unordered_map>

#include "model/resolution.h"
#include "model/rounding.h"
#include "spec/network.h"

namespace clusterc {
namespace {

bool speaks(const NicPart* part, LinkKind kind) {
  if (!part || part->links.empty())
    return true;  // what could not be looked up was reported; a part without the fact is not held against it
  return std::any_of(part->links.begin(), part->links.end(), [&](const Value<LinkKind>& l) { return l.value == kind; });
}
bool speaks(const ServerModel& s, const PortSet& set, LinkKind kind) { return speaks(s.nics[set.nics].part, kind); }

// The slower end decides; 0 is not known.
BitsPerSecond link_rate(BitsPerSecond network, BitsPerSecond port) {
  if (network.value == 0) return port;
  if (port.value == 0) return network;
  return std::min(network, port);
}

struct Ends {
  Resolution& r;
  NetworkModel& net;

  std::vector<std::string_view> port_names(const ServerModel& s) const {
    std::vector<std::string_view> names;
    for (const PortSet& p : s.ports) names.push_back(p.name);
    return names;
  }

  // A count without a name: the ports that bear the network's own name, else 'data', else the only ones that speak its
  // language.
  int choose_ports(const NodeGroupModel& g, SourceSpan at, bool& reported) const {
    std::vector<int> fit;
    for (std::size_t i = 0; i < g.server.ports.size(); ++i)
      if (speaks(g.server, g.server.ports[i], net.kind)) fit.push_back(static_cast<int>(i));
    for (std::string_view wanted : {std::string_view(net.name), std::string_view("data")})
      for (int i : fit)
        if (g.server.ports[i].name == wanted) return i;
    if (fit.size() == 1) return fit[0];
    if (fit.empty() && (g.server.virtual_machine || g.server.instance)) return -1;  // the provider's own port
    reported = true;
    if (fit.empty()) {
      if (Finding* f = r.error("spec-no-fitting-port", at,
                               format("no adapter of group '{}' speaks {}, which network '{}' is", g.name,
                                      enum_text(net.kind), net.name)))
        f->note(g.span, "declared here").help("add an adapter: `nics: { data: … }`");
      return -1;
    }
    std::string names;
    for (int i : fit) names += format("{}'{}'", names.empty() ? "" : ", ", g.server.ports[i].name);
    r.missing(at, format("group '{}' has several groups of ports for network '{}': {}", g.name, net.name, names),
              format("write `{{ ports: {}, count: … }}`", g.server.ports[fit[0]].name));
    return -1;
  }

  void add_nodes(int group, const Connection& how, SourceSpan at) {
    const NodeGroupModel& g = r.cluster.nodes[group];
    EndPoints e;
    e.span = at;
    e.group = group;
    e.members = e.built_for = g.count;
    bool reported = false;
    if (how.ports) {
      for (std::size_t i = 0; i < g.server.ports.size(); ++i)
        if (g.server.ports[i].name == *how.ports) e.ports = static_cast<int>(i);
      if (e.ports < 0) {
        // Where the server itself was not found, its ports are not missing for a reason of their own.
        if (g.server.nics.empty() && !g.server.virtual_machine && !g.server.part.span.valid() && !g.server.part.name)
          return;
        r.unknown_name(*how.ports, how.ports.span, port_names(g.server), format("group of ports of '{}'", g.name));
        return;
      }
    } else if (how.all.value_or(false)) {
      for (std::size_t i = 0; i < g.server.nics.size(); ++i) {
        if (!speaks(g.server.nics[i].part, net.kind)) continue;
        for (std::size_t p = 0; p < g.server.ports.size(); ++p) {
          const PortSet& set = g.server.ports[p];
          if (set.nics != static_cast<int>(i)) continue;
          e.ports = static_cast<int>(p);
          e.ports_each = set.count;
          e.rate = link_rate(net.rate, set.rate);
          net.ends.push_back(e);
        }
      }
      return;
    } else {
      e.ports = choose_ports(g, at, reported);
      if (reported) return;
    }
    if (e.ports >= 0) {
      const PortSet& set = g.server.ports[e.ports];
      e.ports_each = how.count.value_or(set.count);
      e.rate = link_rate(net.rate, set.rate);
    } else {
      e.ports_each = how.count.value_or(1);
      e.rate = net.rate;
    }
    net.ends.push_back(e);
  }

  void add_storage(int storage, const Connection& how, SourceSpan at) {
    const StorageModel& s = r.cluster.storage[storage];
    if (s.nodes >= 0) return add_nodes(s.nodes, how, at);  // served by a node group: its nodes are the ends
    EndPoints e;
    e.span = at;
    e.storage = storage;
    e.members = e.built_for = s.count;
    if (s.count == 0) {
      if (Finding* f =
              r.error("spec-unknown-name", at,
                      format("storage '{}' is not part of this cluster, so network '{}' has no port to connect", s.name,
                             net.name)))
        f->help("leave it out of `connects`, or say which systems are bought: `servers: { model: …, count: … }`");
      return;
    }
    if (!s.part) return;  // reported
    std::int64_t ports = 0;
    BitsPerSecond rate{0};
    bool named = false;
    for (const NicSet& n : s.nics) {
      if (how.ports ? n.name != *how.ports : !speaks(n.part, net.kind)) continue;
      named = true;
      ports += n.count * (n.part ? n.part->ports.value_or(1) : 1);
      if (n.part && n.part->port_rate) rate = link_rate(rate, *n.part->port_rate);
    }
    if (!named) {
      std::vector<std::string_view> known;
      for (const NicSet& n : s.nics) known.push_back(n.name);
      if (how.ports)
        r.unknown_name(*how.ports, how.ports.span, known, format("group of ports of '{}'", s.name));
      else if (Finding* f =
                   r.error("spec-no-fitting-port", at,
                           s.nics.empty()
                               ? format("which adapters '{}' has is not known, so network '{}' has no port to connect",
                                        s.model, net.name)
                               : format("no adapter of '{}' speaks {}, which network '{}' is", s.model,
                                        enum_text(net.kind), net.name))) {
        f->note(s.span, "declared here");
        if (s.nics.empty())
          f->help(format("a part of your own says so: what `clusterc catalog {}` prints, with another `id` and `nics: "
                         "{{ data: {{ count: 2, model: cx7-400-qsfp112 }} }}`, in a folder of `parts`",
                         s.model))
              .help("or write the servers as a node group with `nics`, and `servers: { nodes: … }` here");
      }
      return;
    }
    e.ports_each = how.count.value_or(ports);
    if (e.ports_each > ports)
      r.error("spec-not-enough-ports", how.count.span,
              format("{} ports of each '{}' are asked for, it has {}", e.ports_each, s.model, ports));
    e.rate = link_rate(net.rate, rate);
    net.ends.push_back(e);
  }

  void add_all() {
    const Connects& connects = net.spec->connects;
    net.everything = connects.everything.value_or(false);
    for (const auto& c : connects.groups) {
      const int group = r.index_of(c.name, r.cluster.nodes), storage = r.index_of(c.name, r.cluster.storage);
      if (group >= 0) {
        add_nodes(group, c.value, c.name_span);
      } else if (storage >= 0) {
        add_storage(storage, c.value, c.name_span);
      } else {
        std::vector<std::string_view> known;
        for (const NodeGroupModel& g : r.cluster.nodes) known.push_back(g.name);
        for (const StorageModel& s : r.cluster.storage) known.push_back(s.name);
        r.unknown_name(c.name, c.name_span, known, "node group or storage");
      }
    }
    if (!net.everything) take_built_for();
    take_leaves();
    if (net.direct) check_direct();
  }

  void take_leaves() {
    int number = 0;
    for (const auto& own : net.spec->leaves) {
      for (const Value<std::string>& member : own.value.connects) {
        if (!member) continue;
        bool found = false;
        std::vector<std::string_view> known;
        for (EndPoints& e : net.ends) {
          const std::string& name = e.group >= 0 ? r.cluster.nodes[e.group].name : r.cluster.storage[e.storage].name;
          known.push_back(name);
          if (name != *member) continue;
          found = true;
          e.leaves = number;
        }
        if (!found) r.unknown_name(*member, member.span, known, format("member of network '{}'", net.name));
      }
      ++number;
    }
  }

  // Two ports and one cable.
  void check_direct() {
    std::int64_t ports = 0;
    for (const EndPoints& e : net.ends) ports += std::max(e.members, e.built_for) * e.ports_each;
    if (ports == 2 || net.ends.empty()) return;  // no members: reported
    if (Finding* f = r.error("spec-count-mismatch", net.spec->topology.span,
                             format("network '{}' is one cable between two ports, but connects {} port{}", net.name,
                                    ports, ports == 1 ? "" : "s")))
      f->note(net.spec->connects.span, "connected here").help("leave `topology` out, and write a `switch`");
  }

  void take_built_for() {
    if (net.spec->built_for.empty()) return;
    std::unordered_map<std::string_view, std::vector<EndPoints*>> ends;
    for (EndPoints& e : net.ends)
      ends[e.group >= 0 ? r.cluster.nodes[e.group].name : r.cluster.storage[e.storage].name].push_back(&e);
    for (const auto& b : net.spec->built_for) {
      if (!b.value) continue;
      if (r.index_of(b.name, r.cluster.nodes) < 0 && r.index_of(b.name, r.cluster.storage) < 0) {
        r.find(b.name, b.name_span, r.cluster.nodes, "node group");
        continue;
      }
      if (*b.value.value > kMaxNames) {
        r.error("spec-count-mismatch", b.value.span,
                format("network '{}' is built for {} of '{}': at most {} are planned", net.name, *b.value.value, b.name,
                       kMaxNames));
        continue;
      }
      const auto named = ends.find(b.name);
      if (named == ends.end()) continue;
      for (EndPoints* e : named->second) {
        if (*b.value.value < e->members) {
          if (Finding* f = r.error("spec-count-mismatch", b.value.span,
                                   format("network '{}' is built for {} of '{}', which has {}", net.name,
                                          *b.value.value, b.name, e->members)))
            f->note(e->span, "connected here");
        }
        e->built_for = std::max(e->built_for, *b.value.value);
      }
    }
  }
};

// Ports lie in sets; networks that are not one another's guests take them in turn. A port cannot have two cables.
void share_out_ports(Resolution& r) {
  struct Taken {
    int group, ports;
    std::int64_t used;
  };
  std::vector<Taken> taken;
  std::map<std::pair<int, int>, std::size_t> taken_at;           // group and ports
  std::map<std::tuple<int, int, int>, std::int64_t> host_ports;  // network, group and ports: the first port
  for (NetworkModel& net : r.cluster.networks) {
    std::unordered_map<std::string_view, const Connection*> connected;
    for (const auto& c : net.spec->connects.groups) connected.emplace(c.name, &c.value);
    for (EndPoints& e : net.ends) {
      if (e.group < 0 || e.ports < 0) continue;
      const NodeGroupModel& g = r.cluster.nodes[e.group];
      const PortSet& set = g.server.ports[e.ports];
      if (net.shares >= 0) {  // a VLAN or partition on the host network's ports
        if (const auto host = host_ports.find({net.shares, e.group, e.ports}); host != host_ports.end())
          e.first_port = host->second;
        continue;
      }
      const auto [at, fresh] = taken_at.emplace(std::pair(e.group, e.ports), taken.size());
      if (fresh) taken.push_back({e.group, e.ports, 0});
      Taken* const t = &taken[at->second];
      const auto written = connected.find(g.name);
      const Connection* how = written == connected.end() ? nullptr : written->second;
      // Without a count: what is left of the set.
      if (how && !how->count && t->used > 0 && t->used < set.count) e.ports_each = set.count - t->used;
      e.first_port = t->used;
      host_ports[{static_cast<int>(&net - r.cluster.networks.data()), e.group, e.ports}] = e.first_port;
      t->used += e.ports_each;
      const bool known = r.cluster.nodes[e.group].server.nics[set.nics].part != nullptr;
      if (t->used > set.count && known) {
        const SourceSpan place = how && how->count.span.valid() ? how->count.span : e.span;
        Finding* f = r.error("spec-not-enough-ports", place,
                             format("{} ports '{}' of each node of '{}' are asked for, there are {}", t->used, set.name,
                                    g.name, set.count));
        if (f && e.first_port > 0)
          f->help(
              format("networks before '{}' take {} of them; a network on the same ports says `shares_switches_with`",
                     net.name, e.first_port));
      }
    }
  }
  // Sets may overlap: `slot` is all ports of the cards whose first ports are `storage`.
  std::unordered_map<int, std::vector<std::size_t>> of_group;
  for (std::size_t i = 0; i < taken.size(); ++i) of_group[taken[i].group].push_back(i);
  for (std::size_t i = 0; i < taken.size(); ++i)
    for (const std::size_t j : of_group[taken[i].group]) {
      if (j <= i) continue;
      const NodeGroupModel& g = r.cluster.nodes[taken[i].group];
      const PortSet &a = g.server.ports[taken[i].ports], &b = g.server.ports[taken[j].ports];
      if (a.nics != b.nics || a.first_port + a.ports_each <= b.first_port ||
          b.first_port + b.ports_each <= a.first_port)
        continue;
      for (const NetworkModel& net : r.cluster.networks)
        for (const EndPoints& e : net.ends)
          if (net.shares < 0 && e.group == taken[j].group && e.ports == taken[j].ports)
            r.error("spec-port-used-twice", e.span,
                    format("'{}' and '{}' of group '{}' are the same ports of '{}'", a.name, b.name, g.name,
                           g.server.nics[a.nics].model));
    }
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
  if (r.cluster.own_site && !m.direct && !was_written(n.switch_model) && !was_written(n.shares_switches_with)) {
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
            format("{} links of {} are asked for on a port of '{}', which has {}", *n.breakout, to_text(m.rate),
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
                format("'bond' is {}, no member of network '{}' has more than {} port{}", *bond, m.name,
                       most.ports_each, most.ports_each == 1 ? "" : "s"));
  for (const EndPoints& e : m.ends)
    if (!f && e.ports_each > *bond && e.ports_each % *bond != 0)
      if ((f = r.error("spec-out-of-range", bond.span,
                       format("{} ports of a member make no whole bonds of {}", e.ports_each, *bond))))
        f->note(e.span, "connected here");
  if (f)
    f->help("use a `bond` that divides the number of ports of each member; each link of a bond goes to another switch");
}

// The management port of every server and bought storage system of ours, for a network that connects everything.
// Switches, PDUs and shelves are counted by the plan, which knows how many there are.
void add_management_ports(const Cluster& c, NetworkModel& m) {
  std::unordered_map<std::string_view, std::int64_t> wishes;
  if (m.spec)
    for (const auto& wish : m.spec->built_for)
      if (wish.value) wishes.emplace(wish.name, *wish.value);
  const auto built_for = [&](const std::string& name, std::int64_t count) {
    const auto wish = wishes.find(name);
    return wish == wishes.end() ? count : std::max(count, wish->second);
  };
  for (std::size_t g = 0; g < c.nodes.size(); ++g) {
    const ServerModel& server = c.nodes[g].server;
    if (!c.own_site || server.virtual_machine || server.instance || !server.part.bmc.value_or(true)) continue;
    m.ends.push_back({.span = c.nodes[g].span,
                      .group = static_cast<int>(g),
                      .members = c.nodes[g].count,
                      .ports_each = 1,
                      .built_for = built_for(c.nodes[g].name, c.nodes[g].count),
                      .rate = m.rate});
  }
  for (std::size_t s = 0; s < c.storage.size(); ++s)
    if (c.own_site && c.storage[s].part && c.storage[s].nodes < 0)
      m.ends.push_back({.span = c.storage[s].span,
                        .storage = static_cast<int>(s),
                        .members = c.storage[s].count,
                        .ports_each = 1,
                        .built_for = built_for(c.storage[s].name, c.storage[s].count),
                        .rate = m.rate});
}

// Whoever a network of nodes or storage leaves ports for has a management port, too.
void built_for_what_others_are(const Cluster& c, NetworkModel& m) {
  std::map<std::pair<int, int>, std::int64_t> most;  // group and storage
  for (const NetworkModel& n : c.networks)
    if (!n.everything)
      for (const EndPoints& o : n.ends) {
        std::int64_t& built_for = most[{o.group, o.storage}];
        built_for = std::max(built_for, o.built_for);
      }
  for (EndPoints& e : m.ends)
    if (const auto other = most.find({e.group, e.storage}); other != most.end())
      e.built_for = std::max(e.built_for, other->second);
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
    Ends{r, m}.add_all();
  }
  share_out_ports(r);
  for (NetworkModel& m : c.networks)
    if (m.everything) {
      if (m.ends.empty()) add_management_ports(c, m);
      built_for_what_others_are(c, m);
      Ends{r, m}.take_built_for();
    }
  for (std::size_t i = 0; i < c.networks.size(); ++i) {
    find_rails(c.spec.networks.entries[i].value, c, c.networks[i]);
    find_planes(r, c.spec.networks.entries[i], c.networks[i]);
    check_bond(r, c.networks[i]);
  }
}

}  // namespace clusterc
