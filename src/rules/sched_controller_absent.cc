#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/nodes.h"
#include "spec/site.h"
#include "spec/software.h"

namespace clusterc {
namespace {

void sched_controller_absent(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  const auto& s = c.spec.software->scheduler;
  if (!s || s->controllers || c.nodes.empty()) return;  // names that no node has: the resolver says so
  const bool kubernetes = s->kind.value == SchedulerKind::kubernetes;
  if (s->kind.value != SchedulerKind::slurm &&
      !(kubernetes && !(c.spec.site && c.spec.site->kind.value == SiteKind::cloud)))
    return;  // a cloud runs the control plane itself
  const Role role = kubernetes ? Role::control_plane : Role::scheduler;
  if (std::any_of(c.nodes.begin(), c.nodes.end(),
                  [&](const NodeGroupModel& g) { return g.has_role(role) && g.count > 0; }))
    return;
  findings
      .error(rule.id, first_place(s->kind.span, s->span),
             kubernetes ? "no node runs the control plane of Kubernetes" : "no node runs the Slurm controller")
      .help(format("give a node group the role {}, or name a node: `scheduler: {{ kind: {}, controllers: n1 }}`",
                   enum_text(role), enum_text(*s->kind)))
      .object("software");
}

}  // namespace

extern const Rule kSchedControllerAbsent;  // registry.cc names it
const Rule kSchedControllerAbsent = {
    .id = "sched-controller-absent",
    .code = "SCHED-011",
    .severity = Severity::error,
    .physics = false,
    .summary = "no node runs the controller of Slurm, or the control plane of Kubernetes",
    .explanation = R"(## What it checks

Where Slurm or Kubernetes is the scheduler, a node of the spec runs its controller: one of a group with the role `scheduler` (Slurm) or `control-plane`
(Kubernetes), or one that `controllers` names. In a cloud the control plane of Kubernetes may be the provider's: nothing is said there.

## Why it matters

`slurm.conf` needs a `SlurmctldHost`; without one no daemon starts, and `compile` writes nothing.
A kubelet registers with an API server; without one no pod is placed.

## Formula

```
nodes with the role scheduler (Kubernetes: control-plane), or named by `controllers` >= 1
```

Unit: none. The question is whether a node has a role.

Source: Slurm, slurm.conf(5), SlurmctldHost. Kubernetes documentation, Cluster Architecture, "Control plane components" (https://kubernetes.io/docs/concepts/architecture/).

## Example

`scheduler: { kind: slurm, version: 24.11 }` and only groups that compute.

## How to fix

A small group with `roles: [scheduler]`, three nodes with `roles: [control-plane, etcd]`, or `controllers: n1` where a node does both.

## When to accept

Where the nodes join a Slurm or a Kubernetes that is described elsewhere: compile the other outputs with `--only`.
)",
    .check = sched_controller_absent,
};

}  // namespace clusterc
