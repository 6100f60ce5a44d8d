#include "model/inlet.h"
#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/site.h"

namespace clusterc {
namespace {

void cool_inlet_above_altitude_limit(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  if (!c.own_site || !c.spec.site || !c.spec.site->altitude || c.spec.site->altitude->value <= kInletDeratingFrom.value)
    return;
  const Value<Meters>& height = c.spec.site->altitude;
  for (const NodeGroupModel& g : c.nodes) {
    if (!is_ours(g) || g.racks < 0 || g.count == 0 || c.racks[g.racks].cooling < 0) continue;
    const ZoneModel& z = c.zones[c.racks[g.racks].cooling];
    const Value<Celsius>&supply = z.spec->supply, &high = g.server.part.inlet_max;
    if (!supply || !high || above(supply->value, high->value)) continue;  // cool-inlet-out-of-range speaks of both
    const Celsius limit = inlet_limit(*high, *height);
    if (!above(supply->value, limit.value)) continue;
    Finding& f = findings.error(
        rule.id, supply.span,
        format("cooling zone '{}' supplies {}, but at an altitude of {} '{}' of group '{}' allows at most {}", z.name,
               to_text(*supply), to_text(*height), g.server.id, g.name, to_text(limit)));
    f.label(format("{} - ({} - {}) / {:.0f} m per K", to_text(*high), to_text(*height), to_text(kInletDeratingFrom),
                   inlet_meters_per_kelvin(*high)));
    f.note(height.span, "the altitude of the site");
    mention_unconfirmed(f, high, format("the maximum inlet temperature of '{}'", g.server.id));
    f.help(format("lower the set point to {} or less", to_text(limit)));
    f.object("zone/" + z.name);
  }
}

}  // namespace

extern const Rule kCoolInletAboveAltitudeLimit;  // registry.cc names it
const Rule kCoolInletAboveAltitudeLimit = {
    .id = "cool-inlet-above-altitude-limit",
    .code = "COOL-005",
    .severity = Severity::error,
    .physics = false,
    .summary = "the supplied air is warmer than the inlet limit at this altitude",
    .explanation = R"(## What it checks

Above 900 m the maximum inlet temperature of each server falls with altitude, as its class requires. The zone supplies
no warmer air than that.

## Why it matters

Thin air removes less heat at the same fan speed. At 2,300 m a server that is rated up to 35 C needs air of 30.3 C or
less.

## Formula

```
limit = inlet_max - (height - 900 m) / d
d     = 300 m/K (inlet_max up to 35 C: classes A1, A2), 175 m/K (up to 40 C: A3), 125 m/K (above: A4)
```

Unit: C on both sides; height in m, d in m/K.

Source: ASHRAE TC 9.9, Thermal Guidelines for Data Processing Environments, 5th edition (2021), notes to table 2.1; the slopes from general knowledge of it. The class is
taken from the server's own inlet maximum.

Error: not known. The maker's own derating decides.

## Example

A hall at 33 C at 2,300 m with servers of class A2: 35 - 1,400 / 300 = 30.3 C.

## How to fix

Lower the set point, or use equipment of a wider class.

## When to accept

Where the server's maker allows more at this altitude in writing.
)",
    .check = cool_inlet_above_altitude_limit,
};

}  // namespace clusterc
