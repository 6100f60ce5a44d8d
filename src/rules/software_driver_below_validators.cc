#include <algorithm>

#include "model/software_versions.h"
#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/software.h"

namespace clusterc {
namespace {

// What scripts/cuda.txt pins, and with it every bundle of this release that is built as the README says.
constexpr CudaMajor kBundle = kCudaMajors[0];
static_assert(kBundle.major == 13);

void software_driver_below_validators(const Rule& rule, const RuleInput& in, Findings& findings) {
  std::vector<SourceSpan> told;  // one declaration for the whole cluster is one finding
  for (const NodeGroupModel& g : in.cluster.nodes) {
    if (!g.server.gpu || g.server.gpu->vendor.value != Vendor::nvidia || g.server.gpu_count == 0 || g.count == 0)
      continue;
    const auto& driver = g.software->gpu_driver;
    if (!driver || driver->major() >= Version{std::string(kBundle.driver)}.major()) continue;
    if (std::find(told.begin(), told.end(), driver.span) != told.end()) continue;
    told.push_back(driver.span);
    Finding& f = findings.note(
        rule.id, driver.span,
        format(
            "`clusterc validate` cannot measure the GPUs of '{}' with driver {}: its programs are built with CUDA {} "
            "and need driver {} or newer",
            g.name, driver->text(), kBundle.major, kBundle.driver));
    f.help(
        format("write `gpu_driver: {}`, or build the validators with an installed CUDA 12 "
               "(`-DCLUSTERC_CUDA_ROOT=/usr/local/cuda-12.9`), which needs driver {}",
               kBundle.driver, kCudaMajors[1].driver));
    f.object("nodes." + g.name);
  }
}

}  // namespace

extern const Rule kSoftwareDriverBelowValidators;  // registry.cc names it
const Rule kSoftwareDriverBelowValidators = {
    .id = "software-driver-below-validators",
    .code = "SW-026",
    .severity = Severity::note,
    .physics = false,
    .summary = "the driver is too old for the programs of `clusterc validate`",
    .explanation = R"(## What it checks

The driver of each group with NVIDIA GPUs is new enough for the validators, which are built with CUDA 13.

## Why it matters

With an older driver, each figure of a GPU is an error on the day of the acceptance.

## Formula

```
major release of gpu_driver >= 580
```

Unit: none. Releases are compared.

Source: NVIDIA, CUDA compatibility, minor version compatibility: CUDA 13.x needs driver 580, CUDA 12.x driver 525.

## Example

`gpu_driver: 570`.

## How to fix

Raise the driver, or build the validators with an installed toolkit of CUDA 12 (docs/contributing.md). A bundle of your own build is not looked at here: `clusterc validate` says on each node what its driver takes.

## When to accept

Where the bundle is built with CUDA 12, or the cluster is not accepted with `clusterc validate`.
)",
    .check = software_driver_below_validators,
};

}  // namespace clusterc
