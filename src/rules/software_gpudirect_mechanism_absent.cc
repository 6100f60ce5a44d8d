#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "rules/software_say.h"

namespace clusterc {
namespace {

void software_gpudirect_mechanism_absent(const Rule& rule, const RuleInput& in, Findings& findings) {
  Once once;
  for (std::size_t i = 0; i < in.cluster.nodes.size(); ++i) {
    const NodeGroupModel& g = in.cluster.nodes[i];
    const Software& s = *g.software;
    if (!has_nvidia_gpus(g) || !is_ours(g) || !s.gpudirect_rdma.value_or(false) ||
        !uses_rdma(in.cluster, static_cast<int>(i)))
      continue;
    // nvidia-peermem registers with the peer-memory interface, which the vendor's stacks bring and the kernel's own
    // does not have.
    if (s.fabric && s.fabric->kind && *s.fabric->kind != "inbox") continue;
    const std::optional<bool> open = open_modules(s);
    const std::string_view kernel = kernel_of(s);
    if (open && !*open) {
      if (!once.first(s.gpudirect_rdma.span)) continue;
      Finding& f = findings.error(rule.id, s.gpudirect_rdma.span,
                                  format("group '{}' has the proprietary kernel modules, but DMA-BUF needs the open "
                                         "ones: NCCL will log \"GPU Direct RDMA Disabled\"",
                                         g.name));
      if (s.kernel_modules)
        f.note(s.kernel_modules.span, "the modules are set here");
      else
        f.note(
            s.gpu_driver.span,
            format(
                "this driver installs the proprietary modules by default; the first that installs the open ones is {}",
                kOpenByDefaultDriver));
      f.help(
          format("write `kernel_modules: open` with kernel {} or newer, or `fabric: doca-ofed`, which contains what "
                 "nvidia-peermem needs",
                 kDmaBufKernel));
      f.object("nodes." + g.name);
      continue;
    }
    if (!kernel.empty() && Version{std::string(kernel)} < Version{std::string(kDmaBufKernel)}) {
      if (!once.first(s.gpudirect_rdma.span)) continue;
      Finding& f = findings.error(
          rule.id, s.gpudirect_rdma.span,
          format(
              "group '{}' has kernel {}, but DMA-BUF for RDMA came with {}: NCCL will log \"GPU Direct RDMA Disabled\"",
              g.name, kernel, kDmaBufKernel));
      f.note(s.kernel ? s.kernel.span : s.os.span, s.kernel ? "the kernel is set here" : "the kernel of this system");
      f.help(format("use kernel {} or newer, or `fabric: doca-ofed`, which contains what nvidia-peermem needs",
                    kDmaBufKernel));
      f.object("nodes." + g.name);
      continue;
    }
    if ((!open || kernel.empty()) && once.first(s.gpudirect_rdma.span))
      findings.note(
          rule.id, s.gpudirect_rdma.span,
          format("group '{}' states no {}, so it was not checked which driver registers GPU memory with the adapters",
                 g.name,
                 !open ? "`gpu_driver` and `kernel_modules`"
                       : "`kernel` (and the kernel of its `os` is not in the built-in table)"));
  }
}

}  // namespace

extern const Rule kSoftwareGpudirectMechanismAbsent;  // registry.cc names it
const Rule kSoftwareGpudirectMechanismAbsent = {
    .id = "software-gpudirect-mechanism-absent",
    .code = "SW-007",
    .severity = Severity::error,
    .physics = false,
    .summary = "GPUDirect RDMA is set, but no driver on the nodes can register GPU memory with an adapter",
    .explanation = R"(## What it checks

Groups that ask for `gpudirect_rdma` and are in an RDMA network have a way to register GPU memory with the adapter: DMA-BUF (open kernel modules and a kernel that has it), or nvidia-peermem on a stack of the adapter's vendor.

## Why it matters

Without one every transfer goes through host memory. Nothing fails; NCCL logs "GPU Direct RDMA Disabled" and all-reduce between nodes runs at a third of its rate.

## Formula

```
DMA-BUF:         open kernel modules (written, or driver branch >= 560) and kernel >= 5.12
nvidia-peermem:  fabric: doca-ofed or mlnx-ofed (the peer-memory interface is not in the kernel's own stack)
```

Unit: none. Releases and settings are compared.

Source: NVIDIA, GPU Operator, GPUDirect RDMA; Linux 5.12 (RDMA/uverbs: register dma-buf memory regions); NVIDIA/nccl issues 778, 897, 1537 and 1939. The kernel of an operating system is the one that it first shipped.

## Example

`gpudirect_rdma: true` with `fabric: inbox` and `kernel_modules: proprietary`.

## How to fix

`kernel_modules: open` on a kernel from 5.12 on; or `fabric: doca-ofed`, with nvidia-peermem loaded after it.

## When to accept

Where a back-ported kernel has DMA-BUF for RDMA under an older number.
)",
    .check = software_gpudirect_mechanism_absent,
};

}  // namespace clusterc
