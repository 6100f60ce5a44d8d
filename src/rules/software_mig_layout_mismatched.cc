#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "model/mig.h"
#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "rules/software_say.h"

namespace clusterc {
namespace {

// Instances of each size that one GPU can be cut into, and their memory by the GPU's (NVIDIA, MIG user guide, supported
// MIG profiles): slices of compute, name of the memory, how many. GPUs whose table was not read are absent.
struct Profile {
  std::int64_t slices, gigabytes, count;
};
struct MigGpu {
  std::string_view model;
  std::array<Profile, 6> profiles;
};  // unused places have a count of 0
constexpr std::array<Profile, 6> seven(std::int64_t one, std::int64_t two, std::int64_t half, std::int64_t all) {
  return {{{1, one, 7}, {1, two, 4}, {2, two, 3}, {3, half, 2}, {4, half, 1}, {7, all, 1}}};
}
constexpr std::array kMigGpus = {
    MigGpu{"nvidia-a100-sxm4-40", seven(5, 10, 20, 40)},
    MigGpu{"nvidia-a100-pcie-40", seven(5, 10, 20, 40)},
    MigGpu{"nvidia-a100-sxm4-80", seven(10, 20, 40, 80)},
    MigGpu{"nvidia-a100-pcie-80", seven(10, 20, 40, 80)},
    MigGpu{"nvidia-h100-sxm5-80", seven(10, 20, 40, 80)},
    MigGpu{"nvidia-h100-pcie-80", seven(10, 20, 40, 80)},
    MigGpu{"nvidia-h100-nvl-94", seven(12, 24, 47, 94)},
    MigGpu{"nvidia-h200-sxm5-141", seven(18, 35, 71, 141)},
    MigGpu{"nvidia-h200-nvl-141", seven(18, 35, 71, 141)},
    MigGpu{"nvidia-b200-sxm-180", seven(23, 45, 90, 180)},
    MigGpu{"nvidia-rtx-pro-6000-server", {{{1, 24, 4}, {2, 48, 2}, {4, 96, 1}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}}}},
};
// Parts of these generations have MIG in some products; Volta, Turing and Ada have none, and of AMD and Intel it is not
// the name.
constexpr bool may_have_mig(std::string_view sm) {
  return sm == "80" || sm == "90" || sm == "100" || sm == "103" || sm == "120";
}

void software_mig_layout_mismatched(const Rule& rule, const RuleInput& in, Findings& findings) {
  Once once;
  for (std::size_t i = 0; i < in.cluster.nodes.size(); ++i) {
    const NodeGroupModel& g = in.cluster.nodes[i];
    const Value<std::string>& mig = g.software->mig;
    if (g.count == 0 || !g.server.gpu || g.server.gpu_count == 0) continue;
    // The scheduler counts one number of instances for a kind of node.
    for (std::size_t k = 0; k < i; ++k) {
      const NodeGroupModel& o = in.cluster.nodes[k];
      if (o.count == 0 || !o.computes || !g.computes || !mig || o.server.id != g.server.id ||
          o.server.gpu_model != g.server.gpu_model || o.software->mig.value_or("off") == *mig)
        continue;
      if (once.first(mig.span))
        findings
            .warning(rule.id, mig.span,
                     format("nodes of '{}' have the MIG layout '{}', but group '{}', also of '{}', has '{}'", g.name,
                            *mig, o.name, g.server.id, o.software->mig.value_or("off")))
            .note(o.software->mig.span.valid() ? o.software->mig.span : o.span, "the other group")
            .help("use one layout for this kind of node, or put the two groups into separate partitions")
            .object("nodes." + g.name);
      break;
    }
    if (!mig || *mig == "off") continue;
    const std::optional<MigLayout> layout = mig_layout(*g.software);
    if (!layout) {
      if (once.first(mig.span))
        findings
            .error(rule.id, mig.span,
                   format("'{}' is not a MIG layout that is compiled: the GPUs of '{}' would stay whole", *mig, g.name))
            .help("write `mig: off`, or a count and one profile for all GPUs, such as `mig: 7x1g.10gb`")
            .object("nodes." + g.name);
      continue;
    }
    const auto gpu =
        std::find_if(kMigGpus.begin(), kMigGpus.end(), [&](const MigGpu& m) { return m.model == g.server.gpu_model; });
    if (gpu == kMigGpus.end()) {
      const bool none = g.server.gpu->vendor && (*g.server.gpu->vendor != Vendor::nvidia ||
                                                 (g.server.gpu->sm && !may_have_mig(g.server.gpu->sm->as_written)));
      if (!once.first(mig.span)) continue;
      if (none)
        findings
            .error(rule.id, mig.span,
                   format("'{}' of group '{}' does not support MIG, but the layout is '{}'", g.server.gpu_model, g.name,
                          *mig))
            .help("write `mig: off` for this group")
            .object("nodes." + g.name);
      else
        findings
            .note(rule.id, mig.span,
                  format("the MIG profiles of '{}' are not in the built-in table, so '{}' was not checked",
                         g.server.gpu_model, *mig))
            .object("nodes." + g.name);
      continue;
    }
    const auto profile = std::find_if(gpu->profiles.begin(), gpu->profiles.end(), [&](const Profile& p) {
      return p.count > 0 && p.slices == layout->slices && p.gigabytes == layout->gigabytes;
    });
    // "+me" has the media engines of the GPU, of which it has one set for instances (NVIDIA, MIG user guide,
    // "1g.10gb+me": 1 instance).
    const bool media = layout->extra.starts_with("me");
    if (profile != gpu->profiles.end() && layout->count <= (media ? 1 : profile->count)) continue;
    if (!once.first(mig.span)) continue;
    if (profile != gpu->profiles.end() && media) {
      findings
          .error(rule.id, mig.span,
                 format("'{}' has {} instances with media engines, but a GPU has at most one such instance", *mig,
                        layout->count))
          .help(format("write `mig: 1x{}`", layout->profile))
          .object("nodes." + g.name);
      continue;
    }
    if (profile != gpu->profiles.end()) {
      findings
          .error(rule.id, mig.span,
                 format("'{}' has {} instances of a GPU, but '{}' gives at most {} of this profile", *mig,
                        layout->count, g.server.gpu_model, profile->count))
          .help(format("write `mig: {}x{}`", profile->count, layout->profile))
          .object("nodes." + g.name);
      continue;
    }
    std::string known;
    for (const Profile& p : gpu->profiles)
      if (p.count > 0) known += format("{}{}g.{}gb", known.empty() ? "" : ", ", p.slices, p.gigabytes);
    auto& finding = findings.error(rule.id, mig.span,
                                   format("'{}' has no MIG profile {}g.{}gb; its profiles are {}", g.server.gpu_model,
                                          layout->slices, layout->gigabytes, known));
    finding.object("nodes." + g.name);
    // The profile with as many slices has the compute that was asked for; two of one slice differ in memory alone, and
    // as many instances fit of the first.
    const auto alike = std::find_if(gpu->profiles.begin(), gpu->profiles.end(),
                                    [&](const Profile& p) { return p.count > 0 && p.slices == layout->slices; });
    if (alike != gpu->profiles.end())
      finding.help(
          format("write `mig: {}x{}g.{}gb`", std::min(layout->count, alike->count), alike->slices, alike->gigabytes));
  }
}

}  // namespace

extern const Rule kSoftwareMigLayoutMismatched;  // registry.cc names it
const Rule kSoftwareMigLayoutMismatched = {
    .id = "software-mig-layout-mismatched",
    .code = "SW-015",
    .severity = Severity::warning,
    .physics = false,
    .summary = "a MIG layout that the GPU does not support, or that differs within one kind of node",
    .explanation = R"(## What it checks

The MIG layout (`mig`) is one that the group's GPU can be cut into, and groups of the same server have the same.

## Why it matters

`nvidia-smi mig -cgi` refuses, the node comes up with fewer instances than the scheduler was told, and is drained: "gres/gpu count reported lower than configured".

## Formula

```
                    1g x 7      1g x 4      2g x 3      3g x 2      4g x 1      7g x 1
40 GB (A100)        1g.5gb      1g.10gb     2g.10gb     3g.20gb     4g.20gb     7g.40gb
80 GB (A100, H100)  1g.10gb     1g.20gb     2g.20gb     3g.40gb     4g.40gb     7g.80gb
94 GB (H100 NVL)    1g.12gb     1g.24gb     2g.24gb     3g.47gb     4g.47gb     7g.94gb
141 GB (H200)       1g.18gb     1g.35gb     2g.35gb     3g.71gb     4g.71gb     7g.141gb
180 GB (B200)       1g.23gb     1g.45gb     2g.45gb     3g.90gb     4g.90gb     7g.180gb
96 GB (RTX PRO 6000): 1g.24gb x 4, 2g.48gb x 2, 4g.96gb x 1
```

Unit: none. Names of profiles are compared.

Source: NVIDIA, MIG user guide, supported MIG profiles and supported GPUs. Volta, Turing and Ada have no MIG.

## Example

`mig: 7x1g.10gb` on an H200, whose smallest profile is 1g.18gb.

## How to fix

Take a profile of the table; one layout for each kind of node.

## When to accept

Where two groups of one server are in partitions of their own, with their own counts of GPUs.
)",
    .check = software_mig_layout_mismatched,
};

}  // namespace clusterc
