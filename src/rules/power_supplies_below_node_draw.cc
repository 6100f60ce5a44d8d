#include "model/power.h"
#include "model/power_cap.h"
#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/site.h"

namespace clusterc {
namespace {

void power_supplies_below_node_draw(const Rule& rule, const RuleInput& in, Findings& findings) {
  for (const NodeGroupModel& g : in.cluster.nodes) {
    const ServerModel& s = g.server;
    if (!in.cluster.own_site || !is_ours(g) || g.assembly >= 0 || g.count == 0)
      continue;  // trays are fed by the shelves of their assembly
    if (g.racks >= 0) {
      const RackGroupModel& racks = in.cluster.racks[static_cast<std::size_t>(g.racks)];
      const bool none = !s.part.psus || s.part.psus->inlet.value == InletKind::busbar;
      if (none && racks.spec && racks.spec->busbar) continue;  // likewise by the shelves of the busbar
    }
    if (!s.power) continue;  // power-branch-over-continuous-rating says so
    const PsuSet* psus = s.part.psus ? &*s.part.psus : nullptr;
    if (!psus || !psus->count || !psus->power) {
      findings.note(rule.id, s.span,
                    format("'{}' states no {}, so its supplies were not checked against the {} of group '{}'", s.id,
                           !psus || !psus->count ? "`psus`" : "power of one supply (`psus: { power: … }`)",
                           to_text(*s.power), g.name));
      continue;
    }
    const double efficiency = psus->efficiency.value_or(kSupplyEfficiency);
    const Watts load = *s.power * efficiency;  // supplies are rated by what they give, the node by what it takes
    const std::int64_t count = *psus->count, spare = std::max<std::int64_t>(0, spare_supplies(*psus)),
                       left = count - spare;
    const Watts can = *psus->power * static_cast<double>(left), all = *psus->power * static_cast<double>(count);
    if (!above(load.value, can.value)) continue;
    const SourceSpan at =
        first_place(written(psus->power), written(psus->count), written(psus->spare), written(s.power), s.span);
    // The maker's own redundancy, with all supplies enough: the board lowers its power after the loss, it does not
    // stop.
    const bool surely = above(load.value, all.value);
    const bool caps = !surely && !written(psus->spare).valid() && !written(psus->power).valid() &&
                      !written(psus->count).valid() && !written(s.power).valid() && psus->spare &&
                      psus->spare.origin != Origin::spec;
    Finding& f =
        findings.add(caps ? Severity::warning : rule.severity, rule.id, at,
                     format("each node of '{}' needs {} from its supplies, but the {} that are not spares supply {}",
                            g.name, to_text(load), left, to_text(can)));
    f.label(format("({} - {} spare) x {} = {}; {} at the wall x {:.2f} efficiency = {}", count, spare,
                   to_text(*psus->power), to_text(can), to_text(*s.power), efficiency, to_text(load)));
    const std::string why = s.power.origin == Origin::derived ? format("the power of the node: {}", s.power.source)
                                                              : "the power of the node";
    if (s.power.span.valid() && !(s.power.span == at))
      f.note(s.power.span, why);
    else if (s.power.origin == Origin::derived)
      f.note({}, why);
    mention_unconfirmed(f, psus->power, format("the power of one supply of '{}'", s.id));
    mention_unconfirmed(f, s.power, format("the power of '{}'", s.id));
    std::int64_t needed = 1;
    while (above(load.value, psus->power->value * static_cast<double>(needed)) && needed < 1000) ++needed;
    f.help(format("use {} supplies of {}, which carry the load with {} spare, or a `power_cap` of {}", needed + spare,
                  to_text(*psus->power), spare, to_text(can / efficiency)));
    if (caps)
      f.note({}, format("all {} supplies give {}: after the loss of {} the node lowers its power", count, to_text(all),
                        left == count - 1 ? "one" : format("{} of them", spare)));
    f.physics = surely;  // not even all of them together
    f.object("nodes." + g.name);
  }
}

}  // namespace

extern const Rule kPowerSuppliesBelowNodeDraw;  // registry.cc names it
const Rule kPowerSuppliesBelowNodeDraw = {
    .id = "power-supplies-below-node-draw",
    .code = "PWR-005",
    .severity = Severity::error,
    .physics = false,
    .summary = "power supplies cannot carry the node with the declared redundancy",
    .explanation = R"(## What it checks

The supplies of a node without the declared spares carry its maximum draw.

## Why it matters

If one supply fails, the others trip one after the other, or the board throttles the GPUs to a fraction of their clock
and the cause of the slow job is hard to find.

## Formula

```
highest power at the wall x efficiency <= (supplies - spare) x output of one supply
```

Unit: W on both sides, behind the supplies.

A warning where supplies, spares and power are the catalogue's and all supplies together carry the node: it is sold that
way, and lowers its power after the loss (fault-tolerant redundancy; Dell, FX2 manual, page 46).

Spares belong to the number of supplies: where the spec changes that alone, none are declared, and all supplies count.

Source: data sheets (catalogue). Supplies are rated by their output; the efficiency is the part's own, or 0.94 (80 PLUS Platinum at half load, 230 V).

Error: none beyond its inputs where the efficiency is stated. 0.94 is a default: supplies of 0.96 must give 2 % more for
the same power at the wall.

## Example

A node of 10.2 kW, 9.6 kW behind supplies of 94 %, with 4 x 3 kW declared as 3+1: 9.0 kW are left.

## How to fix

Use larger or more supplies, declare fewer spares where the loss is acceptable, or set a power cap.

## When to accept

Where the node throttles instead of switching off, and that is intended. A load above all supplies together cannot be
accepted.
)",
    .check = power_supplies_below_node_draw,
};

}  // namespace clusterc
