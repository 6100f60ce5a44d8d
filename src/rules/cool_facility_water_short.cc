#include "plan/plan.h"
#include "plan/power/power.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/site.h"

namespace clusterc {
namespace {

void cool_facility_water_short(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  if (!c.own_site) return;
  for (std::size_t i = 0; i < c.zones.size() && i < in.plan.zones.size(); ++i) {
    const ZoneModel& z = c.zones[i];
    const Watts heat = in.plan.zones[i].heat;
    if (z.spec->method.value == CoolingMethod::liquid && heat.value > 0 &&
        (!z.spec->facility || !z.spec->facility->flow || !z.spec->facility->supply)) {
      const bool flow = z.spec->facility && z.spec->facility->flow,
                 supply = z.spec->facility && z.spec->facility->supply;
      if (!supply && !flow)
        findings
            .note(
                rule.id, z.span,
                format("loop '{}' states no `facility` water, so the approach of its CDUs and the flow for its {} were "
                       "not checked",
                       z.name, to_text(heat)))
            .help("write `facility: { supply: 30 C, flow: 1700 L/min }`")
            .object("zone/" + z.name);
      else if (supply)
        findings
            .note(rule.id, z.spec->facility->span,
                  format("loop '{}' states no `flow` of facility water, so it was not checked whether it removes {}",
                         z.name, to_text(heat)))
            .object("zone/" + z.name);
    }
    if (z.spec->method.value != CoolingMethod::liquid || !z.spec->facility || !z.spec->facility->flow ||
        heat.value <= 0)
      continue;
    const FacilityLoop& facility = *z.spec->facility;
    const std::optional<FacilityWater> water = facility_water(z, heat);
    if (!water) {
      // Facility water as warm as the returning coolant takes nothing at all: cool-cdu-undersized-at-approach has the
      // CDU at no approach.
      if (!facility.supply || !z.spec->supply)
        findings.note(rule.id, facility.flow.span,
                      format("loop '{}' states no {}, so it was not checked whether {} of facility water remove its {}",
                             z.name, facility.supply ? "`supply` temperature" : "`facility: { supply: … }`",
                             to_text(*facility.flow), to_text(heat)));
      continue;
    }
    if (!above(water->least_flow.value, facility.flow->value)) continue;
    Finding& f = findings.error(rule.id, facility.flow.span,
                                format("loop '{}' needs at least {} of facility water but has {}", z.name,
                                       to_text(water->least_flow), to_text(*facility.flow)));
    f.label(format("14.4 L/min for 1 kW at 1 K x {} / {}", to_text(heat), to_text(water->most_rise, 3)));
    f.note(facility.supply.span,
           format("facility water enters at {} and cannot leave warmer than the returning coolant: {}",
                  to_text(*facility.supply), to_text(water->coolant_back, 3)));
    f.note(z.spec->supply.span, format("the coolant is supplied at this temperature and warms up by {}",
                                       to_text(z.spec->rise.value_or(kCoolantRise))));
    f.help(format("supply more facility water: with only {}, the water would have to warm up by {}",
                  to_text(*facility.flow),
                  to_text(Kelvins(water->most_rise.value * (water->least_flow / *facility.flow)), 3)));
    f.object("zone/" + z.name);
  }
}

}  // namespace

extern const Rule kCoolFacilityWaterShort;  // registry.cc names it
const Rule kCoolFacilityWaterShort = {
    .id = "cool-facility-water-short",
    .code = "COOL-015",
    .severity = Severity::error,
    .physics = true,
    .summary = "the facility water flow is too small for the heat of the loop",
    .explanation = R"(## What it checks

The facility water of a liquid loop flows fast enough to remove the loop's heat without leaving warmer than the coolant
that returns.

## Why it matters

The flow and rating of the CDU do not include the building's side. With too little facility water, the loop's
temperature rises until the GPUs throttle, and no part of the cluster reports a fault.

## Formula

```
coolant comes back at  = loop supply + rise                           (10 K unless `rise` says otherwise)
facility water may rise by at most  coolant comes back - facility supply
flow [L/min] >= 14.4 x heat [kW] / that rise [K]
```

Unit: L/min on both sides; heat in kW, rise in K, temperatures in C.

Source: heat flows from warm to cold, in the best exchanger (counter flow) too; 14.4 = 60 / (density x specific heat) of water at 30 C, 4.17 kJ/(L K). A real exchanger needs more.

Error: a lower bound of the flow. By how much a real exchanger needs more is not known; k of water changes by less than
1 % from 15 C to 50 C.

## Example

306 kW behind `facility: { supply: 30 C, flow: 100 L/min }`, coolant supplied at 34 C and returning at 44 C: 315 L/min
at 14 K are needed; 100 L/min would leave at 74 C.

## How to fix

More or colder facility water, or a warmer loop where the equipment allows it.

## When to accept

Never: no heat exchanger can do it.
)",
    .check = cool_facility_water_short,
};

}  // namespace clusterc
