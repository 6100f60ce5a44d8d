#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/site.h"

namespace clusterc {
namespace {

void cool_heat_rejection_undersized(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  if (!c.own_site) return;
  for (std::size_t i = 0; i < c.zones.size() && i < in.plan.zones.size(); ++i) {
    const ZoneModel& z = c.zones[i];
    const ZoneLoad& load = in.plan.zones[i];
    if (load.heat.value <= 0) continue;
    const bool by_cdu = z.cdu != nullptr;
    if (!z.heat) {
      const std::string key = by_cdu   ? format("'{}' states no `heat`", z.spec->cdus->model.value_or(""))
                              : z.part ? format("'{}' states no `heat`", z.spec->model.value_or(""))
                                       : "`each: { heat: … }` is not written";
      findings.note(rule.id, z.span,
                    format("cooling zone '{}' receives {} of heat and {}{}, so it was not checked", z.name,
                           to_text(load.heat), key, z.heat.source.empty() ? "" : format(" ({})", z.heat.source)));
      continue;
    }
    if (!above(load.heat.value, z.heat->value)) continue;
    const CoolingZone& s = *z.spec;
    if (s.method.value == CoolingMethod::rear_door && s.spare.value_or(0) == 0)
      continue;  // each door by itself: cool-rear-door-undersized
    const std::int64_t units = by_cdu ? s.cdus->count.value_or(1) : s.units.value_or(1),
                       spare = by_cdu ? s.cdus->spare.value_or(0) : s.spare.value_or(0);
    const SourceSpan at =
        by_cdu ? first_place(written(s.cdus->count), written(s.cdus->model), s.cdus->span)
               : first_place(written(s.units), s.each ? written(s.each->heat) : SourceSpan{}, written(s.model), z.span);
    Finding& f = findings.error(
        rule.id, at,
        format("cooling zone '{}' must remove {} but can remove only {}{}", z.name, to_text(load.heat),
               to_text(*z.heat),
               spare > 0 ? format(" without {}", plural(spare, by_cdu ? "spare CDU" : "spare unit")) : ""));
    f.label(format("{} = {}", z.heat.source, to_text(*z.heat)));
    mention_unconfirmed(f,
                        by_cdu   ? z.cdu->heat
                        : z.part ? z.part->heat
                                 : Value<Watts>{},
                        format("the heat that one unit removes"));
    const std::int64_t running = units - spare;
    if (running > 0 && z.heat->value > 0) {
      const double each = z.heat->value / static_cast<double>(running);
      const auto needed = static_cast<std::int64_t>(std::max(1.0, (load.heat.value - kRounding) / each));
      const std::int64_t full = static_cast<double>(needed) * each + kRounding < load.heat.value ? needed + 1 : needed;
      f.help(format("use {}: {} x {} with {} spare", plural(full + spare, by_cdu ? "CDU" : "unit"), full,
                    to_text(Watts(each)), spare));
    } else if (running <= 0) {
      f.help("declare fewer spares: all units are spares, so none is left to run");
    }
    f.object("zone/" + z.name);
  }
  // Heat that goes nowhere.
  for (const RackGroupModel& g : c.racks) {
    if (g.cooling >= 0 || g.liquid >= 0 || (g.spec->cooling && !g.spec->cooling->empty()))
      continue;  // on a loop alone: cool-liquid-rack-without-air
    Watts heat{0};
    for (std::int64_t r = g.first; r < g.first + g.count; ++r)
      heat += in.plan.racks[r].heat - in.plan.racks[r].liquid_heat;
    if (heat.value > 0)
      findings.note(
          rule.id, g.span,
          format("rack group '{}' has no `cooling`, so its heat of {} was not checked", g.name, to_text(heat)));
  }
}

}  // namespace

extern const Rule kCoolHeatRejectionUndersized;  // registry.cc names it
const Rule kCoolHeatRejectionUndersized = {
    .id = "cool-heat-rejection-undersized",
    .code = "COOL-003",
    .severity = Severity::error,
    .physics = false,
    .summary = "the heat of a zone exceeds what its cooling removes without the spares",
    .explanation = R"(## What it checks

The units of a cooling zone, without the declared spares, remove the heat of everything in it. In a liquid loop the
units are its coolant distribution units. Rear doors without a spare are judged rack by rack instead
(`cool-rear-door-undersized`).

## Why it matters

Heat that is not removed raises the room's temperature within minutes; GPUs first throttle and then switch off. A spare
that is needed in normal operation is not redundancy.

## Formula

```
heat of a zone [W] = sum of the highest powers of what stands in its racks (what goes in comes out); of an assembly the share that this zone takes
heat of a zone <= (units - spare) x heat of one unit
```

Unit: W on both sides.

Source: conservation of energy. The unit's figure is its sensible capacity at the return temperature that the room will have; catalogue figures of units are planning defaults.
Losses of a UPS and of transformers that stand in the same room are not in the sum.

Error: the heat is too low by the losses of a UPS and of transformers in the same room. Of units whose figure is a
planning default, the error is not known.

## Example

Three units of 150 kW with one spare remove 300 kW; the racks of the zone draw 320 kW.

## How to fix

Add a unit, declare fewer spares, or reduce the load.

## When to accept

Where the unit's figure is known to be too low for this room. Give the measurement as the reason.
)",
    .check = cool_heat_rejection_undersized,
};

}  // namespace clusterc
