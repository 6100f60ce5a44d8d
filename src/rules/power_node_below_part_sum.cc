#include "model/power.h"
#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/nodes.h"

namespace clusterc {
namespace {

void power_node_below_part_sum(const Rule& rule, const RuleInput& in, Findings& findings) {
  for (const NodeGroupModel& g : in.cluster.nodes) {
    const ServerModel& s = g.server;
    // A cap that is enforced makes any figure true; an instance's power is not ours to plan.
    if (!is_ours(g) || !s.part.power || !s.power || g.spec->power_cap || g.count == 0) continue;
    const PowerSum sum = server_power_sum(s);
    if (!above(sum.stated.value, s.power->value)) continue;
    const SourceSpan at = first_place(written(s.part.power), s.span, g.span);
    Finding& f = findings.error(
        rule.id, at,
        format(
            "'{}' of group '{}' is stated at {}, but its GPUs, processors and adapters draw {} before fans and losses",
            s.id, g.name, to_text(*s.power), to_text(sum.stated)));
    std::string terms;
    for (const PowerTerm& t : sum.terms) {
      if (t.what == "memory module" || t.what == "drive" || t.what == "hard disk") continue;
      terms += format("{}{} x {} ({})", terms.empty() ? "" : " + ", t.count, to_text(t.each), t.what);
    }
    f.label(terms);
    if (s.part.power.span.valid() && !(s.part.power.span == at)) f.note(s.part.power.span, "the stated power");
    if (!sum.confirmed) {
      f.unconfirmed = true;
      f.note({}, "the power of some parts is not confirmed");
    }
    mention_unconfirmed(f, s.part.power, format("the power of '{}'", s.id));
    f.help(format("leave `power` out: the sum with fans and losses is {}", to_text(sum.wall)));
    f.help(format("if the machine limits itself to this power, write `power_cap: {}`", to_text(*s.power)));
    f.object("nodes." + g.name);
  }
}

}  // namespace

extern const Rule kPowerNodeBelowPartSum;  // registry.cc names it
const Rule kPowerNodeBelowPartSum = {
    .id = "power-node-below-part-sum",
    .code = "PWR-010",
    .severity = Severity::error,
    .physics = false,
    .summary = "the stated power of a node is below the sum of its parts",
    .explanation = R"(## What it checks

The power stated for a server is at least what its GPUs, processors and adapters draw at their limits.

## Why it matters

Racks, breakers and cooling are planned with the stated figure. If that is the power of the machine without its GPUs,
all of them are too small.

## Formula

```
power >= GPUs x limit + processors x TDP + adapters
```

Unit: W on both sides.

Without memory, drives, fans and losses of the supplies: the true figure is a quarter higher, and power-dc-used-as-wall says so.
Source: data sheets (catalogue). What has no figure counts as nothing.

Error: a lower bound. The true figure is about a quarter higher.

## Example

8 GPUs of 1,000 W and two processors of 350 W, stated at 8.5 kW.

## How to fix

Leave `power` out, state the maker's figure, or enforce a `power_cap`. A machine that keeps its GPUs below their limits of
its own accord, such as a workstation for an office outlet, has a `power_cap` of its stated power.

## When to accept

Where the maker's own figure is lower than the sum and the board enforces it, or was measured under the load that the
machine is for.
)",
    .check = power_node_below_part_sum,
};

}  // namespace clusterc
