#include <cstdint>
#include <string>

#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "rules/work_say.h"
#include "spec/workload.h"

namespace clusterc {
namespace {

void work_parallel_layout_leaves_nvlink(const Rule& rule, const RuleInput& in, Findings& findings) {
  for (const auto& w : in.cluster.spec.workloads) {
    const auto g = gpus_of(in.cluster, w.value);
    if (!g || !w.value.split) continue;
    const ModelSplit& s = *w.value.split;
    const std::int64_t tensor = s.tensor.value_or(1), pipeline = s.pipeline.value_or(1);
    if (tensor > g->nvlink_domain)
      findings
          .warning(rule.id, first_place(s.tensor.span, s.span),
                   format("workload '{}' splits each layer over {} GPUs, but NVLink connects {}", w.name, tensor,
                          g->nvlink_domain))
          .note(w.value.on.entries.front().name_span, "the group of the workload")
          .help(format("write `split: {{ tensor: {}, pipeline: {} }}`", g->nvlink_domain,
                       pipeline * ((tensor + g->nvlink_domain - 1) / g->nvlink_domain)))
          .object("workloads." + w.name);
    const std::int64_t context = s.context.value_or(1), copy = tensor * pipeline * context;
    if (copy > g->gpus) continue;  // more than there are: work-split-impossible says so
    const std::int64_t used = s.data ? copy * *s.data : g->gpus / copy * copy;
    if (used >= g->gpus) continue;  // likewise
    if (!s.data && leaves_copies_idle(plan_workload(in.cluster, w), s))
      continue;  // more than these: work-gpus-left-idle counts them all
    const std::string of_copy = format("tensor {} x pipeline {}{}", tensor, pipeline,
                                       context > 1 ? format(" x context {}", context) : std::string());
    Finding& f = findings.warning(
        rule.id, first_place(s.data.span, s.span),
        s.data
            ? format("workload '{}' is split over {} GPUs, but its groups have {}", w.name, used, g->gpus)
            : format("each model replica of workload '{}' needs {} GPUs, and the {} GPUs of its groups are no multiple "
                     "of {}",
                     w.name, copy, g->gpus, copy));
    f.label(s.data ? format("{} x data {}", of_copy, *s.data)
                   : format("{}: {} replicas use {} GPUs, {} GPUs stay idle", of_copy, g->gpus / copy, used,
                            g->gpus - used));
    f.help(s.data ? std::string("leave `data` out: it follows from the number of GPUs")
                  : format("use tensor, pipeline and context sizes whose product divides {} GPUs", g->gpus));
    f.object("workloads." + w.name);
  }
}

}  // namespace

extern const Rule kWorkParallelLayoutLeavesNvlink;  // registry.cc names it
const Rule kWorkParallelLayoutLeavesNvlink = {
    .id = "work-parallel-layout-leaves-nvlink",
    .code = "WORK-005",
    .severity = Severity::warning,
    .physics = false,
    .summary = "a layer is split over more GPUs than NVLink connects, or the split does not use all GPUs",
    .explanation = R"(## What it checks

The GPUs that share each layer (`tensor`) are connected by NVLink, and tensor x pipeline x context x data is the number
of GPUs of the workload.

## Why it matters

Tensor parallelism exchanges all activations of each layer twice in each direction. Over adapters of 50 GB/s instead of
NVLink's 450 GB/s, the GPUs wait for most of each step.

## Formula

```
tensor <= GPUs of an NVLink domain (of the server, or of the rack-scale system)
tensor x pipeline x context x data = GPUs of `on`
```

Unit: GPUs on both sides.

Source: D. Narayanan et al., arXiv 2104.04473, section 3.2 (tensor parallelism within a server).

Error: none beyond its inputs.

## Example

`split: { tensor: 16 }` on servers of eight GPUs.

## How to fix

`split: { tensor: 8, pipeline: 2 }`.

## When to accept

Where the model's layers are so large that they fit no other split.
)",
    .check = work_parallel_layout_leaves_nvlink,
};

}  // namespace clusterc
