#include <algorithm>
#include <cmath>
#include <string>

#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/work_say.h"
#include "spec/workload.h"
#include "targets/workload_plan.h"

namespace clusterc {
namespace {

// How the split counts: GPUs of one copy, copies that the GPUs give, micro batches that a step has for all of them.
struct Count {
  std::int64_t gpus, copy, most, micro, sequences, data;
  std::int64_t shares() const { return sequences / micro; }
  std::int64_t over() const { return gpus - most * copy; }
  // All of so many GPUs have work: they are whole copies, and a step has equal parts for these.
  bool all_used(std::int64_t n) const { return n >= copy && n % copy == 0 && shares() % (n / copy) == 0; }
};

std::string copy_text(const Layout& l) {
  std::string out = format("tensor {} x pipeline {}", number(l.tensor), number(l.pipeline));
  if (l.context > 1) out += format(" x context {}", number(l.context));
  return out;
}

std::string why(const Count& n, const Layout& l) {
  return format("{} GPUs / ({}) = {} copies{}; the {} sequences of a step{} divide by {} of them at most, {} GPUs",
                n.gpus, copy_text(l), n.most, n.over() > 0 ? format(", {} GPUs over", n.over()) : std::string(),
                n.sequences, n.micro > 1 ? format(", {} at a time,", n.micro) : std::string(), n.data, n.data * n.copy);
}

// What of the batch would give each copy an equal part: the nearest number of sequences that does.
void help_batch(Finding& f, const Count& n, const WorkloadPlan& p) {
  const std::int64_t together = n.most * n.micro;
  const double sequences = std::max(1.0, std::round(p.job->batch / static_cast<double>(together))) *
                           static_cast<double>(together),
               tokens = sequences * p.job->model.sequence;
  if (tokens < 1e18)
    f.help(format("write `batch: {} tokens`: these are {} sequences for {} copies of the model, and {}",
                  static_cast<std::int64_t>(tokens), static_cast<std::int64_t>(sequences), n.most,
                  n.over() > 0 ? format("only {} stay idle", plural(n.over(), "GPU")) : "no GPU stays idle"));
}

// The node counts below and above whose GPUs all have work.
void help_nodes(Finding& f, const Count& n, const NamedMap<Value<std::int64_t>>& on, std::int64_t nodes) {
  if (on.entries.size() != 1 || n.gpus % nodes != 0) return;
  const std::int64_t each = n.gpus / nodes;
  std::int64_t below = nodes - 1, above = nodes + 1;
  while (below > 0 && !n.all_used(below * each)) --below;
  while (above <= 2 * nodes && !n.all_used(above * each)) ++above;
  const std::string& group = on.entries.front().name;
  if (below > 0)
    f.help(format(
        "write `on: {{ {}: {} }}`: the workload uses all of these {} GPUs, and the other nodes are free for other work",
        group, below, below * each));
  if (above <= 2 * nodes)
    f.help(format("run the workload on {} nodes of '{}': it uses all of their {} GPUs", above, group, above * each));
}

void work_gpus_left_idle(const Rule& rule, const RuleInput& in, Findings& findings) {
  for (const Named<Workload>& named : in.cluster.spec.workloads) {
    const Workload& w = named.value;
    if (!w.split || w.split->data) continue;
    const ModelSplit& s = *w.split;
    const WorkloadPlan p = plan_workload(in.cluster, named);
    if (!leaves_copies_idle(p, s)) continue;
    const Layout& l = *written_layout(p);
    const auto whole = [](double d) { return static_cast<std::int64_t>(d); };
    const std::int64_t idle = p.gpus - whole(l.gpus());
    const Count n{.gpus = p.gpus,
                  .copy = whole(l.copy()),
                  .most = p.gpus / whole(l.copy()),
                  .micro = whole(l.micro_batch),
                  .sequences = whole(p.job->batch),
                  .data = whole(l.data)};
    Finding& f = findings.warning(
        rule.id, s.span, format("the split of workload '{}' leaves {} of its {} GPUs idle", p.name, idle, p.gpus));
    f.label(why(n, l)).note(w.on.entries.front().name_span, "the nodes of the workload");
    help_batch(f, n, p);
    help_nodes(f, n, w.on, p.nodes);
    if (p.free->best && p.free->best->layout.gpus() >= static_cast<double>(p.gpus)) {
      const Layout& best = p.free->best->layout;
      f.help(format("the fastest split, {} x data {} with `micro_batch: {}`, uses all GPUs", copy_text(best),
                    number(best.data), number(best.micro_batch)));
    }
    f.object("workloads." + p.name);
  }
}

}  // namespace

extern const Rule kWorkGpusLeftIdle;  // registry.cc names it
const Rule kWorkGpusLeftIdle = {
    .id = "work-gpus-left-idle",
    .code = "WORK-012",
    .severity = Severity::warning,
    .physics = false,
    .summary = "the split of a workload leaves some of its GPUs idle",
    .explanation = R"(## What it checks

The rule applies to training whose `split` leaves `data` out. Each of the copies that the GPUs give must get an equal
part of the batch in a step. Otherwise the plan uses the number of copies that divides the batch, whether or not the
split fits the memory.
A written number of copies, and GPUs that do not make up a whole copy, are checked by
`work-parallel-layout-leaves-nvlink`.

## Why it matters

Idle GPUs draw power and are reserved for the job, but compute nothing. A job planned with 1,984 GPUs then runs on
1,024.

## Formula

```
copy = tensor x pipeline x context                GPUs
copies: the most that divide:  copies <= GPUs / copy, and (batch / sequence) mod (copies x micro_batch) = 0
idle = GPUs - copies x copy = 0
```

Unit: GPUs on both sides; batch and sequence in tokens.

Source: D. Narayanan et al., arXiv 2104.04473, sections 2 and 3 (p x t x d is the number of GPUs; the batch is divided evenly among d copies); Megatron-LM asserts the
second when it starts (megatron/core/num_microbatches_calculator.py; its words from general knowledge, not read).

Error: none beyond its inputs.

## Example

`split: { tensor: 4, pipeline: 4 }` with 2,048 sequences a step on 248 nodes of eight: 1,984 / 16 = 124 copies, of which 64 divide 2,048, and 960 GPUs are idle.

## How to fix

Change the batch, the number of nodes or the split as the help shows.

## When to accept

Where the other nodes are spares of the job. It is better to leave them out of `on`.
)",
    .check = work_gpus_left_idle,
};

}  // namespace clusterc
