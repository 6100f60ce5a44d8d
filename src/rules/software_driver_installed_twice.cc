#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "rules/software_say.h"

namespace clusterc {
namespace {

void software_driver_installed_twice(const Rule& rule, const RuleInput& in, Findings& findings) {
  Once once;
  for (const NodeGroupModel& g : in.cluster.nodes) {
    const Software& s = *g.software;
    if (!has_nvidia_gpus(g) || !g.computes || !s.gpu_operator || !s.gpu_operator->driver.value_or(true) ||
        !s.gpu_driver)
      continue;
    const SourceSpan here = first_place(written(s.gpu_operator->driver), s.gpu_operator->span);
    if (!once.first(here)) continue;
    findings
        .error(
            rule.id, here,
            format("the GPU Operator installs a driver on '{}', which already has the driver of the node's image ({})",
                   g.name, s.gpu_driver->text()))
        .note(s.gpu_driver.span, "the driver of the image is set here")
        .help("write `gpu_operator: { driver: false }`, or leave `gpu_driver` out if the operator installs the driver")
        .object("nodes." + g.name);
  }
}

}  // namespace

extern const Rule kSoftwareDriverInstalledTwice;  // registry.cc names it
const Rule kSoftwareDriverInstalledTwice = {
    .id = "software-driver-installed-twice",
    .code = "SW-014",
    .severity = Severity::error,
    .physics = false,
    .summary = "the GPU Operator and the node's own image both install the driver",
    .explanation = R"(## What it checks

Where Kubernetes runs the GPU Operator, either the operator or the node's image (`gpu_driver`) installs the driver.

## Why it matters

The operator's driver container finds the modules of the host's loaded and waits for them to be unloaded, for ever; or it unloads them under running jobs.

## Formula

```
gpu_operator.driver (true where nothing is asked for)  and  gpu_driver
```

Unit: none. Settings are compared.

Source: NVIDIA, GPU Operator, installation with pre-installed drivers; NVIDIA/gpu-operator issues 83 and 1043.

## Example

`gpu_driver: 580` with `gpu_operator: { version: 25.3 }`.

## How to fix

`gpu_operator: { driver: false }`; the same for `toolkit`, where the image has it.

## When to accept

Where `gpu_driver` only notes what the operator is told to install.
)",
    .check = software_driver_installed_twice,
};

}  // namespace clusterc
