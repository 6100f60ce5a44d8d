#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "rules/target_say.h"

namespace clusterc {
namespace {

void target_rdma_above_line_rate(const Rule& rule, const RuleInput& in, Findings& findings) {
  check_ceiling(rule, in, findings, {"rdma.write"});
}

}  // namespace

extern const Rule kTargetRdmaAboveLineRate;  // registry.cc names it
const Rule kTargetRdmaAboveLineRate = {
    .id = "target-rdma-above-line-rate",
    .code = "TEST-003",
    .severity = Severity::error,
    .physics = true,
    .summary = "a point-to-point RDMA floor is above the line rate less its headers",
    .explanation = R"(## What it checks

A floor in the spec for RDMA between two adapters is not above the rate of a port less the required headers.

## Why it matters

"400 Gb/s" is what the wire carries with its headers. Every adapter fails a floor of 400 Gb/s or 50 GB/s.

## Formula

```
floor <= 1.02 x rate / 8 x 0.98          4,096 bytes of payload in 4,178 on the wire
400 Gb/s: 49 GB/s (392 Gb/s)
```

Unit: B/s on both sides; rate in bit/s.

Source: RoCE v2 headers (IBTA annex A17); highest published result, 392 Gb/s: NVIDIA/nccl issue 2409.

Error: an upper bound, of which healthy systems reach a part: docs/formulas.md lists the part. 2 % are left for smaller
headers and rounding.

## Example

`rdma: { floor: 50 GB/s }` on a network of 400 Gb/s.

## How to fix

Leave `floor` out: 390 Gb/s is the published pass limit for NDR.

## When to accept

Never: no run can reach it.
)",
    .check = target_rdma_above_line_rate,
};

}  // namespace clusterc
