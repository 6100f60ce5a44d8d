#include "rules/rule.h"
#include "rules/say.h"
#include "targets/demands.h"

namespace clusterc {
namespace {

void target_without_test(const Rule& rule, const RuleInput& in, Findings& findings) {
  for (const DemandWithoutTest& none : demands_without_test(in.cluster, in.targets))
    findings
        .add(rule.severity, rule.id, none.place,
             format("no test of this cluster measures '{}', which `targets` demands{}: {}", none.key,
                    none.group.empty() ? std::string() : format(" of '{}'", none.group), none.why))
        .help(
            format("leave '{}' out, or write `skip` with the reason: otherwise no run of `validate` passes", none.key))
        .object(none.group.empty() ? std::string("targets") : "nodes." + none.group);
}

}  // namespace

extern const Rule kTargetWithoutTest;  // registry.cc names it
const Rule kTargetWithoutTest = {
    .id = "target-without-test",
    .code = "TEST-014",
    .severity = Severity::warning,
    .physics = false,
    .summary = "a demanded figure is measured by no test on this cluster",
    .explanation = R"(## What it checks

For each figure that `targets` names there is a test that can measure it on this cluster.

## Why it matters

A figure that `targets` names is a demand. A run of `clusterc validate` passes only if each demand was measured and met.
A demand without a test fails every acceptance.

## Formula

```
memory, gemm, hpl                     computing nodes
pcie                                  GPUs
nvlink                                GPUs of one node that NVLink joins
all_reduce, all_gather, all_to_all    GPUs that have others to exchange data with
rdma                                  two nodes of a group with RDMA ports in a network that carries compute
storage_read, storage_write           a storage system that computing nodes mount
```

Unit: none. The question is whether there is a test.

Source: the table of metrics (docs/validate.md).

## Example

`targets: { all_reduce: { floor: 900 GB/s } }` for a cluster without GPUs.

## How to fix

Remove the figure from `targets`, or write `skip` with the reason. If the hardware should have the part, correct `nodes`
or `networks`.

## When to accept

It is not needed: write `skip`. An accepted finding does not change the verdict of `validate`.
)",
    .check = target_without_test,
};

}  // namespace clusterc
