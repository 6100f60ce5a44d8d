#include <cmath>

#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/work_say.h"
#include "spec/workload.h"
#include "targets/workload_plan.h"

namespace clusterc {
namespace {

void work_run_longer_than_asked(const Rule& rule, const RuleInput& in, Findings& findings) {
  for (const Named<Workload>& named : in.cluster.spec.workloads) {
    const Workload& w = named.value;
    if (!w.within || !w.train) continue;
    const WorkloadPlan p = plan_workload(in.cluster, named);
    if (!p.run || !above(p.run->time.value, w.within->value)) continue;
    // Beyond the best that anybody has published: work-run-time-claim-impossible says so.
    if (const auto g = gpus_of(in.cluster, w); g && g->peak)
      if (const auto operations = training_operations(w);
          operations && above(implied_utilisation(*operations, static_cast<double>(g->gpus), *g->peak, *w.within),
                              kBestPublishedUtilisation))
        continue;
    Finding& f = findings.warning(rule.id, w.within.span,
                                  format("workload '{}' takes {} as planned, but must finish in {}", p.name,
                                         to_text(p.run->time, 3), to_text(*w.within, 3)));
    f.label(format("{} tokens / {:.4g} tokens/s on {} GPUs{}", number(static_cast<double>(*w.train->tokens)),
                   p.tokens_per_second, p.gpus,
                   p.checkpoint && p.checkpoint->goodput ? format(" / {:.1f} % goodput", *p.checkpoint->goodput * 100)
                                                         : std::string()));
    if (p.used_written && p.free && p.free->best && above(p.used->time.total(), p.free->best->time.total() * 1.02) &&
        p.written)
      f.help(format("the fastest split takes {} a step, but this one takes {}: see Workloads of `clusterc plan`",
                    to_text(Seconds(p.free->best->time.total()), 3), to_text(Seconds(p.used->time.total()), 3)));
    f.help(format("use about {} GPUs with the same rate for each GPU, or write `within: {} d`",
                  number(std::ceil(static_cast<double>(p.gpus) * (p.run->time / *w.within))),
                  static_cast<std::int64_t>(std::ceil(p.run->time.value / 86400))));
    f.object("workloads." + p.name);
  }
}

}  // namespace

extern const Rule kWorkRunLongerThanAsked;  // registry.cc names it
const Rule kWorkRunLongerThanAsked = {
    .id = "work-run-longer-than-asked",
    .code = "WORK-007",
    .severity = Severity::warning,
    .physics = false,
    .summary = "training takes longer than the spec allows",
    .explanation = R"(## What it checks

Training on all tokens of `train` finishes within the time that the spec allows (`within`), at the step time and goodput
that the plan expects.

## Why it matters

The cluster was bought to finish by that date. The plan shows the run time; this rule compares it with the date.

## Formula

```
time = tokens / (tokens a second x goodput)        both as `clusterc plan` prints them
time <= within
```

Unit: s on both sides; tokens and tokens/s.

What needs more of the peak than anybody has reached is [work-run-time-claim-impossible](work-run-time-claim-impossible.md).
Source: docs/workloads.md has the terms of a step and their sources; docs/predictions.md says how far they are from published runs (which is why this is a warning).

Error: that of the step time, which docs/predictions.md compares with published runs; that of the goodput is not known.

## Example

A model of 70e9 parameters and 1e12 tokens on 160 B200: 41 days, and `within: 30 d`.

## How to fix

Use more GPUs, a faster split, fewer tokens, or the time that the help names.

## When to accept

Where a measured `efficiency` will follow, or the run will be stopped at that date.
)",
    .check = work_run_longer_than_asked,
};

}  // namespace clusterc
