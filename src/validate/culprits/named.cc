#include "validate/culprits/named.h"

#include <map>

#include "base/format.h"
#include "base/index.h"
#include "plan/fabric/cabling.h"
#include "targets/collectives.h"

namespace clusterc {
namespace {

struct PortNames {
  std::string adapter, cable, switch_port;
};

class Namer {
 public:
  Namer(const Plan& plan, int group, const std::vector<std::int64_t>& members, const PairFabric& fabric,
        const NamingHelp& help)
      : plan_(plan), nodes_(plan.cluster->nodes[at(group)]), members_(members), fabric_(fabric), help_(help) {}

  void read_ports(int group, std::span<const Found>);
  NamedCulprit name(const Found&) const;

 private:
  std::string rate(double v) const { return v <= 0 ? "nothing" : to_text(v, Dimension::byte_rate); }
  const PortNames& port(std::int32_t node, std::int32_t rail) const {
    static const PortNames none;
    const auto found = ports_.find({node, rail});
    return found == ports_.end() ? none : found->second;
  }
  void place(NamedCulprit&, std::int32_t node) const;
  void say_what(const Found&, NamedCulprit&) const;

  const Plan& plan_;
  const NodeGroupModel& nodes_;
  const std::vector<std::int64_t>& members_;
  const PairFabric& fabric_;
  const NamingHelp& help_;
  std::map<std::pair<std::int32_t, std::int32_t>, PortNames> ports_;  // of the culprits, and of their evidence
};

// One walk over the links of the fabric.
void Namer::read_ports(int group, std::span<const Found> culprits) {
  for (const Found& c : culprits) {
    if (c.kind == CulpritKind::port) ports_[{c.node, c.rail}];
    for (const PairValue& v : c.evidence) ports_[{v.path.from, v.path.rail}];
  }
  const Cluster& cluster = *plan_.cluster;
  const int network = compute_ports(cluster, nodes_).network;
  if (network < 0 || ports_.empty()) return;
  std::map<std::pair<std::int64_t, std::int64_t>, PortNames*> wanted;
  for (auto& [key, names] : ports_) wanted[{members_[at(key.first)], key.second}] = &names;
  const int host = cluster.networks[at(network)].shares >= 0 ? cluster.networks[at(network)].shares : network;
  const Fabric& fabric = plan_.fabrics[at(host)];
  const Links links(plan_);
  links.each(host, [&](const PluggedLink& l) {
    if (l.block < 0) return false;  // behind the end points there are only switches
    const FabricBlock& block = fabric.blocks[at(l.block)];
    if (block.what != FabricBlock::What::ends || cluster.networks[at(block.network)].ends[at(block.end)].group != group)
      return true;
    const auto found = wanted.find({l.member, l.port});
    if (found == wanted.end()) return true;
    CableEnd near, far;
    links.near_end(l, near);
    links.far_end(l, far);
    found->second->adapter = near.port;
    found->second->switch_port = "port/" + far.object + "/" + far.port;
    plan_.cabling().name_cable(plan_.cabling().run(l), l, near, far, found->second->cable);
    return true;
  });
}

void Namer::place(NamedCulprit& out, std::int32_t node) const {
  const std::int64_t number = nodes_.first + members_[at(node)];
  out.node = fabric_.node_name(node);
  out.object = plan_.node_object(number);
  if (at(number) < plan_.node_rack.size() && plan_.node_rack[at(number)] >= 0) {
    out.rack = plan_.cluster->rack_name(plan_.node_rack[at(number)]);
    out.unit = plan_.node_unit[at(number)];
  }
  if (help_.serial) out.serial = help_.serial(out.node);
}

void Namer::say_what(const Found& c, NamedCulprit& out) const {
  const std::string rail = format("rail {}", c.rail + 1);
  switch (c.kind) {
    case CulpritKind::node:
      out.kind = "node";
      out.what = format("node {}: {} of its {} rails are slow", fabric_.node_name(c.node), c.members, fabric_.rails);
      out.next_step = "run the node stage on it: memory, PCI Express, clocks and other work";
      return;
    case CulpritKind::port:
      out.kind = "port";
      out.what = format("{} of {}{}: adapter, cable or switch port", rail, fabric_.node_name(c.node),
                        c.sends && c.receives ? ""
                        : c.sends             ? " (sending)"
                                              : " (receiving)");
      out.next_step =
          "read width, rate and error counters of both ends; then exchange the cable with that of another rail";
      return;
    case CulpritKind::rack_rail:
      out.kind = "rail of a rack";
      out.what = format("{} of rack {}: {} nodes on {}", rail, fabric_.rack_name(c.rack), c.members,
                        fabric_.leaf_name(c.leaf));
      out.next_step = "look at what these cables share: a bundle, a splitter, a line card of the leaf";
      return;
    case CulpritKind::leaf:
      out.kind = "leaf";
      out.what = format("{}: {} of its nodes' ports are slow", fabric_.leaf_name(c.leaf), c.members);
      out.object = fabric_.leaf_name(c.leaf);
      out.next_step = "read the health and the configuration of the switch";
      return;
    case CulpritKind::link:
      out.kind = "link";
      out.what = "link " + fabric_.link_name(c.link);
      out.next_step = "read width, rate and error counters of both ends";
      return;
    case CulpritKind::uplinks:
      out.kind = "uplinks";
      out.what = format("one or more of the {} uplinks of {}", fabric_.uplinks[at(c.leaf)], fabric_.leaf_name(c.leaf));
      out.object = fabric_.leaf_name(c.leaf);
      out.next_step = "read rate and load counters of the uplinks: transfers cannot be steered to one of them";
      return;
  }
}

NamedCulprit Namer::name(const Found& c) const {
  NamedCulprit out;
  say_what(c, out);
  if (c.node >= 0) place(out, c.node);
  if (c.kind == CulpritKind::rack_rail) out.rack = fabric_.rack_name(c.rack);
  if (c.kind == CulpritKind::port) {
    const PortNames& names = port(c.node, c.rail);
    out.adapter = names.adapter;
    out.cable = names.cable;
    out.switch_port = names.switch_port;
  }
  out.confidence = c.confidence;
  out.verdict = format("{} where peers have {}{}, with {} {}", rate(c.value), rate(c.peers),
                       c.value > 0 && c.peers > 0 ? format(" ({:.0f} %)", 100 * c.value / c.peers) : "", c.partners,
                       c.kind == CulpritKind::link      ? "pairs of nodes"
                       : c.kind == CulpritKind::uplinks ? "transfers"
                                                        : "partners that are good with others");
  for (const PairValue& v : c.evidence)
    out.evidence.push_back(format("round {}: {} to {}, rail {}: {}", v.round, fabric_.node_name(v.path.from),
                                  fabric_.node_name(v.path.to), v.path.rail + 1, rate(v.value)));
  if (help_.command && !c.evidence.empty()) {
    const PairPath& p = c.evidence.front().path;
    out.command = help_.command(fabric_.node_name(p.from), fabric_.node_name(p.to), port(p.from, p.rail).adapter);
  }
  return out;
}

}  // namespace

std::vector<NamedCulprit> name_culprits(const Plan& plan, int group, const std::vector<std::int64_t>& members,
                                        const PairFabric& fabric, std::span<const Found> culprits,
                                        const NamingHelp& help) {
  Namer namer(plan, group, members, fabric, help);
  namer.read_ports(group, culprits);
  std::vector<NamedCulprit> out;
  out.reserve(culprits.size());
  for (const Found& c : culprits) out.push_back(namer.name(c));
  return out;
}

}  // namespace clusterc
