#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/software.h"
#include "spec/workload.h"

namespace clusterc {
namespace {

void sched_gang_scheduling_absent(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  const auto& scheduler = c.spec.software->scheduler;
  if (!scheduler || scheduler->kind.value != SchedulerKind::kubernetes || scheduler->queue || scheduler->queue.unknown)
    return;
  for (const auto& w : c.spec.workloads) {
    if (w.value.kind.value_or("training") == "inference") continue;  // its replicas are jobs of their own
    std::int64_t nodes = 0;
    for (const auto& on : w.value.on) nodes += on.value.value.value_or(0);
    if (nodes < 2) continue;
    Finding& f = findings.warning(rule.id, first_place(scheduler->kind.span, scheduler->span),
                                  format("workload '{}' needs {} nodes at once, but Kubernetes starts pods one by one: "
                                         "some may start and wait for the others for ever",
                                         w.name, nodes));
    f.note(w.value.on.begin()->name_span, "the number of nodes is set here");
    f.help("write `queue: kueue` (or volcano, kai)").object("workloads." + w.name);
    return;  // the way out is one for all of them
  }
}

}  // namespace

extern const Rule kSchedGangSchedulingAbsent;  // registry.cc names it
const Rule kSchedGangSchedulingAbsent = {
    .id = "sched-gang-scheduling-absent",
    .code = "SCHED-009",
    .severity = Severity::warning,
    .physics = false,
    .summary = "jobs of several nodes without all-or-nothing scheduling",
    .explanation = R"(## What it checks

Where Kubernetes schedules and a workload runs on several nodes, a queueing system starts all of its pods or none (`queue`).

## Why it matters

Kubernetes places pods one by one. Two jobs of eight nodes on twelve free ones may get six each, and both wait for ever, with all twelve nodes taken.

## Formula

```
scheduler kubernetes, training or hpc on more than one node: queue is kueue, volcano or kai
```

Unit: none. Settings are compared.

Source: Kubernetes documentation, scheduler (pods are scheduled individually); Kueue and Volcano documentation (all-or-nothing scheduling).

## Example

`scheduler: { kind: kubernetes }` with a workload `on: { gpu: 8 }`.

## How to fix

`queue: kueue`, `volcano` or `kai`.

## When to accept

Where jobs start by another way that waits for all their nodes.
)",
    .check = sched_gang_scheduling_absent,
};

}  // namespace clusterc
