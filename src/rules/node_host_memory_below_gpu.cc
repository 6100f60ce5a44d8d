#include "plan/cost/fitted.h"
#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"

namespace clusterc {
namespace {

// Policy; DGX B200: 2 TB for 1.44 TB, 1.4.
constexpr Threshold kNodeHostMemoryBelowGpuThreshold{
    .means = "ratio of host memory to GPU memory", .standard = 1, .least = 0.1, .most = 8};
constexpr double kGood = 2.0;  // DGX H100: 2 TB for 0.64 TB, 3.1

void node_host_memory_below_gpu(const Rule& rule, const RuleInput& in, Findings& findings) {
  for (const NodeGroupModel& g : in.cluster.nodes) {
    const ServerModel& s = g.server;
    if (!is_ours(g) || g.count == 0 || !g.computes || !s.gpu || s.gpu_count == 0) continue;
    if (!s.gpu->memory || !s.memory) {
      findings.note(rule.id, s.span,
                    format("'{}' states no `memory`, so the memory of '{}' was not compared with that of its GPUs",
                           s.memory ? s.gpu_model : s.id, g.name));
      continue;
    }
    const Bytes gpus = *s.gpu->memory * static_cast<double>(s.gpu_count);
    if (!above(gpus.value * in.threshold(rule), s.memory->value)) continue;
    // A maker sells the machine with it (DGX B300: 2 TB beside 2.3 TB of GPU memory): nothing here is the spec's
    // choice.
    if (as_sold(s.part.memory) && as_sold(s.part.gpus) && !is_planning_default(s)) continue;
    const SourceSpan at = first_place(
        s.part.memory ? in_spec(first_place(written(s.part.memory->size), s.part.memory->span), g) : SourceSpan{},
        s.span);
    Finding& f = findings.add(
        rule.severity, rule.id, at,
        format("each node of '{}' has {} of memory, but its GPUs have {}", g.name, to_text(*s.memory), to_text(gpus)));
    f.label(
        format("{} x {}; host memory is {} of it", s.gpu_count, to_text(*s.gpu->memory), percent(*s.memory / gpus)));
    mention_unconfirmed(f, s.gpu->memory, format("the memory of '{}'", s.gpu_model));
    if (!s.memory.confirmed) f.note(s.memory.span, format("the memory of '{}' is not confirmed", s.id));
    f.help(format("use {} or more", to_text(gpus * kGood)));
    f.object("nodes." + g.name);
  }
}

}  // namespace

extern const Rule kNodeHostMemoryBelowGpu;  // registry.cc names it
const Rule kNodeHostMemoryBelowGpu = {
    .id = "node-host-memory-below-gpu",
    .code = "NODE-003",
    .severity = Severity::warning,
    .physics = false,
    .summary = "a node has less host memory than GPU memory",
    .explanation = R"(## What it checks

A node with GPUs has at least as much host memory as its GPUs have together.

## Why it matters

Checkpoints, pinned buffers, data loaders and the page cache use host memory. With less of it than GPU memory, a
checkpoint cannot be staged and jobs are killed because memory runs out.

## Formula

```
host memory >= 1.0 x GPUs x memory of one;  2.0 x is good practice
```

Unit: bytes on both sides.

Silent where memory and GPUs are as the catalogue's machine is sold with them.

Source: policy; systems of the makers have 1.4 times (DGX B200: 2 TB for 1.44 TB) to 3 times (DGX H100).

Error: none beyond its inputs. The limits are policy: how much memory a program needs is not known.

## Example

512 GB for eight GPUs of 141 GB, 1,128 GB together.

## How to fix

Use larger modules, or one or two on each channel.

## When to accept

For inference with models that stay on the GPUs.
)",
    .check = node_host_memory_below_gpu,
    .threshold = &kNodeHostMemoryBelowGpuThreshold,
};

}  // namespace clusterc
