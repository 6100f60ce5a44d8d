#include "plan/plan.h"
#include "plan/power/power.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/site.h"

namespace clusterc {
namespace {

void cool_coolant_flow_too_small(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  if (!c.own_site) return;
  for (std::size_t i = 0; i < c.zones.size() && i < in.plan.zones.size(); ++i) {
    const ZoneModel& z = c.zones[i];
    const Watts heat = in.plan.zones[i].heat;
    if (z.spec->method.value != CoolingMethod::liquid || !z.cdu || heat.value <= 0) continue;
    const CduSet& set = *z.spec->cdus;
    if (!z.cdu->flow) {
      findings.note(rule.id, first_place(set.model.span, z.span),
                    format("'{}' states no `flow`, so the coolant for the {} of loop '{}' was not checked",
                           set.model.value_or(""), to_text(heat), z.name));
      continue;
    }
    const Fluid fluid = z.spec->fluid.value_or(Fluid::water);
    const Kelvins rise = z.spec->rise.value_or(kCoolantRise);
    const std::int64_t running = std::max<std::int64_t>(0, set.count.value_or(1) - set.spare.value_or(0));
    const LiquidFlow need = coolant_for(heat, rise, fluid), has = *z.cdu->flow * static_cast<double>(running);
    if (!above(need.value, has.value)) continue;
    const SourceSpan at = first_place(written(set.count), written(set.model), set.span);
    Finding& f = findings.error(rule.id, at,
                                format("loop '{}' needs {} of coolant, but its {} {} {}", z.name, to_text(need),
                                       plural(running, "CDU"), running == 1 ? "moves" : "move", to_text(has)));
    f.label(format("{} L/min for 1 kW at 1 K x {} / {}", fluid == Fluid::pg25 ? "15.1" : "14.4", to_text(heat),
                   to_text(rise)));
    if (z.spec->rise) f.note(z.spec->rise.span, "the coolant temperature rise allowed");
    if (set.spare.value_or(0) > 0) f.note(set.spare.span, format("{} of these may fail", plural(*set.spare, "CDU")));
    mention_unconfirmed(f, z.cdu->flow, format("the flow of '{}'", set.model.value_or("")));
    if (running > 0)
      f.help(
          format("at this flow the coolant warms up by {0}: write `rise: {0}` if the equipment allows it, or add CDUs",
                 to_text(Kelvins(rise.value * need.value / has.value), 3)));
    f.object("zone/" + z.name);
  }
}

}  // namespace

extern const Rule kCoolCoolantFlowTooSmall;  // registry.cc names it
const Rule kCoolCoolantFlowTooSmall = {
    .id = "cool-coolant-flow-too-small",
    .code = "COOL-006",
    .severity = Severity::error,
    .physics = false,
    .summary = "the CDUs move less coolant than the heat needs",
    .explanation = R"(## What it checks

The running coolant distribution units, without the spares, move enough coolant for the heat of the loop at the
temperature rise that the equipment allows.

## Why it matters

Cold plates are rated at a flow. With less, the coolant leaves too warm and the last GPUs in the row throttle, while the
CDU still shows spare capacity in kW.

## Formula

```
flow [L/min] = k x heat [kW] / rise [K],   k = 14.4 (water), 15.1 (pg25: 25 % propylene glycol)
flow <= (CDUs - spare) x flow of one
```

Unit: L/min on both sides; heat in kW, rise in K.

The rise is 10 K unless the loop's `rise` says otherwise.
Source: k = 60 / (density x specific heat) at 30 C, 4.17 and 3.97 kJ/(L K); the 10 K are a planning default.

Error: k of water changes by less than 1 % from 15 C to 50 C; that of pg25 is not known. Where the loop has no `rise`,
the flow goes with 1 / rise of a default.

## Example

115 kW of PG25 at 10 K: 173.7 L/min.

## How to fix

More or larger CDUs, or a larger `rise` that the equipment's maker allows.

## When to accept

Where the flow was agreed with the maker of the cold plates. It is better to write it as `rise`.
)",
    .check = cool_coolant_flow_too_small,
};

}  // namespace clusterc
