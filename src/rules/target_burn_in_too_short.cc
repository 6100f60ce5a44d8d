#include <cmath>

#include "model/availability.h"
#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/target.h"

namespace clusterc {
namespace {

// With three events to be expected none is seen in 5 of 100 runs: exp(-3) = 0.0498 (Poisson; "rule of three").
constexpr Threshold kTargetBurnInTooShortThreshold{
    .means = "interruptions to be expected in a burn-in", .standard = 3, .least = 0.01, .most = 1000};

void target_burn_in_too_short(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Targets& targets = in.cluster.spec.targets;
  if (!targets.burn_in) return;
  const Value<Seconds>& time = targets.burn_in;
  std::int64_t gpus = 0;
  for (const NodeGroupModel& g : in.cluster.nodes)
    if (g.computes) gpus += g.count * g.server.gpu_count;
  if (gpus == 0) {
    findings.note(rule.id, time.span,
                  "no group has known GPUs, and no interruption rate was published for other devices, so the length of "
                  "the burn-in was not checked");
    return;
  }
  const Seconds between = time_between_interruptions(static_cast<double>(gpus));
  const double expected = time->value / between.value, wanted = in.threshold(rule);
  if (!above(wanted, expected)) return;
  findings
      .warning(
          rule.id, time.span,
          format(
              "a burn-in of {0} on {1} GPUs has {2:.2g} expected interruptions; with fewer than {3:.3g}, a run without "
              "a fault proves little",
              to_text(*time), gpus, expected, wanted))
      .label(format("{} / ({:.0f} GPU-hours / {} GPUs); {:.0f} of 100 such runs of a comparable cluster have no fault",
                    to_text(*time), kGpuHoursPerInterruption, gpus, 100 * std::exp(-expected)))
      .help(format(
          "run {:.0f} h or more ({:.3g} expected interruptions), or report hours, GPUs and expected interruptions "
          "together with the result",
          std::ceil(wanted * between.value / 3600 - 1e-9), wanted))
      .object("targets.burn_in");
}

}  // namespace

extern const Rule kTargetBurnInTooShort;  // registry.cc names it
const Rule kTargetBurnInTooShort = {
    .id = "target-burn-in-too-short",
    .code = "TEST-009",
    .severity = Severity::warning,
    .physics = false,
    .summary = "a burn-in is so short that hardly a fault is expected",
    .explanation = R"(## What it checks

The burn-in (`targets.burn_in`) is long enough for a run without a fault to be evidence.

## Why it matters

Faults of GPUs, links and memory are rare and occur in the first weeks. A run in which no fault is expected has none on
a bad cluster either, and is then signed as "fault free".

## Formula

```
expected = GPUs x hours / GPU-hours between interruptions >= 3
50,677 GPU-hours = 16,384 x 54 x 24 / 419
```

Unit: interruptions on both sides; run and interval in GPU-hours.

With 3 expected a cluster like the published one is clean in exp(-3) = 5 of 100 runs.

Source: Llama Team, The Llama 3 herd of models (2024), section 3.3.4: 419 unexpected interruptions in 54 days on 16,384 GPUs; Poisson process.

Error: 10 % of the rate from counting alone (419 events, 95 %). Whether another cluster has this rate is not known.

## Example

For 48 h on 256 GPUs expect 0.24 interruptions: 78 of 100 such runs have no fault.

## How to fix

Run longer, or state with the verdict the number of hours and GPUs, and the number of interruptions that was expected.

## When to accept

Where the burn-in only has to find dead parts, and the contract defines how later faults are counted.
)",
    .check = target_burn_in_too_short,
    .threshold = &kTargetBurnInTooShortThreshold,
};

}  // namespace clusterc
