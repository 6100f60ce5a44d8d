#include <algorithm>
#include <string>
#include <vector>

#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "rules/software_say.h"

namespace clusterc {
namespace {

bool has_amd_gpus(const NodeGroupModel& g) {
  return g.count > 0 && g.server.gpu && g.server.gpu_count > 0 && g.server.gpu->vendor.value == Vendor::amd;
}

struct OfNvidia {
  std::string_view key, what;
  const Value<Version>* value;
};
std::vector<OfNvidia> of_nvidia(const Software& s) {
  return {{"cuda", "the CUDA toolkit", &s.cuda},
          {"nccl", "NCCL", &s.nccl},
          {"fabric_manager", "the fabric manager of NVSwitches", &s.fabric_manager}};
}

// One declaration for the whole cluster is meant for the groups that have the GPUs it is for.
std::vector<SourceSpan> meant_for_nvidia(const Cluster& c) {
  std::vector<SourceSpan> out;
  for (const NodeGroupModel& g : c.nodes)
    if (has_nvidia_gpus(g))
      for (const OfNvidia& n : of_nvidia(*g.software))
        if (*n.value) out.push_back(n.value->span);
  return out;
}

void software_of_another_vendor(const Rule& rule, const RuleInput& in, Findings& findings) {
  const std::vector<SourceSpan> meant = meant_for_nvidia(in.cluster);
  Once once;
  for (const NodeGroupModel& g : in.cluster.nodes) {
    if (!has_amd_gpus(g)) continue;
    const auto say = [&](SourceSpan at, std::string message, std::string help) {
      if (!once.first(at)) return;
      findings.error(rule.id, at, std::move(message))
          .note(g.span, format("group '{}' has {} x {} in each node", g.name, g.server.gpu_count, g.server.gpu_model))
          .help(std::move(help))
          .object("nodes." + g.name);
    };
    for (const OfNvidia& n : of_nvidia(*g.software))
      if (*n.value && std::find(meant.begin(), meant.end(), n.value->span) == meant.end())
        say(n.value->span,
            format("`{}: {}` is {}, but '{}' has GPUs of AMD", n.key, (*n.value)->text(), n.what, g.name),
            format("leave `{}` out: ROCm, of the release in `gpu_driver`, contains what these GPUs need (HIP, RCCL)",
                   n.key));
    if (const Value<Version>& d = g.software->gpu_driver; d && d->major() >= kLeastNvidiaDriver)
      say(d.span, format("driver {} is for NVIDIA GPUs, but '{}' has GPUs of AMD", d->text(), g.name),
          format("write the release of ROCm for this group: `nodes: {{ {}: {{ software: {{ gpu_driver: 7.0 }} }} }}`",
                 g.name));
  }
}

}  // namespace

extern const Rule kSoftwareOfAnotherVendor;  // registry.cc names it
const Rule kSoftwareOfAnotherVendor = {
    .id = "software-of-another-vendor",
    .code = "SW-019",
    .severity = Severity::error,
    .physics = false,
    .summary = "software for NVIDIA's GPUs on nodes with AMD's",
    .explanation = R"(## What it checks

What a group with AMD GPUs is to run is made for them: no `cuda`, `nccl` or `fabric_manager`, unless the same line is there for groups with NVIDIA GPUs; and its `gpu_driver`
is a release of ROCm.

## Why it matters

The packages install, or the repository has none of that number, and no program finds a GPU.

## Formula

```
AMD GPUs:  no cuda, nccl, fabric_manager of their own;  gpu_driver < 100      (ROCm 5.7, 6.4, 7.0; NVIDIA's branches are 390, 470, 580)
```

Unit: none. Makers and releases are compared.

Source: AMD, ROCm compatibility matrix (releases of ROCm; RCCL in the place of NCCL, HIP in the place of CUDA); NVIDIA, data center drivers (branches of three digits,
catalog/compatibility/driver-branches.yaml).

## Example

`software: { gpu_driver: 6.3, cuda: 12.8 }` where all GPUs are MI300X.

## How to fix

Leave the line out, or write it for the groups that it is meant for: `nodes: { h100: { software: { cuda: 12.8 } } }`.

## When to accept

Where a translation layer is in use that needs the toolkit's headers.
)",
    .check = software_of_another_vendor,
};

}  // namespace clusterc
