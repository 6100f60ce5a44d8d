// Which ports of whom a network connects, and who gets which.
#include "model/network_ends.h"

#include <map>
#include <unordered_map>

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
      else if (Finding* f = r.error(
                   "spec-no-fitting-port", at,
                   s.nics.empty() ? format("the adapters of '{}' are not known, so network '{}' has no port to connect",
                                           s.model, net.name)
                                  : format("no adapter of '{}' speaks {}, which network '{}' is", s.model,
                                           enum_text(net.kind), net.name))) {
        f->note(s.span, "declared here");
        if (s.nics.empty())
          f->help(format("define your own part in a folder of `parts`: copy what `clusterc catalog {}` prints, and "
                         "write another `id` and `nics: {{ data: {{ count: 2, model: cx7-400-qsfp112 }} }}`",
                         s.model))
              .help("or write the servers as a node group with `nics`, and `servers: { nodes: … }` here");
      }
      return;
    }
    e.ports_each = how.count.value_or(ports);
    if (e.ports_each > ports)
      r.error("spec-not-enough-ports", how.count.span,
              format("{} ports of each '{}' are asked for, but it has {}", e.ports_each, s.model, ports));
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
                format("network '{}' is built for {} members of '{}', but at most {} can be planned", net.name,
                       *b.value.value, b.name, kMaxNames));
        continue;
      }
      const auto named = ends.find(b.name);
      if (named == ends.end()) continue;
      for (EndPoints* e : named->second) {
        if (*b.value.value < e->members) {
          if (Finding* f = r.error("spec-count-mismatch", b.value.span,
                                   format("network '{}' is built for {} members of '{}', which has {}", net.name,
                                          *b.value.value, b.name, e->members)))
            f->note(e->span, "connected here");
        }
        e->built_for = std::max(e->built_for, *b.value.value);
      }
    }
  }
};

}  // namespace

void connect_all(Resolution& r, NetworkModel& m) { Ends{r, m}.add_all(); }

void take_built_for(Resolution& r, NetworkModel& m) { Ends{r, m}.take_built_for(); }

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
                             format("{} ports '{}' of each node of '{}' are asked for, but the node has {}", t->used,
                                    set.name, g.name, set.count));
        if (f && e.first_port > 0)
          f->help(
              format("networks before '{}' use {} of these ports; write `shares_switches_with` for a network on the "
                     "same ports",
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

}  // namespace clusterc
