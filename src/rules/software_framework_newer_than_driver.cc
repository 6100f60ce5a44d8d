#include "model/frameworks.h"
#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "rules/software_say.h"
#include "spec/software.h"

namespace clusterc {
namespace {

void software_framework_newer_than_driver(const Rule& rule, const RuleInput& in, Findings& findings) {
  Once once;
  for (const NodeGroupModel& g : in.cluster.nodes) {
    if (g.count == 0) continue;
    for (const NamedVersion& framework : g.software->frameworks) {
      const FrameworkWheel* wheel = wheel_of(g, framework);
      if (!wheel || driver_runs(g, *wheel) || !once.first(framework.kind.span)) continue;
      findings
          .error(rule.id, framework.kind.span,
                 format("{} {} has CUDA {} in its wheels, which needs driver {} or newer, but group '{}' has {}",
                        wheel->name, wheel->release, wheel->cuda, *driver_for(*wheel), g.name,
                        g.software->gpu_driver->text()))
          .note(g.software->gpu_driver.span, "the driver is set here")
          .help(format("write `gpu_driver: {}`, or leave the release of {} out: the newest that the driver runs is "
                       "taken",
                       *driver_for(*wheel), wheel->name))
          .object("nodes." + g.name);
    }
  }
}

}  // namespace

extern const Rule kSoftwareFrameworkNewerThanDriver;  // registry.cc names it
const Rule kSoftwareFrameworkNewerThanDriver = {
    .id = "software-framework-newer-than-driver",
    .code = "SW-027",
    .severity = Severity::error,
    .physics = false,
    .summary = "the wheels of a framework bring a CUDA that is newer than the driver allows",
    .explanation = R"(## What it checks

The driver of each group with NVIDIA GPUs runs the CUDA that the wheels of its `frameworks` bring with them.

## Why it matters

`import torch` succeeds and `torch.cuda.is_available()` is false: jobs run on the CPUs, or end with "The NVIDIA driver on your system is too old".

## Formula

```
PyTorch 2.6 to 2.10: CUDA 12, driver >= 525      PyTorch 2.11 to 2.14: CUDA 13, driver >= 580
TensorFlow 2.21: CUDA 12, driver >= 525          JAX 0.11: CUDA 12 or CUDA 13
```

Unit: none. Releases are compared.

Source: PyPI, metadata (Requires-Dist) of the wheels for CPython 3.12 on x86_64, November 2026; NVIDIA, CUDA compatibility, minor version compatibility. Releases that are not in the table are not checked, nor are nodes with ARM processors.

## Example

`frameworks: [pytorch 2.12]` with `gpu_driver: 570`.

## How to fix

Raise the driver, or name a release that is built for the driver's CUDA. Container images have their own: this rule does not see them.

## When to accept

Where users install builds for another CUDA from the framework's own index, or `cuda-compat` is installed on GPUs that it supports.
)",
    .check = software_framework_newer_than_driver,
};

}  // namespace clusterc
