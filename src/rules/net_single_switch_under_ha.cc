#include <algorithm>
#include <string>
#include <vector>

#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/nodes.h"

namespace clusterc {
namespace {

void net_single_switch_under_ha(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  for (std::size_t i = 0; i < in.plan.fabrics.size(); ++i) {
    const Fabric& f = in.plan.fabrics[i];
    if (f.tiers.empty() || f.switch_count() != 1) continue;
    const NetworkModel& n = c.networks[static_cast<std::size_t>(f.network)];
    if (n.everything) continue;  // management ports: net-oob-incomplete-or-dependent
    std::vector<std::string> names;
    const NodeGroupModel* first = nullptr;
    std::int64_t nodes = 0;
    const auto count_ends = [&](const NetworkModel& of) {
      for (const EndPoints& e : of.ends) {
        if (e.group < 0) continue;
        const NodeGroupModel& g = c.nodes[static_cast<std::size_t>(e.group)];
        nodes += e.members;
        if (!g.spec->ha || g.count < 2 || std::ranges::find(names, g.name) != names.end()) continue;
        names.push_back(g.name);
        if (!first) first = &g;
      }
    };
    count_ends(n);
    for (const NetworkModel& guest : c.networks)
      if (guest.shares == f.network) count_ends(guest);
    if (!first) continue;
    findings
        .add(rule.severity, rule.id, n.span,
             format("network '{}' has one switch: its loss cuts off {}, among them all nodes of {}, whose service "
                    "should survive the loss of one device",
                    n.name, plural(nodes, "node"), name_list(names, static_cast<std::int64_t>(names.size()))))
        .note(first_place(first->spec->ha.span, first->span), format("`ha: {}`", enum_text(*first->spec->ha)))
        .help("use two switches, and `bond: 2` for nodes that must stay reachable")
        .object("networks." + n.name);
  }
}

}  // namespace

extern const Rule kNetSingleSwitchUnderHa;  // registry.cc names it
const Rule kNetSingleSwitchUnderHa = {
    .id = "net-single-switch-under-ha",
    .code = "NET-025",
    .severity = Severity::note,
    .physics = false,
    .summary = "services that survive the loss of a node depend on one switch",
    .explanation = R"(## What it checks

Nodes whose service survives the loss of one of them (`ha`) are not all connected to one switch of a network. A network
that connects everything (`connects: everything`) is left out: net-oob-incomplete-or-dependent checks it.

## Why it matters

Two controllers in fail-over share the switch: its loss, or its firmware upgrade, cuts off both at once.

## Formula

```
switches of the network = 1, and a group with `ha` has its nodes on it
```

Unit: none. The question is whether the network has one switch.

Source: `clusterc plan --what-if each` shows the same loss.

## Example

An in-band network of one switch, with two controllers and `ha: active-passive`.

## How to fix

Use two switches, and `bond: 2` for the nodes that must stay reachable.

## When to accept

It is a note and needs no acceptance.
)",
    .check = net_single_switch_under_ha,
};

}  // namespace clusterc
