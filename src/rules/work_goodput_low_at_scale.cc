#include <algorithm>
#include <string>

#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "rules/work_say.h"
#include "spec/ha.h"
#include "spec/workload.h"
#include "targets/checkpoint.h"

namespace clusterc {
namespace {

// What Llama 3 reports on 16,384 GPUs with automation: "higher than 90 %".
constexpr Threshold kWorkGoodputLowAtScaleThreshold{
    .means = "share of the time that must remain for training", .standard = 0.9, .least = 0.01, .most = 0.9999};
constexpr double kWorthSaying =
    0.01;  // an interval that costs less than a point against the best one is a matter of taste

std::string points(double share) { return format("{:.1f} %", std::max(0.0, share) * 100); }

// What keeps nothing of its time never ends, at any interval or only at the one that is written.
void no_progress(const Rule& rule, Findings& findings, SourceSpan here, const std::string& name, Seconds every,
                 double got, const std::string& sum, Seconds best, double most) {
  Finding& f = findings.error(rule.id, here,
                              format("workload '{}' makes no progress: at a checkpoint interval of {}, checkpoints, "
                                     "lost work and restarts take {:.1f} % of its time",
                                     name, to_text(every, 3), (1 - got) * 100));
  f.label(sum);
  if (most > 0)
    f.help(format("write `checkpoint_every: {}`: {} of the time then remains for training", to_text(best, 2),
                  points(most)));
  f.help("use faster checkpoints (`checkpoint_to`, `checkpoint_within`) and restarts (`resume_within`)")
      .object("workloads." + name);
}

void work_goodput_low_at_scale(const Rule& rule, const RuleInput& in, Findings& findings) {
  each_workload(in, "training", [&](const std::string& name, SourceSpan at, const Workload& w, const WorkloadGpus& g) {
    const CheckpointTime time = checkpoint_time(in.cluster, w);
    if (!time.takes) {
      if (w.checkpoint_every)
        findings.note(rule.id, w.checkpoint_every.span,
                      format("workload '{}' states its checkpoint interval, but not how long a checkpoint takes "
                             "(`checkpoint_within` is only the maximum), so its goodput was not checked",
                             name));
      return;
    }
    const Seconds between = time_between_interruptions(static_cast<double>(g.gpus),
                                                       gpu_hours_of_interruptions(in.cluster, w)),
                  save = *time.takes, best = best_checkpoint_interval(save, between);
    const Seconds every = w.checkpoint_every.value_or(best), restart = w.resume_within.value_or(kRestart);
    const double got = goodput(save, every, restart, between), most = goodput(save, best, restart, between);
    const std::string sum =
        format("interruption every {} on {} GPUs; 1 - {}/{} - ({}/2 + {})/{}", to_text(between, 3), g.gpus,
               to_text(save, 3), to_text(every, 3), to_text(every, 3), to_text(restart, 3), to_text(between, 3));
    const SourceSpan here = first_place(w.checkpoint_every.span, w.checkpoint_within.span, at);
    if (got <= 0) {
      // Saves that may take longer than the interval: storage-checkpoint-exceeds-time-budget says so.
      if (!above(save.value, every.value) || !w.checkpoint_every)
        no_progress(rule, findings, here, name, every, got, sum, best, most);
      return;
    }
    if (!w.checkpoint_within && !w.checkpoint_every) return;
    if (w.checkpoint_every && above(most - kWorthSaying, got)) {
      // Above the threshold the interval is a choice: a note.
      findings
          .add(above(in.threshold(rule), got) ? Severity::warning : Severity::note, rule.id, here,
               format(
                   "workload '{}' with a checkpoint every {} has a goodput of {}; a checkpoint every {} would give {}",
                   name, to_text(every, 3), points(got), to_text(best, 3), points(most)))
          .label(sum)
          .help(format("write `checkpoint_every: {}`", to_text(best, 2)))
          .object("workloads." + name);
      return;
    }
    if (!above(in.threshold(rule), got)) return;
    findings
        .warning(rule.id, here,
                 format("workload '{}' has a goodput of {} on {} GPUs with checkpoints of {}", name, points(got),
                        g.gpus, to_text(save, 3)))
        .label(sum)
        .help(format(
            "use faster checkpoints and restarts: checkpoints of 10 s and restarts of 3 min would give a goodput of {}",
            points(goodput(Seconds(10), best_checkpoint_interval(Seconds(10), between), Seconds(180), between))))
        .object("workloads." + name);
  });
}

}  // namespace

extern const Rule kWorkGoodputLowAtScale;  // registry.cc names it
const Rule kWorkGoodputLowAtScale = {
    .id = "work-goodput-low-at-scale",
    .code = "WORK-003",
    .severity = Severity::warning,
    .physics = false,
    .summary = "checkpoints and interruptions take more than a tenth of the time",
    .explanation = R"(## What it checks

The rule applies to training with `checkpoint_every` or `checkpoint_within`. It checks the goodput: the share of time
left after checkpoints, lost work and restarts, at the written or the best interval.
If no time is left, the job makes no progress, which is an error whether the interval is written or not.

## Why it matters

The rate of interruptions grows with the number of GPUs: on 16,384 there is one every three hours. A tenth of the
cluster is then spent on checkpoints and repeated work.

## Formula

```
M = 50,677 GPU-hours / GPUs                time between interruptions; `gpu_hours_per_interruption` has those of your own logs
    spot instances, which the provider takes away: 1/M grows by instances x `spot.interrupted` / 730.5 h
best interval = sqrt(2 x save x M)
goodput = 1 - save/interval - (interval/2 + restart)/M >= 0.9;  error at 0 or less
  a note where it is above that, and more than one point below the best interval's
save: checkpoint / what the storage takes; where either is not known the most that it may take, `checkpoint_within`
restart: `resume_within`, or 10 min
```

Unit: a share on both sides; times in s, M in h.

Source: Llama 3, arXiv 2407.21783, section 3.3.4 (419 unexpected interruptions in 54 days on 16,384 GPUs); J. Young, 1974. An interval is not spoken of while it costs less than a point; the rule book had half to twice the best one, which on small jobs costs nothing.

Error: 10 % of the rate of interruptions from counting alone (419 events, 95 %). Whether another cluster has this rate
is not known; `gpu_hours_per_interruption` replaces it.

## Example

Checkpoints of 60 s on 16,384 GPUs: a goodput of 84 %.

## How to fix

Use asynchronous checkpoints, faster storage, automatic restarts, or the interval that the help names.

## When to accept

Where your own logs show fewer interruptions.
)",
    .check = work_goodput_low_at_scale,
    .threshold = &kWorkGoodputLowAtScaleThreshold,
};

}  // namespace clusterc
