#include "model/availability.h"
#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/nodes.h"

namespace clusterc {
namespace {

void ha_spares_too_few(const Rule& rule, const RuleInput& in, Findings& findings) {
  for (const NodeGroupModel& g : in.cluster.nodes) {
    if (!is_ours(g) || !g.computes || g.server.gpu_count == 0 || g.count == 0) continue;
    const std::int64_t gpus = g.count * g.server.gpu_count, wanted = spares_wanted(gpus);
    const double mean = nodes_in_repair(gpus);
    const std::string arithmetic = format("{} GPUs x {:.3f} a year x {:.0f} days / 365 = {:.2f}, + 1.64 x sqrt({:.2f})",
                                          gpus, kInterruptionsPerGpuYear, kRepairDays, mean, mean);
    const std::string object = "nodes." + g.name;
    if (g.spec->spares) {
      if (*g.spec->spares >= wanted) continue;
      findings
          .warning(rule.id, g.spec->spares.span,
                   format("'{}' has {} as spares, but up to {} nodes are in repair at a time (95th percentile)", g.name,
                          plural(*g.spec->spares, "node"), wanted))
          .label(arithmetic)
          .help(format("write `spares: {}`", wanted))
          .object(object);
    } else if (mean >= 1 && !g.spec->spares.unknown) {
      findings
          .note(rule.id, g.span,
                format("'{0}' has no `spares`: expect {2:.1f} of {1} in repair on average, up to {3} (95th percentile)",
                       g.name, plural(g.count, "node"), mean, wanted))
          .label(arithmetic)
          .object(object);
    }
  }
}

}  // namespace

extern const Rule kHaSparesTooFew;  // registry.cc names it
const Rule kHaSparesTooFew = {
    .id = "ha-spares-too-few",
    .code = "HA-003",
    .severity = Severity::warning,
    .physics = false,
    .summary = "fewer spare nodes than nodes in repair",
    .explanation = R"(## What it checks

Enough nodes are held back (`spares`) to replace those in repair. If the spec has no `spares` and more than one node is
expected to be in repair at any time, a note gives the number.

## Why it matters

A job on all nodes stops when one is missing. Without spares, the largest job that can run is almost always smaller than
the cluster that was bought.

## Formula

```
mean   = GPUs x interruptions of a GPU in a year x days of repair / 365
spares >= mean + 1.64 x sqrt(mean), rounded up      (enough in 95 of 100 moments)
```

Unit: nodes on both sides; interruptions of a GPU in a year, repair in days.

0.173 interruptions of a GPU in a year: 419 in 54 days on 16,384 GPUs.

Source: Llama Team, The Llama 3 herd of models (2024), section 3.3.4; three days of repair are a planning default. Not every interruption takes a repair: the figure is on the safe side.

Error: 10 % of the rate from counting alone (419 events, 95 %). Whether another cluster has this rate is not known. The
approximation asks for as many nodes as the exact Poisson quantile, or one more.

## Example

128 nodes of eight GPUs: 1.46 in repair on average, up to 4 (95th percentile).

## How to fix

`spares: 4`: the scheduler does not use these nodes until they replace failed ones.

## When to accept

Where no job uses all nodes, or repair takes only hours.
)",
    .check = ha_spares_too_few,
};

}  // namespace clusterc
