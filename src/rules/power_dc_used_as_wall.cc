#include "model/power.h"
#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/nodes.h"

namespace clusterc {
namespace {

void power_dc_used_as_wall(const Rule& rule, const RuleInput& in, Findings& findings) {
  for (const NodeGroupModel& g : in.cluster.nodes) {
    const ServerModel& s = g.server;
    if (!is_ours(g) || g.count == 0 || g.spec->power_cap || !s.power || !s.part.power ||
        s.part.power.origin != Origin::spec)
      continue;
    const PowerSum sum = server_power_sum(s);
    // Below what the parts state: power-node-below-part-sum says so.
    if (!sum.complete || above(sum.stated.value, s.power->value) || !above(sum.wall.value, s.power->value)) continue;
    Finding& f = findings.note(rule.id, s.part.power.span,
                               format("`power` of group '{}' is {}, but its parts draw {} at the wall", g.name,
                                      to_text(*s.power), to_text(sum.wall)));
    f.label(sum.formula());
    f.help("write the power at the wall (the data sheet's figure for the whole server), or leave `power` out");
    f.object("nodes." + g.name);
  }
}

}  // namespace

extern const Rule kPowerDcUsedAsWall;  // registry.cc names it
const Rule kPowerDcUsedAsWall = {
    .id = "power-dc-used-as-wall",
    .code = "PWR-008",
    .severity = Severity::note,
    .physics = false,
    .summary = "a stated power leaves out fans and the losses of the power supplies",
    .explanation = R"(## What it checks

The `power` that the spec writes for a server is at least what its parts draw at the wall, with fans and the losses of
the power supplies.

## Why it matters

The sum of the TDPs is direct current behind the power supplies. Breakers, feeds and cooling carry the power at the
wall, which is a fifth higher.

## Formula

```
power at the wall = (parts + fans) / efficiency of the supplies
fans              = 12 % of the parts, 3 % behind cold plates
```

Unit: W on both sides.

Source: definition of efficiency; 0.94 is 80 PLUS Platinum at half load (CLEAResult 80 PLUS programme), fans are planning defaults (`src/model/power.h`).

Error: not known. Fans, memory modules (10 W each) and drives (20 W each) are planning defaults.

## Example

Parts of 2,205 W stated as `power: 2.2 kW`: 2,205 x 1.12 / 0.94 = 2,627 W are drawn.

## How to fix

Write the maker's highest power of the whole server, or leave `power` out.

## When to accept

A note needs no acceptance. Leave it where the figure was measured at the wall.
)",
    .check = power_dc_used_as_wall,
};

}  // namespace clusterc
