#include <cmath>

#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/work_say.h"
#include "spec/workload.h"
#include "targets/workload_plan.h"

namespace clusterc {
namespace {

void check(const Rule& rule, const RuleInput& in, Findings& findings) {
  for (const Named<Workload>& named : in.cluster.spec.workloads) {
    const Value<double>& wanted = named.value.tokens_per_second;
    if (!wanted || named.value.kind.value_or("training") != "inference") continue;
    const WorkloadPlan p = plan_workload(in.cluster, named);
    if (!p.serving || p.serving->gpus_wanted <= 0 || p.serving->tokens_per_second <= 0) continue;
    const ServingPlan& s = *p.serving;
    if (!above(s.gpus_wanted, static_cast<double>(p.gpus))) continue;
    Finding& f =
        findings.warning(rule.id, wanted.span,
                         format("workload '{}' must generate {} tokens/s, but its {} GPUs give {:.6g} tokens/s", p.name,
                                number(*wanted), p.gpus, std::floor(s.tokens_per_second)));
    f.label(format("{} x {:.6g} tokens/s, each copy on {} GPUs", s.copies, std::floor(s.used.tokens_per_second),
                   s.used.split.gpus()));
    f.help(format("use {} GPUs ({} copies), or write `tokens_per_second: {:.0f}`", number(s.gpus_wanted),
                  number(s.copies_wanted), std::floor(s.tokens_per_second)));
    f.object("workloads." + p.name);
  }
}

}  // namespace

constexpr std::string_view kExplanation = R"(## What it checks

The copies of a model on a serving workload's GPUs generate the `tokens_per_second` that it asks for.

## Why it matters

Each copy has a rate of its own, which the memory bandwidth limits. Requests above it wait in a queue that only grows.

## Formula

```
copies wanted = tokens_per_second / tokens a second of one copy, rounded up
copies wanted x GPUs of one copy <= GPUs of the workload
```

Unit: copies and GPUs on both sides; tokens/s.

Source: docs/workloads.md has the decoding step and its sources.

Error: not known. No published decoding rate is compared with it yet.

## Example

50,000 tokens/s wanted, 5,109 from each copy on four GPUs: ten copies, 40 GPUs, but the workload has 32.

## How to fix

Use more GPUs, larger batches (`batch`) where latency allows it, a lower precision, or the rate that the help names.

## When to accept

Where an engine's measured rate is higher than the plan's.
)";

extern const Rule kWorkServingRateShort;  // registry.cc names it
const Rule kWorkServingRateShort = {
    .id = "work-serving-rate-short",
    .code = "WORK-008",
    .severity = Severity::warning,
    .physics = false,
    .summary = "a serving workload generates fewer tokens than it must",
    .explanation = kExplanation,
    .check = check,
};

}  // namespace clusterc
