#include <algorithm>
#include <optional>
#include <string>

#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "rules/work_say.h"
#include "spec/storage.h"
#include "spec/workload.h"
#include "targets/checkpoint.h"
#include "targets/workload_plan.h"

namespace clusterc {
namespace {

constexpr Threshold kWorkLongRunWithoutCheckpointsThreshold{.means = "time that a run may take without checkpoints",
                                                            .standard = 4 * 3600.0,
                                                            .least = 60,
                                                            .most = 1e8,
                                                            .dimension = Dimension::time};

// What `clusterc plan` expects it to take, where its model and batch say enough for that.
std::optional<Seconds> planned_run(const RuleInput& in, const std::string& name) {
  const Named<Workload>* w = in.cluster.spec.workloads.find(name);
  if (!w || !w->value.train || !w->value.train->tokens) return std::nullopt;
  const WorkloadPlan p = plan_workload(in.cluster, *w);
  return p.run ? std::optional(p.run->time) : std::nullopt;
}

void work_long_run_without_checkpoints(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  each_workload(in, "training", [&](const std::string& name, SourceSpan at, const Workload& w, const WorkloadGpus& g) {
    if (w.checkpoint_to) {
      const auto s = std::find_if(c.storage.begin(), c.storage.end(),
                                  [&](const StorageModel& m) { return m.name == *w.checkpoint_to; });
      if (s != c.storage.end() && s->spec->kind && *s->spec->kind == StorageKind::local)
        findings
            .error(rule.id, w.checkpoint_to.span,
                   format("workload '{}' writes checkpoints to '{}', which is lost with the node", name, s->name))
            .note(s->span, "these drives are in the nodes themselves")
            .help("use storage that other nodes can read")
            .object("workloads." + name);
    }
    if (w.checkpoint_every) return;
    std::optional<Seconds> runs;
    std::string from;
    // How long it takes, not how long it may: `within` only where nothing else says it.
    if (const auto planned = planned_run(in, name)) {
      runs = *planned;
      from = "as planned";
    } else if (w.within) {
      runs = *w.within;
      from = "its `within`";
    } else if (const auto operations = training_operations(w); operations && g.peak) {
      runs = run_time(*operations, static_cast<double>(g.gpus), *g.peak, kUsualUtilisation);
      from = format("at {} of the peak", percent(kUsualUtilisation));
    }
    if (!runs || !above(runs->value, in.threshold(rule))) return;
    const Seconds between =
        time_between_interruptions(static_cast<double>(g.gpus), gpu_hours_of_interruptions(in.cluster, w));
    Finding& f = findings.error(rule.id, at,
                                format("workload '{}' runs {} without checkpoints; expect an interruption every {}",
                                       name, to_text(*runs, 3), to_text(between, 3)));
    f.label(format("{}; {:.0f} GPU-hours / {} GPUs", from, gpu_hours_of_interruptions(in.cluster, w), g.gpus));
    const CheckpointTime time = checkpoint_time(in.cluster, w);
    f.help(time.takes ? format("`checkpoint_every: {}`", to_text(best_checkpoint_interval(*time.takes, between), 2))
                      : "write `checkpoint_every`; if you also write `checkpoint_within`, clusterc calculates the best "
                        "interval");
    f.object("workloads." + name);
  });
}

}  // namespace

extern const Rule kWorkLongRunWithoutCheckpoints;  // registry.cc names it
const Rule kWorkLongRunWithoutCheckpoints = {
    .id = "work-long-run-without-checkpoints",
    .code = "WORK-006",
    .severity = Severity::error,
    .physics = false,
    .summary = "a long run writes no checkpoints, or writes them where they are lost",
    .explanation = R"(## What it checks

Training that runs for more than four hours has `checkpoint_every`, and its checkpoints are not on drives of its own
nodes.

## Why it matters

The first interruption loses all work since the start: on 1,024 GPUs after two days on average.

## Formula

```
time > 4 h  needs  checkpoint_every
time: what `clusterc plan` expects; without a step time `within`, or 6 x parameters x tokens / (GPUs x dense peak x 0.40), 4 x what fine-tuning leaves as it is;  interruption: every 50,677 GPU-hours
```

Unit: s on both sides; interruption in GPU-hours.

Source: Llama 3, arXiv 2407.21783, section 3.3.4.

Error: that of the step time (docs/predictions.md). Without a step time: not known, 0.40 of the peak is a default.

## Example

70e9 parameters and 15e12 tokens on 1,024 GPUs, and no `checkpoint_every`: 180 days, an interruption every 49.5 h.

## How to fix

Write `checkpoint_every: 77 min` and `checkpoint_to: scratch`, and use a queue that restarts the job.

## When to accept

Where the framework writes checkpoints by itself, at an interval that the spec does not contain.
)",
    .check = work_long_run_without_checkpoints,
    .threshold = &kWorkLongRunWithoutCheckpointsThreshold,
};

}  // namespace clusterc
