#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "rules/target_say.h"

namespace clusterc {
namespace {

void target_gemm_above_peak(const Rule& rule, const RuleInput& in, Findings& findings) {
  check_ceiling(rule, in, findings, {"gemm.fp64", "gemm.fp32", "gemm.tf32", "gemm.bf16", "gemm.fp16", "memory.triad"});
}

}  // namespace

extern const Rule kTargetGemmAbovePeak;  // registry.cc names it
const Rule kTargetGemmAbovePeak = {
    .id = "target-gemm-above-peak",
    .code = "TEST-005",
    .severity = Severity::error,
    .physics = true,
    .summary = "a matrix or memory floor is above the peak",
    .explanation = R"(## What it checks

A floor in the spec for matrix multiplication or memory bandwidth is not above the dense peak of the data type, or the
bandwidth in the data sheet.

## Why it matters

Data sheets first print the sparse rate, for matrices that are half zeros. Every GPU fails a floor set to it, or to a
share of it.

## Formula

```
floor <= dense peak of the part (BF16 for GPUs, FP64 for hosts);  floor <= memory bandwidth of the data sheet
host: cores x clock x FP64 operations a cycle;  populated channels x rate x 8 B
```

Unit: FLOP/s on both sides, B/s on both sides; clock in Hz, rate in transfers/s.

Source: the part's data sheet, named in the catalogue with each figure.

Error: an upper bound, of which healthy systems reach a part: docs/formulas.md lists the part.

## Example

`gemm: { floor: 1979 TFLOP/s }` on H100, the sparse figure; the dense figure is 989 TFLOP/s.

## How to fix

Leave `floor` out.

## When to accept

Never: no run can reach it.
)",
    .check = target_gemm_above_peak,
};

}  // namespace clusterc
