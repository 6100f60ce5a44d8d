#include <cstdint>
#include <string>
#include <vector>

#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "rules/software_say.h"

namespace clusterc {
namespace {

void software_unsigned_module_secure_boot(const Rule& rule, const RuleInput& in, Findings& findings) {
  Once once;
  for (const NodeGroupModel& g : in.cluster.nodes) {
    const Software& s = *g.software;
    if (g.count == 0 || (!is_ours(g) && !g.server.instance) || !s.secure_boot.value_or(false) ||
        s.signed_modules.value_or(false))
      continue;
    std::vector<std::string> built;  // modules that are built on the node, or that the distribution does not sign
    if (has_nvidia_gpus(g) && s.gpu_driver) built.push_back(format("gpu driver {}", s.gpu_driver->text()));
    if (s.fabric && s.fabric->kind && *s.fabric->kind != "inbox")
      built.push_back(*s.fabric->kind + (s.fabric->version ? " " + s.fabric->version->text() : std::string()));
    if (built.empty() || !once.first(s.secure_boot.span)) continue;
    Finding& f = findings.warning(rule.id, s.secure_boot.span,
                                  format("with secure boot, nodes of '{}' load only signed modules, but the spec does "
                                         "not state that these are signed: {}",
                                         g.name, name_list(built, static_cast<std::int64_t>(built.size()))));
    if (s.signed_modules) f.note(s.signed_modules.span, "set here");
    f.help(
        "install packages that are built and signed for the kernel, or enrol your own key in the firmware; then write "
        "`signed_modules: true`");
    f.object("nodes." + g.name);
  }
}

}  // namespace

extern const Rule kSoftwareUnsignedModuleSecureBoot;  // registry.cc names it
const Rule kSoftwareUnsignedModuleSecureBoot = {
    .id = "software-unsigned-module-secure-boot",
    .code = "SW-013",
    .severity = Severity::warning,
    .physics = false,
    .summary = "the firmware checks signatures, but the spec does not state that the modules are signed",
    .explanation = R"(## What it checks

Where `secure_boot` is on, the GPU driver and the vendor's RDMA stack are said to be signed with a key that the firmware knows (`signed_modules`).

## Why it matters

Modules that DKMS builds on the node carry no signature that the firmware knows: "Key was rejected by service" at boot, and neither GPU nor adapter.

## Formula

```
secure_boot: true  and  (gpu_driver or fabric other than inbox)  needs  signed_modules: true
```

Unit: none. Settings are compared.

Source: NVIDIA, driver installation guide, secure boot; DOCA-Host installation and DKMS management guide (from DOCA 3.3 on the modules are built by DKMS and not signed by NVIDIA).

## Example

`secure_boot: true` with `gpu_driver: 580` and nothing else.

## How to fix

Precompiled, signed driver packages; or enrol a key of your own (`mokutil --import`) and sign what DKMS builds. Then write `signed_modules: true`.

## When to accept

Where the image's build signs them and the key is in the firmware already.
)",
    .check = software_unsigned_module_secure_boot,
};

}  // namespace clusterc
