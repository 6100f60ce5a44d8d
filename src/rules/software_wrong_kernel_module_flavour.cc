#include "model/software_versions.h"
#include "plan/plan.h"
#include "rules/fix.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/nodes.h"
#include "spec/software.h"

namespace clusterc {
namespace {

void software_wrong_kernel_module_flavour(const Rule& rule, const RuleInput& in, Findings& findings) {
  for (const NodeGroupModel& g : in.cluster.nodes) {
    const ServerModel& s = g.server;
    if (!is_ours(g) || !s.gpu || s.gpu->vendor.value != Vendor::nvidia || s.gpu_count == 0 || g.count == 0) continue;
    const Software& w = g.software;
    if (!w.gpu_driver && !w.kernel_modules) continue;
    const GpuGeneration* gen = s.gpu->sm ? gpu_generation(s.gpu->sm->text()) : nullptr;
    const SourceSpan here = first_place(w.kernel_modules.span, w.gpu_driver.span, g.span);
    if (!gen) {
      findings.note(rule.id, here,
                    s.gpu->sm
                        ? format("sm_{} of '{}' is not in the built-in table, so its kernel modules were not checked",
                                 s.gpu->sm->text(), s.gpu_model)
                        : format("'{}' states no `sm`, so its kernel modules were not checked", s.gpu_model));
      continue;
    }
    const auto finish = [&](Finding& f, std::string_view flavour) {
      f.note(s.part.gpus ? first_place(written(s.part.gpus->model), s.span) : s.span,
             format("group '{}' has these GPUs", g.name));
      if (!gen->confirmed)
        f.note({}, format("which modules support sm_{} was not confirmed in a document of the vendor", gen->sm));
      f.help(format("write `kernel_modules: {}` for this group", flavour));
      // What is said for all nodes may be right for other groups.
      if (g.spec->software && g.spec->software->kernel_modules)
        write_instead(f, g.spec->software->kernel_modules, std::string(flavour));
      f.object("nodes." + g.name);
    };
    const bool driver_is_open_only =
        w.gpu_driver && w.gpu_driver->major() >= Version{std::string(kOpenOnlyDriver)}.major();
    if (w.kernel_modules) {
      const bool open = *w.kernel_modules == KernelModules::open;
      if (open ? gen->open : gen->proprietary) {
        if (!open && driver_is_open_only)
          write_instead(
              findings
                  .error(rule.id, w.kernel_modules.span,
                         format("driver {} has no proprietary kernel modules: the last branch with them is before {}",
                                w.gpu_driver->text(), kOpenOnlyDriver))
                  .note(w.gpu_driver.span, "the driver is set here")
                  .help("write `kernel_modules: open`")
                  .object("nodes." + g.name),
              w.kernel_modules, "open");
        continue;
      }
      finish(findings.error(rule.id, w.kernel_modules.span,
                            format("'{}' ({}) needs the {} kernel modules, but group '{}' has the {} ones", s.gpu_model,
                                   gen->name, open ? "proprietary" : "open", g.name, open ? "open" : "proprietary")),
             open ? "proprietary" : "open");
      continue;
    }
    // Nothing is written: what the driver's packages install.
    const bool open = w.gpu_driver->major() >= Version{std::string(kOpenByDefaultDriver)}.major();
    if (open ? gen->open : gen->proprietary) continue;
    finish(findings.error(rule.id, w.gpu_driver.span,
                          format("'{}' ({}) needs the {} kernel modules, but driver {} installs the {} ones by default",
                                 s.gpu_model, gen->name, open ? "proprietary" : "open", w.gpu_driver->text(),
                                 open ? "open" : "proprietary")),
           open ? "proprietary" : "open");
  }
}

}  // namespace

extern const Rule kSoftwareWrongKernelModuleFlavour;  // registry.cc names it
const Rule kSoftwareWrongKernelModuleFlavour = {
    .id = "software-wrong-kernel-module-flavour",
    .code = "SW-004",
    .severity = Severity::error,
    .physics = false,
    .summary = "the kernel modules do not support the GPU",
    .explanation = R"(## What it checks

The flavour of the NVIDIA kernel modules (open or proprietary) drives the group's GPUs, and the driver's branch has it.

## Why it matters

With the wrong flavour the GPU is found and never initialised: `nvidia-smi` says "No devices were found".

## Formula

```
Volta (sm_70):                 proprietary only
Turing, Ampere, Ada, Hopper:   either
Blackwell (sm_100, 103, 120):  open only
left out: open from driver branch 560 on, proprietary before
branch 620 and later: open only
```

Unit: none. Generations and releases are compared.

Source: NVIDIA, driver installation guide, kernel modules (also of branch 620); catalog/compatibility/kernel-modules.yaml. The switch at 560 was not confirmed for every distribution's packages.

## Example

`kernel_modules: proprietary` for B200 nodes.

## How to fix

Write `kernel_modules` for the group; a cluster of V100 and B200 nodes needs two node images.

## When to accept

Where the image is built by hand with the right modules, and the spec only says what the packages would do.
)",
    .check = software_wrong_kernel_module_flavour,
};

}  // namespace clusterc
