#include "plan/cost/cost.h"
#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/network.h"
#include "spec/prices.h"

namespace clusterc {
namespace {

constexpr double kHalf = 2;  // the usual next step: two ports down for each one up

void cost_of_choice_unstated(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  const auto cost = cost_of(in.plan);
  if (!cost) return;
  for (std::size_t i = 0; i < in.plan.fabrics.size(); ++i) {
    const Fabric& f = in.plan.fabrics[i];
    const NetworkModel& n = c.networks[i];
    if (f.tiers.size() < 2 || f.tiers[0].up == 0 || above(f.oversubscription, 1.001) || !n.spec ||
        !n.carries_traffic(Traffic::compute))
      continue;
    const auto saved = saving_of_oversubscription(in.plan, *cost, static_cast<int>(i), kHalf);
    if (!saved || saved->switches <= 0) continue;
    std::string what = format(
        "an oversubscription of {:.3g}:1 in network '{}' would save {} of {} switches and {} of {} cables between them",
        kHalf, n.name, saved->switches, f.switch_count(), saved->cables, f.leaf_spine_cables + f.spine_core_cables);
    if (saved->priced) what += format(", {} for switches alone", money_text(saved->money, cost->currency));
    Finding& note = findings.note(rule.id, first_place(written(n.spec->oversubscription), n.span),
                                  what + format("; all-reduce across leaves could fall to {}", percent(1 / kHalf)));
    note.label(
        format("{} switches at 1:1, {} at {:.3g}:1", f.switch_count(), f.switch_count() - saved->switches, kHalf));
    note.help(
        format("decide by the traffic of the workloads; compare both: `clusterc plan SPEC --option "
               "networks.{}.oversubscription={:.3g}`",
               n.name, kHalf));
    note.object("networks." + n.name);
  }
}

}  // namespace

extern const Rule kCostOfChoiceUnstated;  // registry.cc names it
const Rule kCostOfChoiceUnstated = {
    .id = "cost-of-choice-unstated",
    .code = "COST-003",
    .severity = Severity::note,
    .physics = false,
    .summary = "the cost of full bandwidth between leaves",
    .explanation = R"(## What it checks

Where the spec has prices and a compute network has several tiers without oversubscription, the rule reports how much
half the bandwidth between leaves would save.

## Why it matters

1:1 is the safe and expensive choice. Jobs that fit below one leaf, or stay on their rails, do not use this bandwidth;
jobs of the whole cluster need all of it. The price should be known when this is decided.

## Formula

```
saved switches = switches of the network as planned - switches of the same network planned at 2:1
saved money    = sum over their models of count x price; cables between switches are counted, and not priced
all-reduce across leaves at 2:1: at most 1/2 of the rate of a port
```

Unit: switches and the currency of `prices`; the rate is a share.

Source: arithmetic; both plans are made by the same planner.

Error: none beyond its inputs. Cables that 2:1 saves have no price here, so the saving is a lower bound.

## Example

128 nodes with eight rails on 64-port switches: 32 leaves and 16 spines at 1:1. At 2:1 a leaf has 42 ports down and 21 up.

## How to fix

Nothing is wrong. Compare both and decide.

## When to accept

It is a note and needs no acceptance.
)",
    .check = cost_of_choice_unstated,
};

}  // namespace clusterc
