#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/network.h"

namespace clusterc {
namespace {

void rack_ports_face_wrong_side(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  if (!c.own_site) return;
  for (const NetworkModel& n : c.networks) {
    if (n.spec->ports_face.origin != Origin::spec) continue;
    const std::string_view side = enum_text(*n.spec->ports_face);
    std::vector<std::string> opposite;
    std::int64_t cables = 0;
    const NodeGroupModel* first = nullptr;
    Meters depth{0};
    for (const EndPoints& e : n.ends) {
      if (e.group < 0 || e.ports < 0 || e.members == 0) continue;
      const NodeGroupModel& g = c.nodes[static_cast<std::size_t>(e.group)];
      if (!is_ours(g)) continue;
      if (!g.server.part.nic_side) {
        findings.note(rule.id, g.server.span,
                      format("'{}' states no `nic_side`, so it was not checked whether the ports of network '{}' and "
                             "group '{}' face the same side",
                             g.server.id, n.name, g.name));
        continue;
      }
      if (*g.server.part.nic_side == side) continue;
      if (!first) first = &g;
      opposite.push_back(g.name);
      cables += e.members * e.ports_each;
      if (g.racks >= 0 && c.racks[static_cast<std::size_t>(g.racks)].part)
        depth = std::max(depth, c.racks[static_cast<std::size_t>(g.racks)].part->depth.value_or(Meters(0)));
    }
    if (!first) continue;
    Finding& f = findings.add(rule.severity, rule.id, n.spec->ports_face.span,
                              format("ports of network '{}' face the {}, but those of {} face the {}: {}{}", n.name,
                                     side, name_list(opposite, static_cast<std::int64_t>(opposite.size())),
                                     *first->server.part.nic_side, plural(cables, "cable"),
                                     depth.value > 0 ? format(" become {} longer, through the rack", to_text(depth))
                                                     : " must pass through the rack"));
    mention_unconfirmed(f, first->server.part.nic_side, format("the side of the ports of '{}'", first->server.id));
    f.help(format("write `ports_face: {}` and order the matching airflow, or plan a pass-through for the cables",
                  *first->server.part.nic_side));
    f.object("networks." + n.name);
  }
}

}  // namespace

extern const Rule kRackPortsFaceWrongSide;  // registry.cc names it
const Rule kRackPortsFaceWrongSide = {
    .id = "rack-ports-face-wrong-side",
    .code = "RACK-008",
    .severity = Severity::warning,
    .physics = false,
    .summary = "ports of switches and adapters are on opposite sides of the racks",
    .explanation = R"(## What it checks

The ports of a network's switches (`ports_face`) are on the side of the rack where the nodes have theirs (`nic_side`).

## Why it matters

Cables that go through the rack are longer by its depth and block its air, and a copper cable that just reached may
become too short.

## Formula

```
ports_face of the network = nic_side of each server on it;  else depth of the rack more for each cable
```

Unit: none. Sides are compared.

Source: manuals of servers and switches (catalogue). A switch is sold for either direction of air; turning it alone turns its air too.

## Example

`ports_face: front` for DGX H100 nodes, whose ports are at the rear.

## How to fix

Mount the switches the other way and order them with the matching airflow.

## When to accept

Where the cables are optical and a pass-through is planned.
)",
    .check = rack_ports_face_wrong_side,
};

}  // namespace clusterc
