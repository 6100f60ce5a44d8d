#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"

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

void check(const Rule& rule, const RuleInput& in, Findings& findings) {
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
    Finding& x =
        findings.add(bond > 1 ? Severity::warning : Severity::note, rule.id, bond > 1 ? n.spec->bond.span : n.span,
                     format("one {} joins {} of network '{}': its loss cuts off every member{}", t->word, joins, n.name,
                            bond > 1 ? format(", whose {} links end on {} leaves", bond, bond) : ""));
    x.label(format("{} of its {} ports carry all links up", links, t->ports));
    if (core)
      x.help(format("a core with fewer than {} ports (`tiers: {{ core: … }}`): there will be two", links));
    else
      x.help(
          format("a spine with fewer than {} ports (`tiers: {{ spine: … }}`), or more than {} links up (a lower "
                 "`oversubscription`): there will be two",
                 links, t->ports));
    x.object("networks." + n.name);
  }
}

}  // namespace

constexpr std::string_view kExplanation = R"(## What it checks

The leaves of a network are joined by more than one spine, and its pods by more than one core. A warning where members are bonded to several leaves, as they were to outlive
the loss of a switch; else a note. Networks of several planes are silent: what the other planes join lives on.

## Why it matters

The planner takes the fewest switches that carry the links. Where one spine has ports for all, its loss (or a new release on it) stops the whole network, and the second
leaf of each bond does not help.

## Formula

```
links up = leaves x links up of one
spines   = 1 where links up <= ports of a spine     more than one is wanted
```

Source: arithmetic; `plan --what-if spine:NAME` cuts off every member.

## Example

80 nodes with two links each on four leaves of 48 + 16 ports, at 3:1: 64 links up, and a spine has 64 ports.

## How to fix

A spine with fewer ports, or more links up by a lower oversubscription: at 2:1 four leaves of 42 + 22 ports have 88 links, on two spines.

## When to accept

Where the network may be gone for as long as it takes to change a switch.
)";

extern const Rule kNetSingleSpine;  // registry.cc names it
const Rule kNetSingleSpine = {
    .id = "net-single-spine",
    .code = "NET-024",
    .severity = Severity::warning,
    .physics = false,
    .summary = "one spine or core joins a whole network",
    .explanation = kExplanation,
    .check = check,
};

}  // namespace clusterc
