#include "model/machine_hosts.h"
#include "plan/plan.h"
#include "rules/fix.h"
#include "rules/pcie_say.h"
#include "rules/rule.h"
#include "spec/nodes.h"
#include "spec/software.h"

namespace clusterc {
namespace {

// What the kernel arguments say; the last word counts, as for the kernel.
enum class Said { nothing, off, passthrough, enabled /* by the vendor's word: how it is set is open */, on };
Said said_by_arguments(const Software& w, SourceSpan& at) {
  Said said = Said::nothing;
  for (const Value<std::string>& a : w.kernel_arguments) {
    if (!a) continue;
    const std::string& text = *a;
    const bool vendor = text.starts_with("intel_iommu=") || text.starts_with("amd_iommu=");
    Said now = Said::nothing;
    if (text == "iommu=pt" || text == "iommu.passthrough=1")
      now = Said::passthrough;
    else if (text == "iommu=off" || text == "iommu=0" || (vendor && text.ends_with("=off")))
      now = Said::off;
    else if (vendor && text.ends_with("=on"))
      now = Said::enabled;
    else if (text == "iommu=nopt" || text == "iommu=force" || text == "iommu.passthrough=0")
      now = Said::on;
    if (now == Said::nothing || (now == Said::enabled && said != Said::nothing))
      continue;  // intel_iommu=on beside iommu=pt is pass-through
    said = now;
    at = a.span;
  }
  return said;
}

void pcie_iommu_translates_on_bare_metal(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  struct Told {
    SourceSpan at;
    Finding* finding;
  };
  std::vector<Told> told;
  bool noted = false;
  const std::set<std::string_view> hosts = hosts_of_machines(c);
  for (const NodeGroupModel& g : c.nodes) {
    const ServerModel& s = g.server;
    if (!is_ours(g) || g.count == 0 || s.gpu_count == 0) continue;
    if (s.gpu && s.gpu->form.value == GpuForm::superchip)
      continue;  // its memory management unit is part of the chip's coherence
    if (hosts.contains(g.name)) continue;
    SourceSpan at;
    const Said said = said_by_arguments(g.software, at);
    if (said == Said::off || said == Said::passthrough) continue;
    if (said == Said::enabled && g.software->iommu && *g.software->iommu == "passthrough")
      continue;  // iommu=pt is compiled beside it
    if (said == Said::nothing) {
      if (!g.software->iommu) {
        if (g.software->gpudirect_rdma.value_or(false) && !noted) {
          findings.note(rule.id, g.software->gpudirect_rdma.span,
                        "adapters must read GPU memory, but `software: { iommu }` does not say how the IOMMU is set, "
                        "so it was not checked");
          noted = true;
        }
        continue;
      }
      if (*g.software->iommu != "translate") continue;
      at = g.software->iommu.span;
    }
    const auto before = std::find_if(told.begin(), told.end(), [&](const Told& t) { return t.at == at; });
    if (before != told.end()) {
      before->finding->note(g.span, format("the same applies to group '{}'", g.name)).object("nodes." + g.name);
      continue;
    }
    Finding& f = findings.add(rule.severity, rule.id, at,
                              format("the IOMMU translates addresses on the nodes of '{}', but without virtual "
                                     "machines their {} must use pass-through mode",
                                     g.name, plural(s.gpu_count, "GPU")));
    f.help(said != Said::nothing ? "add `iommu=pt` to `kernel_arguments`" : "write `iommu: passthrough`, or `off`");
    f.object("nodes." + g.name);
    if (said == Said::nothing) write_instead(f, g.software->iommu, "passthrough");
    told.push_back({at, &f});
  }
}

}  // namespace

extern const Rule kPcieIommuTranslatesOnBareMetal;  // registry.cc names it
const Rule kPcieIommuTranslatesOnBareMetal = {
    .id = "pcie-iommu-translates-on-bare-metal",
    .code = "PCIE-009",
    .severity = Severity::warning,
    .physics = false,
    .summary = "the IOMMU translates addresses where GPUs are used without virtual machines",
    .explanation = R"(## What it checks

On GPU nodes that run no virtual machines, the IOMMU is off or in pass-through mode: `iommu: off` or `passthrough`, or
the matching kernel arguments.

## Why it matters

In translating mode, transfers between devices go through the root complex. They are slow, and on many boards they hang.

## Formula

```
iommu = translate, or kernel arguments with intel_iommu=on / amd_iommu=on and no iommu=pt
```

Unit: none. Settings are compared.

Source: NVIDIA NCCL documentation, troubleshooting; Linux kernel parameters (iommu=pt). Seen: github.com/NVIDIA/nccl/issues/257 (a hang that `intel_iommu=off` cured), github.com/NVIDIA/nccl-tests/issues/115 (`amd_iommu=off`).

## Example

`kernel_arguments: [intel_iommu=on]` on GPU nodes.

## How to fix

Add `iommu=pt`: devices keep their own addresses, and virtual machines remain possible.

## When to accept

Where a security rule demands protection against devices, and the performance loss was measured.
)",
    .check = pcie_iommu_translates_on_bare_metal,
};

}  // namespace clusterc
