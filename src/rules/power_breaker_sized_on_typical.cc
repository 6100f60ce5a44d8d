#include "model/power.h"
#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/network.h"
#include "spec/nodes.h"

namespace clusterc {
namespace {

constexpr double kMatters = 0.01;  // of all equipment: a management switch of 98 W decides nothing (policy)

void power_breaker_sized_on_typical(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  if (!c.own_site) return;
  for (const NodeGroupModel& g : c.nodes) {
    const ServerModel& s = g.server;
    if (!is_ours(g) || g.count == 0 || g.spec->power_cap || !s.part.power || !s.part.power_typical ||
        s.part.power.origin != Origin::spec)
      continue;
    if (above(s.part.power->value, s.part.power_typical->value)) continue;
    Finding& f = findings.warning(
        rule.id, s.part.power.span,
        format("`power` of group '{}' is {}, not above its typical power of {}: breakers must be sized for the maximum",
               g.name, to_text(*s.part.power), to_text(*s.part.power_typical)));
    f.note(s.part.power_typical.span, "the typical power");
    mention_unconfirmed(f, s.part.power_typical, format("the typical power of '{}'", s.id));
    f.help("write the maximum power from the data sheet, or a `power_cap` that is enforced");
    f.object("nodes." + g.name);
  }
  for (const Fabric& fabric : in.plan.fabrics) {
    std::vector<const SwitchPart*> told;
    for (const FabricTier& t : fabric.tiers) {
      if (!t.part || t.count == 0 || t.part->power || !t.part->power_typical ||
          std::find(told.begin(), told.end(), t.part) != told.end())
        continue;
      if (switch_power(*t.part).value_or(Watts(0)) != *t.part->power_typical)
        continue;  // what its supplies deliver is counted
      if (t.part->power_typical->value * static_cast<double>(t.count) <= kMatters * in.plan.it_power.value) continue;
      told.push_back(t.part);
      const NetworkModel& n = c.networks[static_cast<std::size_t>(fabric.network)];
      Finding& f = findings.warning(
          rule.id, first_place(written(n.spec->switch_model), n.span),
          format("'{}' of network '{}' is planned at its typical power of {}: its maximum power is not stated", t.model,
                 n.name, to_text(*t.part->power_typical)));
      f.note(t.part->power_typical.span, format("network '{}' has {} of these switches", n.name, t.count));
      f.help("write the part's `power` from its data sheet, with optical modules in every port");
      f.object("networks." + n.name);
    }
  }
}

}  // namespace

extern const Rule kPowerBreakerSizedOnTypical;  // registry.cc names it
const Rule kPowerBreakerSizedOnTypical = {
    .id = "power-breaker-sized-on-typical",
    .code = "PWR-011",
    .severity = Severity::warning,
    .physics = false,
    .summary = "a typical power is used where the maximum power belongs",
    .explanation = R"(## What it checks

Racks, breakers and cooling are sized for maximum power: a node's `power` is above its `power_typical`, and switches
that make up more than 1 % of all power are not planned at their typical power.

## Why it matters

Training runs all nodes of a job at their maximum power in the same second, so the usual allowance for diversity does
not apply: forty nodes planned at 65 % draw 100 % at the breaker.

## Formula

```
power > power_typical, unless a power_cap is enforced
```

Unit: W on both sides.

Source: arithmetic; a diversity factor of 1 for synchronous jobs is policy.

Error: none beyond its inputs.

## Example

Four nodes of 10.2 kW entered with their typical 6.5 kW: 26 kW planned, 40.8 kW drawn.

## How to fix

Write the maximum power from the data sheet, or enforce a `power_cap`.

## When to accept

Where the figure written is the maximum that was measured under the site's own heaviest job.
)",
    .check = power_breaker_sized_on_typical,
};

}  // namespace clusterc
