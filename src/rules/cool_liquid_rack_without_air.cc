#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/site.h"

namespace clusterc {
namespace {

void cool_liquid_rack_without_air(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  if (!c.own_site) return;
  for (const AssemblyGroupModel& a : c.assemblies) {
    if (a.count == 0 || a.liquid < 0 || a.air >= 0 || !a.part || (a.spec->cooling && a.spec->cooling->air)) continue;
    const RackPlan& r = in.plan.racks[static_cast<std::size_t>(a.first)];
    const Watts left = r.heat - r.liquid_heat;
    if (!above(left.value, 0)) continue;
    Finding& f = findings.error(
        rule.id, a.spec->cooling ? a.spec->cooling->span : a.span,
        format("{} of the heat of each assembly of '{}' goes to the air, but the assembly has no cooling zone for air",
               to_text(left), a.name));
    f.label(format("{} x (1 - {})", to_text(r.heat), percent(a.part->liquid_share.value_or(0))));
    mention_unconfirmed(f, a.part->liquid_share, format("the liquid share of '{}'", a.model));
    f.help("write `cooling: { liquid: …, air: … }` with a zone for the heat that goes to the air");
    f.object("assemblies." + a.name);
  }
  for (const RackGroupModel& g : c.racks) {
    if (g.liquid < 0 || g.cooling >= 0 || (g.spec->cooling && !g.spec->cooling->empty())) continue;
    Watts left{0}, all{0};
    std::int64_t racks = 0;
    for (std::int64_t r = g.first; r < g.first + g.count; ++r) {
      const Watts here = in.plan.racks[r].heat - in.plan.racks[r].liquid_heat;
      left += here;
      all += in.plan.racks[r].heat;
      racks += above(here.value, 0);
    }
    if (racks == 0) continue;
    Finding& f = findings.error(
        rule.id, g.span,
        format("{} of the {} in the racks of '{}' goes to the air, but the racks have no cooling zone for air",
               to_text(left), to_text(all), g.name));
    for (const NodeGroupModel& n : c.nodes)
      if (n.racks >= 0 && &c.racks[n.racks] == &g && is_ours(n) && n.server.part.liquid_cooled.value_or(false) &&
          !n.server.part.liquid_share)
        f.note(first_place(in_spec(n.server.span, n), n.span),
               format("'{}' states no `liquid_share`, so all of its heat is counted as air", n.server.id));
    f.help("write `cooling` with a zone for the heat that goes to the air");
    f.object("racks." + g.name);
  }
}

}  // namespace

extern const Rule kCoolLiquidRackWithoutAir;  // registry.cc names it
const Rule kCoolLiquidRackWithoutAir = {
    .id = "cool-liquid-rack-without-air",
    .code = "COOL-009",
    .severity = Severity::error,
    .physics = false,
    .summary = "the heat that the coolant does not remove has no air cooling zone",
    .explanation = R"(## What it checks

Racks and assemblies on a coolant loop also have an air cooling zone for the heat that the coolant does not remove.

## Why it matters

Cold plates cover GPUs and processors. Adapters, drives, memory and power conversion still give a tenth to a quarter of
the heat to the room: 18 kW from a rack of 120 kW, as much as a full rack of ordinary servers.

## Formula

```
heat to the air = heat x (1 - liquid_share) > 0 needs a zone of air
```

Unit: W; `liquid_share` is a share.

Source: DGX GB200 user guide, hardware (which parts of a compute tray are cooled by air); liquid shares in the catalogue. How much air the zone gives is
cool-airflow-below-demand and cool-heat-rejection-undersized.

Error: none beyond its inputs. A server that states no `liquid_share` counts as all air.

## Example

An NVL72 rack of 120 kW with a liquid share of 85 % and `cooling: { liquid: loop }`: 18 kW go to the air.

## How to fix

Name an air cooling zone, and size it for the rest.

## When to accept

Where the maker states that everything is on cold plates. It is better to write `liquid_share: 1` in the part.
)",
    .check = cool_liquid_rack_without_air,
};

}  // namespace clusterc
