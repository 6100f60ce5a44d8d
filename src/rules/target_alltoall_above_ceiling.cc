#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "rules/target_say.h"

namespace clusterc {
namespace {

void target_alltoall_above_ceiling(const Rule& rule, const RuleInput& in, Findings& findings) {
  check_ceiling(rule, in, findings, {"nccl.all_to_all.busbw"});
}

}  // namespace

extern const Rule kTargetAlltoallAboveCeiling;  // registry.cc names it
const Rule kTargetAlltoallAboveCeiling = {
    .id = "target-alltoall-above-ceiling",
    .code = "TEST-002",
    .severity = Severity::error,
    .physics = true,
    .summary = "an all-to-all floor is above what each GPU's own adapter carries",
    .explanation = R"(## What it checks

A floor in the spec for all-to-all is not above the ceiling, which is each GPU's own share of the adapters, not the sum
of a node's adapters.

## Why it matters

All-reduce sends each byte out of the node once; all-to-all sends nearly all bytes over the one adapter of each GPU. A
target that was copied from all-reduce is eight times too high.

## Formula

```
floor <= 1.02 x Bnic x (n - 1)/(n - g)        Bnic = adapters of a node x rate / 8 x 0.98 / g
400 Gb/s: 49 GB/s x 15/8 = 91.9 GB/s on two nodes of eight, 51.9 GB/s on sixteen
```

Unit: B/s on both sides; rate in bit/s.

Source: NVIDIA/nccl-tests, doc/PERFORMANCE.md, and its issue 267.

Error: an upper bound. What healthy systems reach is stated in one source (48 to 49 GB/s of a 400 Gb/s adapter); how far
others are from it is not known.

## Example

`all_to_all: { floor: 300 GB/s }` on nodes with one 400 Gb/s adapter for each GPU.

## How to fix

Leave `floor` out.

## When to accept

Never: no run can reach it.
)",
    .check = target_alltoall_above_ceiling,
};

}  // namespace clusterc
