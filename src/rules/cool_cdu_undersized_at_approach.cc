#include "model/rounded_up.h"
#include "plan/plan.h"
#include "plan/power/power.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/site.h"

namespace clusterc {
namespace {

void cool_cdu_undersized_at_approach(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  if (!c.own_site) return;
  for (std::size_t i = 0; i < c.zones.size() && i < in.plan.zones.size(); ++i) {
    const ZoneModel& z = c.zones[i];
    const Watts heat = in.plan.zones[i].heat;
    if (z.spec->method.value != CoolingMethod::liquid || !z.cdu || !z.cdu->heat || heat.value <= 0 || !z.spec->supply ||
        !z.spec->facility || !z.spec->facility->supply)
      continue;
    if (z.heat && above(heat.value, z.heat->value)) continue;  // cool-heat-rejection-undersized says so
    const CduSet& set = *z.spec->cdus;
    const std::string model = set.model.value_or("");
    const Kelvins approach(z.spec->supply->value - z.spec->facility->supply->value);
    if (!z.cdu->approach && approach.value > 0) {
      findings.note(
          rule.id, first_place(set.model.span, z.span),
          format("'{}' states no `approach` for its {}, so its heat removal at an approach of {} was not checked",
                 model, to_text(*z.cdu->heat), to_text(approach)));
      continue;
    }
    const std::int64_t running = std::max<std::int64_t>(0, set.count.value_or(1) - set.spare.value_or(0));
    const Watts each = z.cdu->approach ? heat_at_approach(*z.cdu->heat, *z.cdu->approach, approach) : Watts(0),
                all = each * static_cast<double>(running);
    if (!above(heat.value, all.value)) continue;
    Finding& f = findings.error(
        rule.id, z.spec->supply.span,
        format("loop '{}' receives {} of heat, but its CDUs remove about {} with coolant {} above the facility water",
               z.name, to_text(heat), to_text(all), to_text(approach)));
    if (z.cdu->approach)
      f.label(
          format("{} x {} x {} / {}", running, to_text(*z.cdu->heat), to_text(approach), to_text(*z.cdu->approach)));
    f.note(z.spec->facility->supply.span, "the facility water temperature");
    if (z.cdu->approach) mention_unconfirmed(f, z.cdu->approach, format("the approach of '{}'", model));
    mention_unconfirmed(f, z.cdu->heat, format("the rated heat of '{}'", model));
    if (z.cdu->approach && running > 0 && !above(heat.value, z.cdu->heat->value * static_cast<double>(running)))
      f.help(format("set the coolant supply to {} or more",
                    to_text(Celsius(rounded_up(z.spec->facility->supply->value +
                                               z.cdu->approach->value * heat.value /
                                                   (z.cdu->heat->value * static_cast<double>(running)))))));
    f.help("use more CDUs, or colder facility water");
    f.object("zone/" + z.name);
  }
}

}  // namespace

extern const Rule kCoolCduUndersizedAtApproach;  // registry.cc names it
const Rule kCoolCduUndersizedAtApproach = {
    .id = "cool-cdu-undersized-at-approach",
    .code = "COOL-007",
    .severity = Severity::error,
    .physics = false,
    .summary = "the CDUs remove less than the heat of the loop at its approach temperature",
    .explanation = R"(## What it checks

The coolant distribution units, without the spares, remove the heat of the loop at the actual temperature difference
between coolant and facility water.

## Why it matters

A CDU's rating holds at one approach temperature. With coolant only a few kelvin above the facility water, the heat
exchanger removes a fraction of its rating.

## Formula

```
approach        = coolant supply - facility water supply
heat of one CDU = rated heat x min(1, approach / rated approach)
heat of loop   <= (CDUs - spare) x heat of one
```

Unit: W on both sides; temperatures in C, approach in K.

Source: first order of a heat exchanger at constant flows (heat is proportional to the difference of the inlet temperatures); rated figures from the catalogue. No more than the rating
is ever counted.

Error: not known. The proportion holds for the flows and the fluid of the rating only.

## Example

A CDU of 250 kW rated at 10 K, run at 4 K: about 100 kW for 230 kW of load.

## How to fix

Use a warmer set point where the equipment allows it, colder facility water, or more CDUs.

## When to accept

Where the maker's selection sheet states the capacity at exactly this operating point.
)",
    .check = cool_cdu_undersized_at_approach,
};

}  // namespace clusterc
