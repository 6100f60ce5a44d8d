#include "plan/cost/fitted.h"
#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"

namespace clusterc {
namespace {

// Loaders, communication threads, the job's own ranks (policy).
constexpr Threshold kNodeFewCoresPerGpuThreshold{
    .means = "cores for each GPU", .standard = 8, .least = 1, .most = 256, .whole = true};
// GPUs before sm 80 stand beside processors of at most 28 cores: DGX-1 has 40 cores for 8 V100, DGX-2 48 cores for 16
// (data sheets of DGX-1 with V100 and DGX-2).
constexpr std::int64_t kOlderCores = 3;
constexpr std::int64_t kNewerGpus = 80;
constexpr std::int64_t kSystemCores = 2;  // operating system and agents (policy)

void node_few_cores_per_gpu(const Rule& rule, const RuleInput& in, Findings& findings) {
  for (const NodeGroupModel& g : in.cluster.nodes) {
    const ServerModel& s = g.server;
    if (!is_ours(g) || g.count == 0 || !g.computes || s.gpu_count == 0 || s.cpu_count == 0 || !s.cpu) continue;
    if (s.cores == 0) {
      findings.note(
          rule.id, s.span,
          format("'{}' states no `cores`, so the cores of '{}' were not compared with its GPUs", s.cpu_model, g.name));
      continue;
    }
    const double set = in.threshold(rule);
    const bool older =
        s.gpu && s.gpu->sm && s.gpu->sm->major() < kNewerGpus && set == kNodeFewCoresPerGpuThreshold.standard;
    const std::int64_t cores_per_gpu = older ? kOlderCores : static_cast<std::int64_t>(set);
    if (s.cores >= cores_per_gpu * s.gpu_count) continue;
    const bool too_few = s.cores < s.gpu_count + kSystemCores;
    // A maker sells the machine with them.
    if (!too_few && as_sold(s.part.cpus) && as_sold(s.part.gpus) && !is_planning_default(s)) continue;
    const SourceSpan at = first_place(
        s.part.cpus ? in_spec(first_place(written(s.part.cpus->model), s.part.cpus->span), g) : SourceSpan{}, s.span);
    Finding& f = findings.add(
        too_few ? Severity::error : rule.severity, rule.id, at,
        too_few ? format("each node of '{}' has {} for {}, but needs at least one core per GPU and {} for the system",
                         g.name, plural(s.cores, "core"), plural(s.gpu_count, "GPU"), kSystemCores)
                : format("each node of '{}' has {:.3g} cores for each GPU, but {} are recommended", g.name,
                         static_cast<double>(s.cores) / static_cast<double>(s.gpu_count), cores_per_gpu));
    f.label(format("{} x {} cores / {}", s.cpu_count, s.cores / s.cpu_count, plural(s.gpu_count, "GPU")));
    mention_unconfirmed(f, s.cpu->cores, format("the number of cores of '{}'", s.cpu_model));
    f.help(format("use {} cores in each node", cores_per_gpu * s.gpu_count));
    f.object("nodes." + g.name);
  }
}

}  // namespace

extern const Rule kNodeFewCoresPerGpu;  // registry.cc names it
const Rule kNodeFewCoresPerGpu = {
    .id = "node-few-cores-per-gpu",
    .code = "NODE-005",
    .severity = Severity::warning,
    .physics = false,
    .summary = "a node has too few processor cores for its GPUs",
    .explanation = R"(## What it checks

A node has eight processor cores for each GPU. It is an error if it does not have one for each GPU and two for the
system.

## Why it matters

Each GPU needs cores for its rank, its data loaders and the threads of the communication library. If these share cores,
the GPU waits.

## Formula

```
cores / GPUs >= 8, >= 3 for GPUs before sm 80;  cores >= GPUs + 2
```

Unit: cores of each GPU on both sides.

Silent where processors and GPUs are as the catalogue's machine is sold with them.

Source: policy; systems of the makers have 14 (DGX H100: 112 cores, 8 GPUs) and 16 (DGX A100: 128 cores).

Error: none beyond its inputs. The limits are policy: how many cores a program needs is not known.

## Example

Eight GPUs and one processor of 32 cores: four cores for each GPU.

## How to fix

Use processors with more cores, or a second one.

## When to accept

For inference, or where data are prepared elsewhere.
)",
    .check = node_few_cores_per_gpu,
    .threshold = &kNodeFewCoresPerGpuThreshold,
};

}  // namespace clusterc
