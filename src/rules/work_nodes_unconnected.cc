#include <string>

#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/work_say.h"
#include "spec/workload.h"

namespace clusterc {
namespace {

void work_nodes_unconnected(const Rule& rule, const RuleInput& in, Findings& findings) {
  each_workload(in, "training", [&](const std::string& name, SourceSpan at, const Workload& w, const WorkloadGpus& g) {
    const std::string group = unconnected_group(in.cluster, g);
    if (group.empty()) return;
    Finding& f = findings.warning(
        rule.id, at,
        format("workload '{}' runs on {} nodes, but no network that carries compute connects the nodes of '{}'", name,
               g.nodes, group));
    f.label(format("{} GPUs exchange gradients, activations or weights in each step", g.gpus));
    f.note(w.on.entries.front().name_span, "the nodes of the workload");
    f.help(
        format("write a network: `networks: {{ compute: {{ kind: infiniband, rate: 400 Gb/s, connects: {{ {}: {{ "
               "ports: compute }} }} }} }}`",
               group));
    f.object("workloads." + name);
  });
}

}  // namespace

extern const Rule kWorkNodesUnconnected;  // registry.cc names it
const Rule kWorkNodesUnconnected = {
    .id = "work-nodes-unconnected",
    .code = "WORK-013",
    .severity = Severity::warning,
    .physics = false,
    .summary = "no network connects the nodes of a training workload",
    .explanation = R"(## What it checks

A training workload on several nodes (or NVLink domains) has a network that carries compute and connects the nodes of
each of its groups.

## Why it matters

In each step, the GPUs exchange gradients, and also activations or weights, depending on the split. Without a network in
the spec, the plan cannot compute how long this takes: its step time is that of computation alone, and all times and
rates that follow from it are too good.

## Formula

```
GPUs of the workload > GPUs of one node or NVLink domain  =>  ports of each group in a network that carries compute > 0
```

Unit: GPUs; ports.

Source: S. Rajbhandari et al., ZeRO, SC 2020, section 7 (each step sends at least 2 bytes per parameter twice).

Error: none beyond its inputs.

## Example

Four DGX H200 under `nodes`, no `networks`, and `on: { gpu: 4 }`.

## How to fix

Write the network that connects the nodes: its `kind`, `rate` and `connects`. If the network exists in the spec, add
`compute` to its `carries`.

## When to accept

Where the network is not chosen yet, and the plan is used for power and space only.
)",
    .check = work_nodes_unconnected,
};

}  // namespace clusterc
