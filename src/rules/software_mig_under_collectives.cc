#include <algorithm>
#include <string>

#include "model/mig.h"
#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/target_say.h"
#include "rules/work_say.h"
#include "spec/workload.h"
#include "targets/metrics.h"
#include "targets/targets.h"

namespace clusterc {
namespace {

bool cut(const NodeGroupModel& g) { return !cut_by_mig(g.software).empty(); }

// A copy of the model that lies on more than one GPU, or copies that add up their gradients.
bool speaks(const Cluster& c, const Named<Workload>& named, const WorkloadGpus& g) {
  const Workload& w = named.value;
  const std::string kind = w.kind.value_or("training");
  if (kind == "training" || kind == "fine-tuning") return g.gpus > 1;
  if (kind != "inference") return false;
  if (w.split) return w.split->tensor.value_or(1) * w.split->pipeline.value_or(1) > 1;
  const WorkloadPlan plan = plan_workload(c, named);  // as many as hold it
  return plan.serving && plan.serving->used.split.gpus() > 1;
}

void software_mig_under_collectives(const Rule& rule, const RuleInput& in, Findings& findings) {
  for (const auto& w : in.cluster.spec.workloads) {
    const auto gpus = gpus_of(in.cluster, w.value);
    if (!gpus ||
        std::none_of(gpus->groups.begin(), gpus->groups.end(), [](const NodeGroupModel* g) { return cut(*g); }) ||
        !speaks(in.cluster, w, *gpus))
      continue;
    for (const NodeGroupModel* g : gpus->groups) {
      if (!cut(*g)) continue;
      findings
          .warning(
              rule.id, w.value.on.entries.front().name_span,
              format("workload '{}' needs GPUs that exchange data directly, but MIG divides the GPUs of '{}' into {}",
                     w.name, g->name, *g->software->mig))
          .note(g->software->mig.span,
                "MIG instances cannot exchange data peer to peer, neither over NVLink nor over PCIe")
          .help("write `mig: off` for this group, or run the workload on another group")
          .object("workloads." + w.name);
      break;
    }
  }
  Once once;
  for (const ExpectedFigure& f : in.targets.figures) {
    // A floor of the spec's own is target-from-another-configuration's.
    if (!f.demanded || f.floor_by_user || !f.skip.empty() || collective_of(f.test).empty()) continue;
    const int group = in.cluster.find_node_group(f.group);
    if (group < 0 || !cut(in.cluster.nodes[static_cast<std::size_t>(group)]) || !once.first(f.wish_place)) continue;
    const NodeGroupModel& g = in.cluster.nodes[static_cast<std::size_t>(group)];
    findings
        .warning(rule.id, f.wish_place,
                 format("{} is a target for whole GPUs, but MIG divides the GPUs of '{}' into {}", f.test, g.name,
                        *g.software->mig))
        .note(g.software->mig.span,
              "MIG instances cannot exchange data peer to peer, neither over NVLink nor over PCIe")
        .help("run acceptance with `mig: off`, or skip this test with MIG as the reason")
        .object(target_object(f));
  }
}

}  // namespace

extern const Rule kSoftwareMigUnderCollectives;  // registry.cc names it
const Rule kSoftwareMigUnderCollectives = {
    .id = "software-mig-under-collectives",
    .code = "SW-021",
    .severity = Severity::warning,
    .physics = false,
    .summary = "GPUs that MIG divides must exchange data",
    .explanation = R"(## What it checks

No workload whose GPUs exchange data (training on more than one, inference with a model over several), and no collective that `targets` names, runs on GPUs that are cut into MIG instances.

## Why it matters

Instances have no peer-to-peer road: neither NVLink nor PCIe, no NVLS. NCCL before its experimental support refuses two ranks on one GPU ("Duplicate GPU detected"); with it they exchange data over
the host's memory and the adapters alone, at a small part of the rate. The plan's step times and targets are those of whole GPUs.

## Formula

```
mig other than off:  no training on more than one GPU, no tensor or pipeline parallelism (written, or because one GPU does not hold the model), no nccl target
```

Unit: none. Settings are compared.

Source: NVIDIA, MIG user guide, deployment considerations (no GPU-to-GPU P2P, neither PCIe nor NVLink); NVIDIA/nccl issue 1716 (comment of 2026-08-23: experimental support, by shared memory
between instances and by the adapter between GPUs, no P2P) and 418 (duplicate GPU).

## Example

`mig: 7x1g.10gb` with a training `on: { gpu: 64 }`.

## How to fix

`mig: off` for the group that trains, and instances on another group.

## When to accept

Tests of software, whose speed is of no interest.
)",
    .check = software_mig_under_collectives,
};

}  // namespace clusterc
