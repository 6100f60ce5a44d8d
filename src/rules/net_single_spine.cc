#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/network.h"

namespace clusterc {
namespace {

// The switch whose loss leaves no way between the leaves of a pod, or between pods; nothing where each has a second
// one.
const FabricTier* alone(const Fabric& f) {
  if (f.tiers.size() < 2 || f.planes > 1) return nullptr;  // what other planes join lives on
  if (f.tiers.size() == 2) return f.tiers[1].count == 1 ? &f.tiers[1] : nullptr;
  if (f.spines_per_pod == 1 && f.leaves_per_pod > 1) return &f.tiers[1];
  return f.tiers[2].count == 1 ? &f.tiers[2] : nullptr;
}

void net_single_spine(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  for (const Fabric& f : in.plan.fabrics) {
    const FabricTier* t = alone(f);
    if (!t) continue;
    const NetworkModel& n = c.networks[static_cast<std::size_t>(f.network)];
    const bool core = t->word == "core";
    const FabricTier& below = f.tiers[core ? 1 : 0];
    const std::int64_t bond = n.spec->bond.value_or(1),
                       links = (core || f.tiers.size() == 2 ? below.count : f.leaves_per_pod) * below.up;
    const std::string joins = core                  ? plural(f.pods, "pod")
                              : f.tiers.size() == 2 ? format("the {} leaves", below.count)
                                                    : format("the {} leaves of each pod", f.leaves_per_pod);
    Finding& x = findings.add(
        bond > 1 ? Severity::warning : Severity::note, rule.id, bond > 1 ? n.spec->bond.span : n.span,
        format("one {} connects {} of network '{}': if it fails, {} cannot reach one another{}", t->word, joins, n.name,
               core                  ? "the pods"
               : f.tiers.size() == 2 ? "the leaves"
                                     : "the leaves of its pod",
               bond > 1 ? format(", although each member has {} links to {} leaves", bond, bond) : ""));
    x.label(format("{} of its {} ports carry all uplinks", links, t->ports));
    if (core)
      x.help(format("use a core with fewer than {} ports (`tiers: {{ core: … }}`), so that the plan has two", links));
    else
      x.help(format("write `spines: 2`: each leaf then has {} to each of the two spines",
                    plural((below.up + 1) / 2, "link")));
    x.object("networks." + n.name);
  }
}

}  // namespace

extern const Rule kNetSingleSpine;  // registry.cc names it
const Rule kNetSingleSpine = {
    .id = "net-single-spine",
    .code = "NET-024",
    .severity = Severity::warning,
    .physics = false,
    .summary = "one spine or core connects a whole network",
    .explanation = R"(## What it checks

More than one spine connects the leaves of a network, and more than one core connects its pods. It is a warning where
members are bonded to several leaves, because they are meant to survive the loss of a switch; else a note. Networks with
several planes are not reported: the other planes continue to work.

## Why it matters

The planner uses as few switches as carry the links. If one spine has ports for all, its loss (or a firmware upgrade)
stops the whole network, and the second leaf of each bond does not help.

## Formula

```
links up = leaves x links up of one
spines   = 1 where links up <= ports of a spine     more than one is wanted
```

Unit: links, ports and spines, all counted.

Source: arithmetic; `plan --what-if spine:NAME` cuts off every member.

Error: none beyond its inputs.

## Example

80 nodes with two links each on four leaves of 48 + 16 ports, at 3:1: 64 uplinks, and a spine has 64 ports.

## How to fix

Write `spines: 2`. A lower oversubscription gives more uplinks: at 2:1 four leaves of 42 + 22 ports have 88 of them, on
two spines.

## When to accept

Where the network may be down for as long as it takes to replace a switch.
)",
    .check = net_single_spine,
};

}  // namespace clusterc
