#include "rules/rules.h"
#include "rules/say.h"

namespace clusterc {
namespace {

void check(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  const auto& s = c.spec.software.scheduler;
  if (!s || s->kind.value != SchedulerKind::slurm || s->controllers || c.nodes.empty()) return;   // names that no node has: the resolver says so
  if (std::any_of(c.nodes.begin(), c.nodes.end(), [](const NodeGroupModel& g) { return g.has_role(Role::scheduler) && g.count > 0; })) return;
  findings.error(rule.id, first_place(s->kind.span, s->span), "no node runs the Slurm controller").help("give a node group the role scheduler, or name a node: `scheduler: { kind: slurm, controllers: n1 }`").object("software");
}

}  // namespace

constexpr std::string_view kExplanation = R"(## What it checks

Where Slurm is the scheduler, a node of the spec runs its controller: one of a group with the role `scheduler`, or one that `controllers` names.

## Why it matters

`slurm.conf` needs a `SlurmctldHost`; without one no daemon starts, and `compile` writes nothing.

## Formula

```
nodes with the role scheduler, or named by `controllers` >= 1
```

Source: Slurm, slurm.conf(5), SlurmctldHost.

## Example

`scheduler: { kind: slurm, version: 24.11 }` and only groups that compute.

## How to fix

A small group with `roles: [scheduler]`, or `controllers: n1` where a node does both.

## When to accept

Where the nodes join a Slurm that is described elsewhere: compile the other outputs with `--only`.
)";

const Rule kSchedControllerAbsent = {
    .id = "sched-controller-absent",
    .code = "SCHED-011",
    .severity = Severity::error,
    .physics = false,
    .summary = "no node runs the Slurm controller",
    .explanation = kExplanation,
    .check = check,
};

}  // namespace clusterc
