#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/site.h"

namespace clusterc {
namespace {

void cool_airflow_below_demand(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  if (!c.own_site) return;
  for (std::size_t i = 0; i < c.zones.size() && i < in.plan.zones.size(); ++i) {
    const ZoneModel& z = c.zones[i];
    const AirFlow need = in.plan.zones[i].airflow;
    const CoolingZone& s = *z.spec;
    if (s.method.value == CoolingMethod::liquid || need.value <= 0) continue;
    if (!z.airflow) {
      const bool knows_unit = s.airflow.unknown || (s.each && s.each->airflow.unknown);
      findings.note(
          rule.id, first_place(z.airflow.span, s.airflow.span, z.span),
          knows_unit
              ? format("the `airflow` of cooling zone '{}' is unknown{}, so the airflow of {} that its racks need was "
                       "not checked",
                       z.name, z.airflow.source.empty() ? "" : format(" ({})", z.airflow.source), to_text(need))
              : format("cooling zone '{}' has no `airflow`, so the airflow of {} that its racks need was not checked",
                       z.name, to_text(need)));
      continue;
    }
    if (!above(need.value, z.airflow->value)) continue;
    const SourceSpan at = first_place(written(s.airflow), s.each ? written(s.each->airflow) : SourceSpan{},
                                      written(s.units), written(s.model), z.span);
    Finding& f = findings.error(rule.id, at,
                                format("the racks of cooling zone '{}' need {} of air, but its units supply {}", z.name,
                                       to_text(need), to_text(*z.airflow)));
    f.label(z.airflow.origin == Origin::derived ? format("{} = {}", z.airflow.source, to_text(*z.airflow))
                                                : format("{} too little", to_text(need - *z.airflow)));
    if (c.spec.site->altitude && c.spec.site->altitude->value >= 100)
      f.note(c.spec.site->altitude.span,
             format("at an altitude of {} the air is thinner: the same heat needs more airflow",
                    to_text(*c.spec.site->altitude)));
    for (const NodeGroupModel& g : c.nodes)
      if (is_ours(g) && g.racks >= 0 && c.racks[g.racks].cooling == static_cast<int>(i) && g.server.airflow)
        mention_unconfirmed(f, g.server.airflow,
                            format("the airflow of '{}', {} for each of {}", g.server.id, to_text(*g.server.airflow),
                                   plural(g.count, "node")));
    f.help(format("add {}: use more units, containment, or fewer nodes in the zone", to_text(need - *z.airflow)));
    f.object("zone/" + z.name);
  }
}

}  // namespace

extern const Rule kCoolAirflowBelowDemand;  // registry.cc names it
const Rule kCoolAirflowBelowDemand = {
    .id = "cool-airflow-below-demand",
    .code = "COOL-001",
    .severity = Severity::error,
    .physics = false,
    .summary = "the racks of a zone draw more air than its units supply",
    .explanation = R"(## What it checks

The airflow of a zone's units, without the spares, covers the airflow that the devices in its racks draw.

## Why it matters

Server fans draw the air they need. If the room supplies less, they draw the rest from the hot side. The inlet
temperature at the top of the racks rises until nodes throttle.

## Formula

```
need of a device          = its data sheet's airflow, or P / (rho x cp x dT) with dT = 20 K
rho x cp                  = 1.20 kg/m3 x 1,005 J/(kg K) at sea level: 1 kW at 20 K takes 0.0415 m3/s (87.8 CFM)
at height h               x 1 / (1 - 2.25577e-5 x h[m])^5.2559
sum of the needs         <= (units - spare) x airflow of one unit
```

Unit: m3/s on both sides; P in W, dT in K, h in m.

Source: sensible heat of air; International Standard Atmosphere. 20 K is a planning default for devices that state no airflow.

Error: none beyond its inputs for devices that state their airflow. Not known for the others: their need goes with 1 /
dT, and 20 K is a default (at 15 K it is 1.33 times as much). Moisture of the air is left out.

## Example

40 kW of devices that state no airflow take 1.66 m3/s (3,510 CFM); two perforated tiles give 1,400 CFM.

## How to fix

Add airflow (units, tiles), containment or rear doors, or place fewer nodes in the zone.

## When to accept

Where inlet temperatures were measured under full load at the top of the racks and stay in range.
)",
    .check = cool_airflow_below_demand,
};

}  // namespace clusterc
