#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "rules/target_say.h"
#include "targets/targets.h"

namespace clusterc {
namespace {

// The largest share of device memory that a published run filled (0.966, NVIDIA DGX systems on the TOP500).
constexpr double kUsualShare = 0.97;

void target_hpl_beyond_memory_or_peak(const Rule& rule, const RuleInput& in, Findings& findings) {
  check_ceiling(rule, in, findings, {"hpl.score"});
  Once once;
  for (const ExpectedFigure& f : in.targets.figures) {
    if (f.test != "hpl.score" || !f.size || !f.skip.empty()) continue;
    const int group = in.cluster.find_node_group(f.group);
    if (group < 0) continue;
    const NodeGroupModel& g = in.cluster.nodes[static_cast<std::size_t>(group)];
    if (!g.server.gpu || (g.server.gpu->form && *g.server.gpu->form == GpuForm::superchip))
      continue;  // it reaches the host's memory too
    if (!g.server.gpu->memory) {
      if (once.first(f.size.span))
        findings.note(rule.id, f.size.span,
                      format("`memory` of {} is not in the catalogue, so the size of {} was not checked",
                             g.server.gpu_model, to_text(*f.size)));
      continue;
    }
    const double have = g.server.gpu->memory->value * static_cast<double>(g.server.gpu_count * g.count);
    const std::string sum = format("{} x {} x {}", g.count, g.server.gpu_count, to_text(*g.server.gpu->memory));
    if (above(f.size->value, have) && once.first(f.size.span)) {
      Finding& x = findings.error(rule.id, f.size.span,
                                  format("a matrix of {} does not fit in the {} of device memory of '{}'",
                                         to_text(*f.size), to_text(have, Dimension::bytes, 4), g.name));
      x.label(sum).help("leave `size` out: the default is 85 % of the memory").object("nodes." + g.name);
      mention_unconfirmed(x, g.server.gpu->memory, format("the memory of '{}'", g.server.gpu_model));
    } else if (above(f.size->value, have * kUsualShare) && once.first(f.size.span))
      findings
          .warning(
              rule.id, f.size.span,
              format("a matrix of {} fills {} of the {} of device memory of '{}', but published runs fill at most 97 %",
                     to_text(*f.size), percent(f.size->value / have), to_text(have, Dimension::bytes, 4), g.name))
          .label(sum)
          .help("leave `size` out: the default is 85 % of the memory")
          .object("nodes." + g.name);
  }
}

}  // namespace

extern const Rule kTargetHplBeyondMemoryOrPeak;  // registry.cc names it
const Rule kTargetHplBeyondMemoryOrPeak = {
    .id = "target-hpl-beyond-memory-or-peak",
    .code = "TEST-006",
    .severity = Severity::error,
    .physics = true,
    .summary = "a LINPACK floor is above the FP64 peak, or its matrix does not fit",
    .explanation = R"(## What it checks

A floor in the spec for LINPACK is not above the FP64 peak of all GPUs of the group, and the size of its matrix is not
above their memory.

## Why it matters

Some GPUs have almost no FP64: an L40S has 1.4 TFLOP/s of FP64 and 362 TFLOP/s of BF16. A matrix that does not fit
aborts the run at its start, after the queue was drained for it.

## Formula

```
floor <= GPUs x FP64 peak (of the tensor cores where there are any)
size = 8 N^2 bytes <= memory of all GPUs;  a warning above 0.97 of it
```

Unit: FLOP/s on both sides, bytes on both sides.

Source: Netlib HPL; the largest published share of memory is 0.966; shares of the peak: 0.68 on eight H100 (aigatech/vpbenchmarking), 0.70 on A100 (NVIDIA/deepops).

Error: an upper bound, of which healthy systems reach a part: docs/formulas.md lists the part, docs/predictions.md the
error of the typical figure.

## Example

`hpl: { floor: 60 TFLOP/s }` for one L40S.

## How to fix

Leave `floor` and `size` out; on GPUs without FP64 skip the test, with the reason.

## When to accept

Never: the GPUs have no more FP64 rate and no more memory.
)",
    .check = target_hpl_beyond_memory_or_peak,
};

}  // namespace clusterc
