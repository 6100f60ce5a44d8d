#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "rules/target_say.h"

namespace clusterc {
namespace {

void check(const Rule& rule, const RuleInput& in, Findings& findings) {
  check_ceiling(rule, in, findings, {"nccl.all_to_all.busbw"});
}

}  // namespace

constexpr std::string_view kExplanation = R"(## What it checks

A floor that the spec sets for all-to-all is not above the ceiling, which each GPU's own share of the adapters sets, and never the sum of a node's.

## Why it matters

All-reduce sends each byte once over the node's edge; all-to-all sends nearly all of them over the one adapter of each GPU. A target that was taken from all-reduce is eight times too high.

## Formula

```
floor <= 1.02 x Bnic x (n - 1)/(n - g)        Bnic = adapters of a node x rate / 8 x 0.98 / g
400 Gb/s: 49 GB/s x 15/8 = 91.9 GB/s on two nodes of eight, 51.9 GB/s on sixteen
```

Source: NVIDIA/nccl-tests, doc/PERFORMANCE.md, and its issue 267.

## Example

`all_to_all: { floor: 300 GB/s }` on nodes with one 400 Gb/s adapter for each GPU.

## How to fix

Leave `floor` out.

## When to accept

Never: no run can meet it.
)";

extern const Rule kTargetAlltoallAboveCeiling;  // registry.cc names it
const Rule kTargetAlltoallAboveCeiling = {
    .id = "target-alltoall-above-ceiling",
    .code = "TEST-002",
    .severity = Severity::error,
    .physics = true,
    .summary = "an all-to-all target above what each GPU's own adapter carries",
    .explanation = kExplanation,
    .check = check,
};

}  // namespace clusterc
