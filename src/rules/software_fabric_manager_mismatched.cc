#include "plan/plan.h"
#include "rules/fix.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "rules/software_say.h"

namespace clusterc {
namespace {

// The same release to the last digit, or one of them a branch that the other lies in.
enum class Fit { same, within, different };
Fit fit(const Version& driver, const Version& manager) {
  if (driver.as_written == manager.as_written) return Fit::same;
  return driver.major() == manager.major() && (is_branch(driver) || is_branch(manager)) ? Fit::within : Fit::different;
}

void software_fabric_manager_mismatched(const Rule& rule, const RuleInput& in, Findings& findings) {
  Once once;
  for (const NodeGroupModel& g : in.cluster.nodes) {
    const Software& s = *g.software;
    // In an instance of a whole machine the manager is the guest's.
    if (!has_nvidia_gpus(g) || (!is_ours(g) && !(g.server.instance && g.server.known)) || !s.fabric_manager) continue;
    if (!has_nvswitch(g)) {
      // Written for the whole cluster it is meant for the groups that have NVSwitches.
      const bool meant_for_another =
          std::any_of(in.cluster.nodes.begin(), in.cluster.nodes.end(), [&](const NodeGroupModel& o) {
            return has_nvswitch(o) && o.software->fabric_manager.span == s.fabric_manager.span;
          });
      if (meant_for_another || !g.server.gpu->form || !once.first(s.fabric_manager.span)) continue;
      findings
          .error(rule.id, s.fabric_manager.span,
                 format("group '{}' has no NVSwitch: fabric manager {} exits there with NV_WARN_NOTHING_TO_DO", g.name,
                        s.fabric_manager->text()))
          .label(format("{} x {} in each node", g.server.gpu_count, g.server.gpu_model))
          .help("leave `fabric_manager` out")
          .object("nodes." + g.name);
      continue;
    }
    if (!s.gpu_driver) {
      if (once.first(s.fabric_manager.span))
        findings.note(rule.id, s.fabric_manager.span,
                      format("group '{}' has fabric manager {} and no `gpu_driver`, so the two were not compared",
                             g.name, s.fabric_manager->text()));
      continue;
    }
    const Fit f = fit(*s.gpu_driver, *s.fabric_manager);
    if (f == Fit::same || !once.first(s.fabric_manager.span)) continue;
    if (f == Fit::different)
      write_instead(
          findings
              .error(rule.id, s.fabric_manager.span,
                     format("fabric manager {} does not match driver {} of group '{}': CUDA returns error 802",
                            s.fabric_manager->text(), s.gpu_driver->text(), g.name))
              .note(s.gpu_driver.span, "the driver is set here")
              .help("leave `fabric_manager` out: the driver's release is used")
              .object("nodes." + g.name),
          s.fabric_manager, s.gpu_driver->text());
    else
      findings
          .warning(rule.id, s.fabric_manager.span,
                   format("fabric manager {} and driver {} of group '{}' will differ after the next update: one is a "
                          "branch, the other a release",
                          s.fabric_manager->text(), s.gpu_driver->text(), g.name))
          .note(s.gpu_driver.span, "the driver is set here")
          .help("write the full release for both, or leave `fabric_manager` out: the driver's release is used")
          .object("nodes." + g.name);
  }
}

}  // namespace

extern const Rule kSoftwareFabricManagerMismatched;  // registry.cc names it
const Rule kSoftwareFabricManagerMismatched = {
    .id = "software-fabric-manager-mismatched",
    .code = "SW-005",
    .severity = Severity::error,
    .physics = false,
    .summary = "the fabric manager's release differs from the driver's, or there is no NVSwitch to manage",
    .explanation = R"(## What it checks

Where a fabric manager is written, it is of the driver's release to the last digit, and the nodes have NVSwitches to manage.

## Why it matters

On NVSwitch systems CUDA cannot start while the fabric manager refuses the driver: every program ends with error 802, "system not yet initialized". Where there is no NVSwitch the service fails at each boot, and with it whatever waits for it.

## Formula

```
fabric_manager = gpu_driver, all digits
a branch (570) beside a release of it (570.86.15): they agree until the next update
NVSwitch: boards of eight SXM GPUs from SXM3 on, and trays of rack-scale systems
```

Unit: none. Releases are compared.

Source: NVIDIA, fabric manager user guide; NVIDIA/gpu-operator issues 544 and 610; pytorch/pytorch issue 35710 (error 802).

## Example

`fabric_manager: 570.124.06` with `gpu_driver: 570.86.15`.

## How to fix

Leave `fabric_manager` out: it follows the driver. Hold both packages together.

## When to accept

Where the image is built by hand, and the spec only repeats what was found on it.
)",
    .check = software_fabric_manager_mismatched,
};

}  // namespace clusterc
