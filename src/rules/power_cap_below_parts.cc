#include "model/power_cap.h"
#include "plan/plan.h"
#include "rules/power_say.h"
#include "rules/rule.h"
#include "spec/nodes.h"
#include "spec/site.h"

namespace clusterc {
namespace {

void power_cap_below_parts(const Rule& rule, const RuleInput& in, Findings& findings) {
  for (const NodeGroupModel& g : in.cluster.nodes) {
    const Value<Watts>& cap = g.spec->power_cap;
    if (!cap || !is_ours(g) || g.count == 0) continue;
    const Value<Watts> need = working_power(g.server);
    const std::optional<LeastPower> least = least_power(g.server);
    if (!least && need && above(need->value / 2, cap->value)) {
      // Half of what the parts take is the usual depth of a cap; what lies below that may be no cap that a node can
      // keep.
      findings
          .warning(rule.id, cap.span,
                   format("each node of '{}' is capped at {}, {:.0f} % of the {} that its parts take at their rated "
                          "power, and neither its idle power nor the lowest limit of its GPUs is known",
                          g.name, to_text(*cap), 100 * cap->value / need->value, to_text(*need)))
          .help("write a cap that the maker of the server names, or the server's `power_idle`")
          .object("nodes." + g.name);
      continue;
    }
    if (!least || !above(least->watts.value, cap->value)) continue;
    Finding& f = findings.error(rule.id, cap.span,
                                format("each node of '{}' is capped at {}, but its parts draw at least {}", g.name,
                                       to_text(*cap), to_text(least->watts)));
    f.label(least->formula);
    f.note(least->span, "this figure sets the minimum");
    if (!least->confirmed)
      f.note(least->span,
             format("this figure is not confirmed{}{}", least->source.empty() ? "" : "; its source: ", least->source));
    if (need)
      f.help(format("use a cap of at least {}; from {} up it does not slow the node down", to_text(least->watts),
                    to_text(*need)));
    else
      f.help(format("use a cap of at least {}", to_text(least->watts)));
    f.object("nodes." + g.name);
  }
}

}  // namespace

extern const Rule kPowerCapBelowParts;  // registry.cc names it
const Rule kPowerCapBelowParts = {
    .id = "power-cap-below-parts",
    .code = "PWR-024",
    .severity = Severity::error,
    .physics = false,
    .summary = "a power cap is below what the node draws when idle",
    .explanation = R"(## What it checks

A `power_cap` is not below what the node always draws: its idle power, and its GPUs at the lowest limit that their
boards accept.

## Why it matters

A cap counts everywhere: on PDUs, feeds, UPS, cooling and in the energy bill. A cap that the node cannot keep makes all
of these figures too small, and breakers trip.

## Formula

```
power_cap >= idle power of the server
power_cap >= GPUs x lowest power limit of one / efficiency of the supplies (0.94 where none is stated)
```

Unit: W on both sides.

Source: data sheets (catalogue).

A cap above that may still slow the node down. Where it is less than the sum of the parts at their rated power, `plan`
says so and the figures of computing have no floor, since healthy figures are published at full power. Where neither
figure of the formula is known, a cap below half of that sum is a warning.

Error: none beyond its inputs where the supplies state their efficiency. 0.94 is a default: supplies of 0.96 (80 PLUS
Titanium) draw 2 % less.

## Example

`power_cap: 500 W` on servers that draw 540 W while they idle.

## How to fix

Write a higher cap, put fewer nodes in a rack, or use a larger circuit.

## When to accept

Where the catalogue's idle power is for a larger configuration than yours. It is better to write your own `power_idle`.
)",
    .check = power_cap_below_parts,
};

}  // namespace clusterc
