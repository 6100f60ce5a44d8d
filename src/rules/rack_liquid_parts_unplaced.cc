#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/site.h"

namespace clusterc {
namespace {

void rack_liquid_parts_unplaced(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  if (!c.own_site) return;
  for (std::size_t z = 0; z < c.zones.size(); ++z) {
    const ZoneModel& zone = c.zones[z];
    if (!zone.cdu || !zone.cdu->units || !zone.spec->cdus) continue;  // none, or units that stand on the floor
    const std::int64_t units = *zone.cdu->units, wanted = zone.spec->cdus->count.value_or(1);
    std::int64_t places = 0, racks = 0;
    std::string groups;
    for (const RackGroupModel& g : c.racks) {
      if (g.liquid != static_cast<int>(z) || !g.part || !g.part->units) continue;
      groups += format("{}'{}'", groups.empty() ? "" : ", ", g.name);
      racks += g.count;
      for (std::int64_t r = g.first; r < g.first + g.count; ++r) {
        std::int64_t next = 1;
        const auto gap = [&](std::int64_t end) {
          if (end >= next) places += (end - next + 1) / units;
        };
        for (const RackedDevice& d : in.plan.racks[static_cast<std::size_t>(r)].devices) {
          if (d.unit <= 0) continue;
          gap(d.unit - 1);
          next = std::max<std::int64_t>(next, d.unit + d.units);
          if (d.kind == DeviceKind::occupied && d.units == units) ++places;  // reserved for it
        }
        gap(*g.part->units);
      }
    }
    if (racks == 0) {
      if (std::any_of(c.assemblies.begin(), c.assemblies.end(),
                      [&](const AssemblyGroupModel& a) { return a.liquid == static_cast<int>(z); }))
        continue;
      findings.note(
          rule.id, zone.span,
          format("no rack group takes its coolant from '{}' (`liquid`), so the places of its {} were not checked",
                 zone.name, plural(wanted, "distribution unit")));
      continue;
    }
    if (places >= wanted) continue;
    Finding& f = findings.add(
        rule.severity, rule.id,
        first_place(zone.spec->cdus->count.origin == Origin::spec ? zone.spec->cdus->count.span : SourceSpan{},
                    zone.spec->cdus->model.span),
        format("{} of {} U each {} a place, but the racks of {} have {} left", plural(wanted, "distribution unit"),
               units, wanted == 1 ? "needs" : "need", groups, places == 0 ? "none" : std::to_string(places)));
    f.label(format("'{}', {} U", *zone.spec->cdus->model, units));
    mention_unconfirmed(f, zone.cdu->units, format("the height of '{}'", *zone.spec->cdus->model));
    f.help(
        format("use more racks or fewer nodes in each (`per_rack`); if a unit has a fixed place, write its {} U in "
               "`occupied` of the racks",
               units));
    f.object("site.cooling." + zone.name);
  }
}

}  // namespace

extern const Rule kRackLiquidPartsUnplaced;  // registry.cc names it
const Rule kRackLiquidPartsUnplaced = {
    .id = "rack-liquid-parts-unplaced",
    .code = "RACK-011",
    .severity = Severity::error,
    .physics = false,
    .summary = "the racks have no room for their coolant distribution units",
    .explanation = R"(## What it checks

Rack-mounted coolant distribution units have rack units in the racks that take their coolant.

## Why it matters

If the rack drawing is full of nodes, the unit that cools them has no place in it.

## Formula

```
free pieces of the unit's height + entries of `occupied` of just that height >= units in all
```

Unit: rack units on both sides.

Units without `units` stand on the floor and are not counted. Manifolds stand beside the rails and take none.

Source: geometry; data sheets (catalogue).

Error: none beyond its inputs.

## Example

One unit of 4 U and a rack of 42 U with ten nodes of 4 U: 2 U are left.

## How to fix

Put one node less in the rack, add a rack, or use a floor-standing unit.

## When to accept

Where the unit is in a rack that the spec does not show.
)",
    .check = rack_liquid_parts_unplaced,
};

}  // namespace clusterc
