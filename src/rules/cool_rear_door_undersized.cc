#include <string>
#include <vector>

#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/site.h"

namespace clusterc {
namespace {

// The racks of a zone whose air takes heat, and those of them that give more than a door removes.
struct Racks {
  std::int64_t warm = 0, over = 0, worst = -1;
  std::vector<std::string> names, objects;  // of those over
};

Watts air_heat(const Plan& plan, std::int64_t rack) {
  const auto r = static_cast<std::size_t>(rack);
  return plan.racks[r].heat - plan.racks[r].liquid_heat;
}

Racks racks_of(const RuleInput& in, int zone, Watts door) {
  Racks found;
  const auto look = [&](std::int64_t first, std::int64_t count) {
    for (std::int64_t r = first; r < first + count; ++r) {
      const Watts heat = air_heat(in.plan, r);
      if (heat.value <= 0) continue;
      ++found.warm;
      if (!above(heat.value, door.value)) continue;
      ++found.over;
      if (found.names.size() < 3) found.names.push_back(in.cluster.rack_name(r));
      found.objects.push_back("rack/" + in.cluster.rack_name(r));
      if (found.worst < 0 || heat > air_heat(in.plan, found.worst)) found.worst = r;
    }
  };
  for (const RackGroupModel& g : in.cluster.racks)
    if (g.cooling == zone) look(g.first, g.count);
  for (const AssemblyGroupModel& a : in.cluster.assemblies)
    if (a.air == zone) look(a.first, a.count);
  return found;
}

void cool_rear_door_undersized(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  if (!c.own_site) return;
  for (std::size_t i = 0; i < c.zones.size(); ++i) {
    const ZoneModel& z = c.zones[i];
    const std::int64_t doors = z.spec->units.value_or(1), running = doors - z.spec->spare.value_or(0);
    if (z.spec->method.value != CoolingMethod::rear_door || !z.heat || running <= 0) continue;
    const Watts door = *z.heat / static_cast<double>(running);
    const Racks racks = racks_of(in, static_cast<int>(i), door);
    if (doors < racks.warm) {
      Finding& f = findings.error(rule.id, first_place(written(z.spec->units), z.span),
                                  format("cooling zone '{}' has {} for {} that give heat to the air", z.name,
                                         plural(doors, "rear door"), plural(racks.warm, "rack")));
      f.help(format("write `units: {}`, or leave `units` out: each rack then has one door", racks.warm))
          .object("zone/" + z.name);
    }
    if (racks.worst < 0) continue;
    const Watts most = air_heat(in.plan, racks.worst);
    const SourceSpan at =
        first_place(z.spec->each ? written(z.spec->each->heat) : SourceSpan{}, written(z.spec->model), z.span);
    Finding& f = findings.error(rule.id, at,
                                format("{} {}, which removes {}", rack_list(racks.names, racks.over),
                                       racks.over == 1 ? format("gives {} to its rear door", to_text(most))
                                                       : format("give up to {} each to a rear door", to_text(most)),
                                       to_text(door)));
    f.label(sum_text(power_terms(in, racks.worst), Dimension::power));
    mention_unconfirmed(f, z.heat, "the heat that one door removes");
    f.help("use doors that remove more heat, or put fewer nodes in each rack");
    f.objects = racks.objects;
  }
}

}  // namespace

extern const Rule kCoolRearDoorUndersized;  // registry.cc names it
const Rule kCoolRearDoorUndersized = {
    .id = "cool-rear-door-undersized",
    .code = "COOL-017",
    .severity = Severity::error,
    .physics = false,
    .summary = "a rack gives more heat than its rear door removes, or has no door",
    .explanation = R"(## What it checks

In a zone of rear doors, each rack that gives heat to the air has a door, and its door removes that heat.

## Why it matters

A door cools only the air of its own rack. Spare capacity of one door does not help the next rack, whose hot exhaust is
drawn in again.

## Formula

```
heat of a rack to the air (power less the share of the coolant) <= heat that one door removes
racks that give heat <= doors
```

Unit: W on both sides; racks and doors are counted.

Source: conservation of energy; a rear-door heat exchanger takes the place of the rack's rear door (ASHRAE TC 9.9, "Water-Cooled Servers: Common Designs, Components, and Processes",
on rear-door heat exchangers; from general knowledge, not read).

Error: none beyond its inputs. A door's rating holds for its maker's temperatures of air and water, which are not
compared.

## Example

Racks of 34 kW behind doors of 23 kW; four doors for eight racks.

## How to fix

Use doors that remove more heat, one for each rack, or put fewer nodes in a rack.

## When to accept

Where the room itself removes the rest, and its cooling is not in the spec.
)",
    .check = cool_rear_door_undersized,
};

}  // namespace clusterc
