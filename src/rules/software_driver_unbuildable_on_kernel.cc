#include <string>
#include <string_view>

#include "model/software_versions.h"
#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "rules/software_say.h"

namespace clusterc {
namespace {

// What is cut short ("560", "560.35") stands for the newest release that begins so.
bool begins(std::string_view release, std::string_view written) {
  return release.size() > written.size() && release.starts_with(written) && release[written.size()] == '.';
}

const DriverKernel* breaks(const Version& driver, const Version& kernel) {
  for (const DriverKernel& k : kDriverKernels) {
    if (std::to_string(driver.major()) != k.branch || kernel < Version{std::string(k.kernel)}) continue;
    if (k.last) return &k;
    if (!(Version{std::string(k.until)} < driver) && !begins(k.until, driver.as_written)) return &k;
  }
  return nullptr;
}

void software_driver_unbuildable_on_kernel(const Rule& rule, const RuleInput& in, Findings& findings) {
  Once once;
  for (const NodeGroupModel& g : in.cluster.nodes) {
    const Software& s = g.software;
    const bool nvidia = g.server.gpu && g.server.gpu->vendor.value_or(Vendor::nvidia) == Vendor::nvidia;
    if (g.count == 0 || !nvidia || !s.gpu_driver || once.told(s.gpu_driver.span)) continue;
    const std::string_view kernel = kernel_of(s);
    const DriverKernel* broken = kernel.empty() ? nullptr : breaks(*s.gpu_driver, Version{std::string(kernel)});
    if (!broken) continue;
    once.first(s.gpu_driver.span);
    Finding& f = findings.warning(
        rule.id, s.gpu_driver.span,
        format("GPU driver {} does not compile for kernel {} of '{}'", s.gpu_driver->text(), kernel, g.name));
    f.label(broken->last ? format("branch {} has no release for {} and newer kernels", broken->branch, broken->kernel)
                         : format("releases up to {} fail from kernel {} on", broken->until, broken->kernel));
    f.note(first_place(s.kernel.span, s.os.span, g.span),
           s.kernel ? "the kernel is set here" : "the kernel of this system");
    f.help("use a newer release of the driver, or hold an older kernel").object("nodes." + g.name);
  }
}

}  // namespace

extern const Rule kSoftwareDriverUnbuildableOnKernel;  // registry.cc names it
const Rule kSoftwareDriverUnbuildableOnKernel = {
    .id = "software-driver-unbuildable-on-kernel",
    .code = "SW-025",
    .severity = Severity::warning,
    .physics = false,
    .summary = "the GPU driver does not compile on the kernel of the nodes",
    .explanation = R"(## What it checks

The modules of the GPU driver (`gpu_driver`) are not known to fail to compile on the kernel of the nodes: the one written
in `software` (`kernel`), or the default kernel of the operating system.

## Why it matters

The modules are built on the node when driver or kernel is installed. Where that fails, the nodes start without the
driver after the next update of the image, all at once.

## Formula

```
branch 470                       kernel < 6.12
branch 530                       kernel < 6.4
branch 535 up to 535.216.03      kernel < 6.12
branch 545                       kernel < 6.8
branch 550 up to 550.78          kernel < 6.10
branch 555 up to 555.42.02       kernel < 6.10
branch 560 up to 560.35.03       kernel < 6.12
branch 565                       kernel < 6.13
branch 590 up to 590.48.01       kernel < 6.19
```

Unit: none. Releases are compared.

A release that is cut short (535) stands for the newest one of its branch. Other releases are not judged.

Source: catalog/compatibility/driver-kernels.yaml: threads of NVIDIA/open-gpu-kernel-modules, NixOS/nixpkgs and others, each with the error of the compiler.

## Example

`{ os: debian-13, gpu_driver: 565.57.01, kernel: 6.13 }`.

## How to fix

Use a newer release of the driver, or hold a kernel that it compiles on in the image.

## When to accept

Where the distribution's own package of the driver is used and was changed for the kernel.
)",
    .check = software_driver_unbuildable_on_kernel,
};

}  // namespace clusterc
