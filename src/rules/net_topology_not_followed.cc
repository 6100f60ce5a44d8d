#include <algorithm>
#include <utility>

#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/network.h"
#include "spec/nodes.h"

namespace clusterc {
namespace {

// The first computing group on the network that states its scalable unit.
const NodeGroupModel* with_unit(const Cluster& c, const NetworkModel& n) {
  for (const EndPoints& e : n.ends)
    if (e.group >= 0)
      if (const NodeGroupModel& g = c.nodes[static_cast<std::size_t>(e.group)];
          g.computes && g.spec && written(g.spec->scalable_unit).valid())
        return &g;
  return nullptr;
}

bool rail_optimised(const NetworkModel& n) {
  return n.spec->topology && *n.spec->topology == NetworkTopology::rail_optimised;
}

// One switch where leaves and spines were asked for.
void one_switch(const Rule& rule, const Cluster& c, const Fabric& f, const NetworkModel& n, Findings& findings) {
  const Value<NetworkTopology>& topology = n.spec->topology;
  if (f.tiers.size() != 1 || f.switch_count() != 1 || !written(topology).valid()) return;
  if (*topology != NetworkTopology::rail_optimised && *topology != NetworkTopology::fat_tree) return;
  if (n.switch_part->uplinks.value_or(0) > 0) return;
  const NodeGroupModel* g = rail_optimised(n) ? with_unit(c, n) : nullptr;
  const bool several = g && g->count > *g->spec->scalable_unit;
  Finding& x = findings.add(several ? Severity::warning : Severity::note, rule.id, topology.span,
                            format("network '{}' is one switch instead of {}{}", n.name, enum_text(*topology),
                                   several ? format(" units of {}", plural(*g->spec->scalable_unit, "node"))
                                           : std::string(" leaves and spines")));
  x.label(format("{} on the {} ports of one '{}'", plural(f.end_ports_built_for, "end port"), f.tiers[0].ports,
                 n.switch_model));
  if (several) x.note(g->spec->scalable_unit.span, "the units are stated here");
  x.help(format("write `topology: single`, or `spines: 2` where leaves and spines are wanted"));
  x.object("networks." + n.name);
}

// A number that the spec asks for and the plan does not have.
void number(const Rule& rule, const NetworkModel& n, const Value<std::int64_t>& wish, std::int64_t planned,
            std::string_view key, std::string_view what, const std::string& label, Findings& findings) {
  if (!written(wish).valid() || !wish || *wish == planned) return;
  Finding& x = findings.error(rule.id, wish.span,
                              format("network '{}' is planned with {} {} instead of {}", n.name, planned, what, *wish));
  x.label(label);
  x.help(planned > 0 ? format("write `{}: {}`, or leave it out", key, planned) : format("leave `{}` out", key));
  x.object("networks." + n.name);
}

// Leaves of the nodes of one rack each, which are the first group's.
void leaf_of_each_rack(const Rule& rule, const Cluster& c, const Fabric& f, const NetworkModel& n, Findings& findings) {
  if (!n.spec->leaf_per_rack.value_or(false)) return;
  const NodeGroupModel* g = nullptr;
  for (const EndPoints& e : n.ends)
    if (e.group >= 0 && !g) g = &c.nodes[static_cast<std::size_t>(e.group)];
  const auto say = [&](std::string why, std::string help) -> Finding& {
    return findings
        .error(rule.id, n.spec->leaf_per_rack.span,
               format("`leaf_per_rack` of network '{}' cannot be planned: {}", n.name, std::move(why)))
        .help(std::move(help))
        .object("networks." + n.name);
  };
  if (f.rail_optimised)
    say("each leaf of a rail-optimised network connects one rail of several racks",
        "leave `leaf_per_rack` out, or write `topology: fat-tree`");
  else if (!g || !g->spec || !g->spec->per_rack)
    say(g ? format("the number of nodes of '{}' in a rack is not stated", g->name)
          : std::string("the network connects no nodes"),
        g ? "write `per_rack` in the node group" : "connect a node group, or leave `leaf_per_rack` out");
  else if (f.tiers.size() > 1 && f.unit != *g->spec->per_rack)
    say(format("the {} of a rack need more than the {} ports of a leaf, uplinks included",
               plural(*g->spec->per_rack, "node"), f.tiers[0].ports),
        "write a higher `oversubscription`, or use a larger switch")
        .note(g->spec->per_rack.span, "the number of nodes in one rack");
}

// A network on the switches of another has no leaves and spines of its own.
void guest(const Rule& rule, const Cluster& c, const NetworkModel& n, Findings& findings) {
  const Network& s = *n.spec;
  for (const auto& [key, at] :
       {std::pair{"topology", written(s.topology)}, std::pair{"spines", written(s.spines)},
        std::pair{"links_per_spine", written(s.links_per_spine)}, std::pair{"uplink_rate", written(s.uplink_rate)},
        std::pair{"core_oversubscription", written(s.core_oversubscription)},
        std::pair{"room_for_cores", written(s.room_for_cores)}, std::pair{"leaf_per_rack", written(s.leaf_per_rack)},
        std::pair{"pods", written(s.pods)},
        std::pair{"leaves", s.leaves.empty() ? SourceSpan{} : s.leaves.entries.front().name_span}})
    if (at.valid())
      findings
          .note(rule.id, at,
                format("network '{}' runs on the switches of '{}', so its `{}` has no effect", n.name,
                       c.networks[static_cast<std::size_t>(n.shares)].name, key))
          .help(format("write `{}` in network '{}'", key, c.networks[static_cast<std::size_t>(n.shares)].name))
          .object("networks." + n.name);
}

// Scalable units are those of rail-optimised leaves.
void unit_of_no_network(const Rule& rule, const RuleInput& in, const NodeGroupModel& g, Findings& findings) {
  if (!g.spec || !written(g.spec->scalable_unit).valid() || !is_ours(g)) return;
  bool connected = false;
  for (const Fabric& f : in.plan.fabrics) {
    const NetworkModel& n = in.cluster.networks[static_cast<std::size_t>(f.network)];
    for (const EndPoints& e : n.ends) {
      if (e.group < 0 || &in.cluster.nodes[static_cast<std::size_t>(e.group)] != &g || f.tiers.empty()) continue;
      if (f.rail_optimised || (n.spec->topology && *n.spec->topology == NetworkTopology::rail_optimised)) return;
      connected = true;
    }
  }
  if (connected)
    findings
        .note(rule.id, g.spec->scalable_unit.span,
              format("no rail-optimised network connects '{}', so its `scalable_unit` has no effect", g.name))
        .help("write `topology: rail-optimised` in the network of its jobs, or leave `scalable_unit` out")
        .object("nodes." + g.name);
}

// Leaves of their own are planned beside others, under spines that join all of them.
void own_leaves(const Rule& rule, const Fabric& f, const NetworkModel& n, Findings& findings) {
  if (n.spec->leaves.empty() || !f.leaf_groups.empty()) return;
  if (std::ranges::none_of(n.ends, [](const EndPoints& e) { return e.leaves >= 0; }))
    return;  // unknown names: reported
  const bool all = std::ranges::all_of(n.ends, [](const EndPoints& e) { return e.leaves >= 0; });
  findings
      .error(
          rule.id, n.spec->leaves.entries.front().name_span,
          all ? format(
                    "the separate leaves '{}' of network '{}' are not planned: no member is left for its other leaves",
                    n.spec->leaves.entries.front().name, n.name)
          : f.tiers.size() == 1
              ? format("network '{}' is planned {}without spines, so the separate leaves '{}' are not planned", n.name,
                       f.switch_count() == 1 ? "as one switch " : "", n.spec->leaves.entries.front().name)
              : format("network '{}' has three tiers, but separate leaves such as '{}' are planned only where there "
                       "are two",
                       n.name, n.spec->leaves.entries.front().name))
      .help(all ? "leave `leaves` out, and write its `oversubscription` on the network"
                : "leave `leaves` out, or use a larger switch")
      .object("networks." + n.name);
}

void net_topology_not_followed(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  for (const NodeGroupModel& g : c.nodes) unit_of_no_network(rule, in, g, findings);
  for (const NetworkModel& n : c.networks)
    if (n.spec && n.shares >= 0) guest(rule, c, n, findings);
  for (const Fabric& f : in.plan.fabrics) {
    const NetworkModel& n = c.networks[static_cast<std::size_t>(f.network)];
    if (!n.spec || !n.switch_part || f.tiers.empty()) continue;
    one_switch(rule, c, f, n, findings);
    const std::string wired =
        f.tiers.size() == 1 ? std::string("one tier has no spines")
                            : format("{} leaves of {} down and {} up, {} of {} ports", f.per_plane(0), f.tiers[0].down,
                                     f.tiers[0].up, plural(f.tiers[1].count, "spine"), f.tiers[1].ports);
    number(rule, n, n.spec->spines, f.tiers.size() == 1 ? 0 : f.spines_per_pod, "spines",
           f.tiers.size() > 2 ? "spines in each pod"
           : f.planes > 1     ? "spines in each plane"
                              : "spines",
           wired, findings);
    number(rule, n, n.spec->links_per_spine, f.links_per_pair, "links_per_spine", "links from each leaf to each spine",
           wired, findings);
    leaf_of_each_rack(rule, c, f, n, findings);
    own_leaves(rule, f, n, findings);
    // Uplink ports of management switches lead to the in-band network.
    if (const auto* spine = n.spec->tiers.find("spine");
        spine && n.everything && f.tiers.size() == 1 && n.switch_part->uplinks.value_or(0) > 0)
      findings
          .note(
              rule.id, spine->name_span,
              format("network '{}' connects everything, so its uplinks end on the in-band network and nothing follows "
                     "`tiers`",
                     n.name))
          .help("leave `tiers` out")
          .object("networks." + n.name);
    if (const Value<PodsOf>& pods = n.spec->pods; written(pods).valid() && *pods == PodsOf::rails && !f.rail_pods)
      findings
          .note(rule.id, pods.span,
                format("network '{}' has no {}, so its `pods` has no effect", n.name,
                       f.rail_optimised ? "core switches" : "rails"))
          .help("leave `pods` out")
          .object("networks." + n.name);
    const Value<double>& cores = n.spec->core_oversubscription;
    if (written(cores).valid() && f.tiers.size() < 3 && *cores > 1)
      findings
          .note(rule.id, cores.span,
                format("network '{}' has no core switches, so its `core_oversubscription` has no effect", n.name))
          .help("leave `core_oversubscription` out")
          .object("networks." + n.name);
    const Value<bool>& room = n.spec->room_for_cores;
    if (room.value_or(false) && f.tiers.size() != 2)
      findings
          .note(rule.id, room.span,
                f.tiers.size() > 2
                    ? format("network '{}' has core switches already, so its `room_for_cores` has no effect", n.name)
                    : format("network '{}' is one switch, so its `room_for_cores` has no effect", n.name))
          .help("leave `room_for_cores` out")
          .object("networks." + n.name);
  }
}

}  // namespace

extern const Rule kNetTopologyNotFollowed;  // registry.cc names it
const Rule kNetTopologyNotFollowed = {
    .id = "net-topology-not-followed",
    .code = "NET-028",
    .severity = Severity::error,
    .physics = false,
    .summary = "the planned fabric is not the one that the spec asks for",
    .explanation = R"(## What it checks

The planned fabric has what the spec asks of it: leaves and spines where `topology` names them, the units of
`scalable_unit`, the numbers in `spines` and `links_per_spine`, the pods of `pods`, and `leaves` of their own. A number
or leaves that the plan cannot have are an error. One switch in place of several rail-optimised units is a warning, in
place of other leaves and spines a note.

## Why it matters

The planner uses as few switches as carry the links. Who orders by the plan does not get the fabric that the spec names,
and the cables of one switch do not fit the leaves that follow later.

## Formula

```
one switch          where all end ports, at the size built for, fit on it and no `spines` are asked for
leaf                down + spines x links_per_spine <= ports
spine               leaves x links_per_spine <= ports
```

Unit: ports on both sides.

Source: arithmetic.

Error: none beyond its inputs.

## Example

16 nodes of eight ports in two units of eight (`scalable_unit: 8`, `topology: rail-optimised`) on a switch of 128 ports.

## How to fix

Write `spines` where leaves and spines are wanted, `topology: single` where one switch is. Write numbers that fit the
ports of leaf and spine.

## When to accept

Where one switch is as good as the units that the spec names.
)",
    .check = net_topology_not_followed,
};

}  // namespace clusterc
