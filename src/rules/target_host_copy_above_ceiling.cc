#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "rules/target_say.h"

namespace clusterc {
namespace {

void target_host_copy_above_ceiling(const Rule& rule, const RuleInput& in, Findings& findings) {
  check_ceiling(rule, in, findings, {"pcie.copy", "nvlink.copy"});
}

}  // namespace

extern const Rule kTargetHostCopyAboveCeiling;  // registry.cc names it
const Rule kTargetHostCopyAboveCeiling = {
    .id = "target-host-copy-above-ceiling",
    .code = "TEST-004",
    .severity = Severity::error,
    .physics = true,
    .summary = "a copy floor is above the link rate less its headers",
    .explanation = R"(## What it checks

A floor in the spec for copies between host and GPU, or between two GPUs over NVLink, is not above the link's rate less
the PCIe headers.

## Why it matters

Data sheets print the raw rate of a link, and for NVLink the sum of both directions. No measurement reaches either.

## Formula

```
floor <= 1.02 x lanes x rate of a lane x 256 / (256 + 20)       x16: generation 3 14.6, 4 29.2, 5 58.5 GB/s
NVLink: all links of one GPU, one way                            450 GB/s on H100
```

Unit: B/s on both sides.

Source: PCI Express Base Specification 5.0, sections 2.2.1, 3.6 and 4.2; a payload of 256 bytes is what platforms negotiate. Best published: 55.4 GB/s on generation 5 (stas00/ml-engineering).

Error: an upper bound, of which healthy systems reach a part: docs/formulas.md lists the part. 2 % are left for smaller
headers and rounding.

## Example

`pcie: { floor: 63 GB/s }`, the rate of a generation 5 link with its headers.

## How to fix

Leave `floor` out.

## When to accept

Never: no run can reach it. Platforms with a larger payload than 256 bytes stay below 1.02.
)",
    .check = target_host_copy_above_ceiling,
};

}  // namespace clusterc
