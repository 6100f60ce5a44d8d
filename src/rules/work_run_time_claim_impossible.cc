#include <cmath>
#include <string>

#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "rules/work_say.h"
#include "spec/workload.h"

namespace clusterc {
namespace {

constexpr double kBeyond = 0.80;  // matrix products alone reach this share at most (cuBLAS on H100: 794.5 of 989)

void work_run_time_claim_impossible(const Rule& rule, const RuleInput& in, Findings& findings) {
  each_workload(in, "training", [&](const std::string& name, SourceSpan at, const Workload& w, const WorkloadGpus& g) {
    const auto operations = training_operations(w);
    if (!w.within || !operations) return;
    if (!g.peak) {
      findings.note(rule.id, at,
                    format("the peak of the GPUs of workload '{}' at `precision: {}` is not in the catalogue, so its "
                           "run time was not checked",
                           name, w.precision.value_or("bf16")));
      return;
    }
    const double tokens = static_cast<double>(*w.train->tokens), gpus = static_cast<double>(g.gpus),
                 share = implied_utilisation(*operations, gpus, *g.peak, *w.within);
    if (!above(share, kBestPublishedUtilisation)) return;
    const std::string message =
        format("workload '{}' needs {} of the peak to finish in {}, but the best published is {}", name, percent(share),
               to_text(*w.within, 3), percent(kBestPublishedUtilisation));
    Finding& f = above(share, kBeyond) ? findings.error(rule.id, w.within.span, message)
                                       : findings.warning(rule.id, w.within.span, message);
    const double parameters = *w.model->active_parameters.or_else(w.model->parameters);
    f.label(format("{:.3g} x {} x {} tokens / ({} GPUs x {} x {})", *operations / (parameters * tokens),
                   number(parameters), number(tokens), g.gpus, to_text(*g.peak), to_text(*w.within, 3)));
    f.help(format("plan {} with these GPUs, or about {} GPUs for {} (both at {} of the peak, without interruptions)",
                  to_text(run_time(*operations, gpus, *g.peak, kUsualUtilisation), 3),
                  number(std::ceil(gpus * share / kUsualUtilisation)), to_text(*w.within, 3),
                  percent(kUsualUtilisation)));
    f.object("workloads." + name);
  });
}

}  // namespace

extern const Rule kWorkRunTimeClaimImpossible;  // registry.cc names it
const Rule kWorkRunTimeClaimImpossible = {
    .id = "work-run-time-claim-impossible",
    .code = "WORK-004",
    .severity = Severity::warning,
    .physics = false,
    .summary = "a run time implies a higher share of the peak than was ever published",
    .explanation = R"(## What it checks

Training with `train` tokens and a time `within` which it must finish does not need a higher share of the dense peak
than was ever published.

## Why it matters

A run of half a year is planned as three weeks, and the number of GPUs is ordered accordingly.

## Formula

```
share of the peak = o x parameters x tokens / (GPUs x dense peak x time)       active parameters, where experts are chosen
o = 6; in fine-tuning 4 + 2 x `trained_parameters` / parameters: what is frozen has no gradients of its own
warning above 0.65 (best published), error above 0.80;  0.30 to 0.55 are usual
```

Unit: a share of the peak on both sides; operations in FLOP, peak in FLOP/s, time in s.

Source: D. Narayanan et al., arXiv 2104.04473, equation 4; MegaScale, arXiv 2402.15627 (0.653 in BF16); Llama 3, arXiv 2407.21783, table 4. Attention's own operations are left out, recomputation is not counted: the true need is higher.

Error: a lower bound of the share: attention and recomputation are left out.

## Example

70e9 parameters and 15e12 tokens on 1,024 H100 `within: 20 d`: 360 % of the peak.

## How to fix

Use more GPUs, fewer tokens, or the time that the help names.

## When to accept

Where part of the work uses a lower precision than `precision` states.
)",
    .check = work_run_time_claim_impossible,
};

}  // namespace clusterc
