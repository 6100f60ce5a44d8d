#include <cmath>

#include "model/availability.h"
#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"

namespace clusterc {
namespace {

// With three events to be expected none is seen in 5 of 100 runs: exp(-3) = 0.0498 (Poisson; "rule of three").
constexpr Threshold kThreshold{
    .means = "interruptions that are to be expected in a burn-in", .standard = 3, .least = 0.01, .most = 1000};

void check(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Targets& targets = in.cluster.spec.targets;
  if (!targets.burn_in) return;
  const Value<Seconds>& time = targets.burn_in;
  std::int64_t gpus = 0;
  for (const NodeGroupModel& g : in.cluster.nodes)
    if (g.computes) gpus += g.count * g.server.gpu_count;
  if (gpus == 0) {
    findings.note(rule.id, time.span,
                  "no group has GPUs that are known, and no rate of interruptions was published for others: what this "
                  "time proves was not checked");
    return;
  }
  const Seconds between = time_between_interruptions(static_cast<double>(gpus));
  const double expected = time->value / between.value, wanted = in.threshold(rule);
  if (!above(wanted, expected)) return;
  findings
      .warning(rule.id, time.span,
               format("{} on {} GPUs expect {:.2g} interruptions, a clean run proves little below {:.3g}",
                      to_text(*time), gpus, expected, wanted))
      .label(format("{} / ({:.0f} GPU-hours / {} GPUs); without a fault in {:.0f} of 100 runs of a cluster like others",
                    to_text(*time), kGpuHoursPerInterruption, gpus, 100 * std::exp(-expected)))
      .help(format("{:.0f} h expect {:.3g}; or give hours, GPUs and expected interruptions beside the verdict",
                   std::ceil(wanted * between.value / 3600 - 1e-9), wanted))
      .object("targets.burn_in");
}

}  // namespace

constexpr std::string_view kExplanation = R"(## What it checks

The time of the burn-in (`targets.burn_in`) is long enough for a run without a fault to mean something.

## Why it matters

Faults of GPUs, links and memory are rare and come in the first weeks. A run in which none was to be expected is clean on a bad cluster too, and is then signed as "fault free".

## Formula

```
expected = GPUs x hours / GPU-hours between interruptions >= 3
50,677 GPU-hours = 16,384 x 54 x 24 / 419
```

With 3 expected a cluster like the published one is clean in exp(-3) = 5 of 100 runs.

Source: Llama Team, The Llama 3 herd of models (2024), section 3.3.4: 419 unexpected interruptions in 54 days on 16,384 GPUs; Poisson process.

## Example

48 h on 256 GPUs expect 0.24 interruptions: 78 of 100 such runs are clean.

## How to fix

Run longer, or say with the verdict how many hours on how many GPUs it rests on, and what was to be expected.

## When to accept

Where the burn-in is to find dead parts only, and the contract says how later faults are counted.
)";

extern const Rule kTargetBurnInTooShort;  // registry.cc names it
const Rule kTargetBurnInTooShort = {
    .id = "target-burn-in-too-short",
    .code = "TEST-009",
    .severity = Severity::warning,
    .physics = false,
    .summary = "a burn-in in which hardly a fault is to be expected",
    .explanation = kExplanation,
    .check = check,
    .threshold = &kThreshold,
};

}  // namespace clusterc
