#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "rules/target_say.h"

namespace clusterc {
namespace {

void target_all_reduce_above_ceiling(const Rule& rule, const RuleInput& in, Findings& findings) {
  check_ceiling(rule, in, findings, {"nccl.all_reduce.busbw", "nccl.all_gather.busbw"});
}

}  // namespace

extern const Rule kTargetAllReduceAboveCeiling;  // registry.cc names it
const Rule kTargetAllReduceAboveCeiling = {
    .id = "target-all-reduce-above-ceiling",
    .code = "TEST-001",
    .severity = Severity::error,
    .physics = true,
    .summary = "an all-reduce or all-gather floor is above what links and algorithms allow",
    .explanation = R"(## What it checks

A floor in the spec for all-reduce or all-gather is not above the ceiling: the best of the algorithms that the cluster
has (ring, hierarchical, in-network reduction where the network declares it), each as fast as NVLink and adapters allow.

## Why it matters

Such a test fails on a healthy cluster in every run, and the search for a defect finds nothing.

## Formula

```
floor <= 1.02 x ceiling                            B = adapters x rate / 8 x 0.98     Bnic = B / g
ring               min(W, B)
hierarchical       min(NVLink term, Bnic x (n-1)/(k-1))        n ranks, k nodes, g GPUs in each
in-network         min(NVLink term, B x 2(n-1)/n)
one node           NVLink SHARP 2W x (n-1)/n x g/(g+1), else a ring: W
all-gather         ring
```

Unit: B/s on both sides; W, B and Bnic in B/s, rate in bit/s.

2 % are left for smaller headers and rounding. 8 x 400 Gb/s on 16 nodes of eight: ring 392 GB/s, hierarchical 415 GB/s.

Source: NVIDIA/nccl-tests, doc/PERFORMANCE.md; payload share of an adapter: NVIDIA/nccl issue 2409, NVIDIA/nccl-tests issue 267. Targets of this kind: NVIDIA/nccl-tests issues 212 and 267, NVIDIA/nccl issues 778 and 2409.

Error: an upper bound, of which healthy systems reach a part: docs/formulas.md lists the part, docs/predictions.md the
error of the typical figure.

## Example

`all_reduce: { floor: 450 GB/s }` on 16 nodes with 8 x 400 Gb/s.

## How to fix

Leave `floor` out: the finding shows the derived one.

## When to accept

Never: no run can reach it. If the network reduces in its switches, write `sharp: true`.
)",
    .check = target_all_reduce_above_ceiling,
};

}  // namespace clusterc
