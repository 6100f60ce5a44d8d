#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "rules/target_say.h"

namespace clusterc {
namespace {

void check(const Rule& rule, const RuleInput& in, Findings& findings) {
  check_ceiling(rule, in, findings, {"gemm.fp64", "gemm.fp32", "gemm.tf32", "gemm.bf16", "gemm.fp16", "memory.triad"});
}

}  // namespace

constexpr std::string_view kExplanation = R"(## What it checks

A floor that the spec sets for matrix multiplication or memory bandwidth is not above the dense peak of the data type, or the data sheet's bandwidth.

## Why it matters

Data sheets print the rate for matrices that are half zeros first. A gate on it, or on a share of it, fails every GPU.

## Formula

```
floor <= dense peak of the part (BF16 for GPUs, FP64 for hosts);  floor <= memory bandwidth of the data sheet
host: cores x clock x FP64 operations a cycle;  populated channels x rate x 8 B
```

Source: the part's data sheet, named in the catalogue with each figure.

## Example

`gemm: { floor: 1979 TFLOP/s }` on H100, the sparse figure; dense are 989.

## How to fix

Leave `floor` out.

## When to accept

Never: no run can meet it.
)";

extern const Rule kTargetGemmAbovePeak;  // registry.cc names it
const Rule kTargetGemmAbovePeak = {
    .id = "target-gemm-above-peak",
    .code = "TEST-005",
    .severity = Severity::error,
    .physics = true,
    .summary = "a matrix or memory target above the peak",
    .explanation = kExplanation,
    .check = check,
};

}  // namespace clusterc
