#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/site.h"

namespace clusterc {
namespace {

// What each method is usually built for, in one rack. Policy, not physics. Contained air and in-row coolers with enough
// airflow: four DGX B300 of 14.5 kW in an air-cooled rack (DGX SuperPOD B300 reference architecture).
constexpr Watts kRoomAir{15e3}, kContained{30e3}, kInRow{58e3}, kRearDoor{70e3};

struct Limit {
  Watts watts{0};
  std::string why;
};

Limit limit_of(const ZoneModel& z, const ZoneLoad& load) {
  switch (*z.spec->method) {
    case CoolingMethod::room_air:
      return {kRoomAir, "room air mixes before it reaches the racks"};
    case CoolingMethod::contained_air:
      if (z.airflow && !above(load.airflow.value, z.airflow->value))
        return {kInRow, "contained air with sufficient airflow"};
      return {kContained, "contained air, sufficient airflow not confirmed"};
    case CoolingMethod::in_row:
      return {kInRow, "coolers between the racks"};
    case CoolingMethod::rear_door:
      return {kRearDoor, "a cooling coil in the door"};
    case CoolingMethod::liquid:
      break;
  }
  return {};
}

void cool_density_beyond_method(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  if (!c.own_site) return;
  for (std::size_t i = 0; i < c.zones.size() && i < in.plan.zones.size(); ++i) {
    const ZoneModel& z = c.zones[i];
    if (!z.spec->method || *z.spec->method == CoolingMethod::liquid) continue;
    const Limit limit = limit_of(z, in.plan.zones[i]);
    std::int64_t racks = 0, worst = -1;
    std::vector<std::string> names, objects;
    const auto air = [&](std::int64_t r) { return in.plan.racks[r].heat - in.plan.racks[r].liquid_heat; };
    const auto look = [&](std::int64_t first, std::int64_t count) {
      for (std::int64_t r = first; r < first + count; ++r) {
        if (!above(air(r).value, limit.watts.value)) continue;
        ++racks;
        if (names.size() < 3) names.push_back(c.rack_name(r));
        objects.push_back("rack/" + c.rack_name(r));
        if (worst < 0 || air(r) > air(worst)) worst = r;
      }
    };
    for (const RackGroupModel& g : c.racks)
      if (g.cooling == static_cast<int>(i)) look(g.first, g.count);
    for (const AssemblyGroupModel& a : c.assemblies)
      if (a.air == static_cast<int>(i)) look(a.first, a.count);
    if (worst < 0) continue;
    Finding& f =
        findings.warning(rule.id, z.spec->method.span,
                         format("{} {} {} to the air of zone '{}', but {} is usually built for {} per rack",
                                rack_list(names, racks), racks == 1 ? "gives" : "give up to", to_text(air(worst)),
                                z.name, enum_text(*z.spec->method), to_text(limit.watts)));
    f.label(limit.why);
    f.help(*z.spec->method == CoolingMethod::room_air
               ? "use contained aisles, rear doors or direct liquid cooling, or put fewer nodes in each rack"
               : "use rear doors or direct liquid cooling, or put fewer nodes in each rack");
    f.objects = std::move(objects);
  }
}

}  // namespace

extern const Rule kCoolDensityBeyondMethod;  // registry.cc names it
const Rule kCoolDensityBeyondMethod = {
    .id = "cool-density-beyond-method",
    .code = "COOL-002",
    .severity = Severity::warning,
    .physics = false,
    .summary = "a rack gives more heat to the air than its cooling method usually removes",
    .explanation = R"(## What it checks

The heat that one rack gives to the air is within the range for which the zone's cooling method is usually built.

## Why it matters

The total cooling of a hall can be sufficient while too little air reaches one rack. Above these densities hot air
recirculates to the inlets, and the top nodes throttle.

## Formula

```
heat of the rack to the air (power less the share of the coolant) <=
  15 kW room-air     30 kW contained-air, 58 kW where its airflow covers the demand     58 kW in-row     70 kW rear-door
```

Unit: W of each rack on both sides.

Source: policy, after published practice (factryze.ai scale atlas, kW of a rack by method); NVIDIA DGX SuperPOD B300 reference architecture: racks of about 56 kW cooled by air.

Error: not known. The limits are what is usual, not what is possible.

## Example

Racks of 56 kW in a hall with `method: room-air`.

## How to fix

Use containment, in-row coolers, rear doors or direct liquid cooling, or put fewer nodes in a rack.

## When to accept

Where the room was measured or simulated at this density.
)",
    .check = cool_density_beyond_method,
};

}  // namespace clusterc
