#include "model/software_versions.h"
#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/software.h"

namespace clusterc {
namespace {

// The first NCCL that was built for a generation. An older one may bring intermediate code that the driver translates
// at the start of each job, or none: a warning. Its release notes, as the projects that follow it quote them: ROCm/rccl
// pull request 1662 (2.25.1), cupy/cupy issue 7094 (2.15).
struct FirstNccl {
  std::string_view sm, nccl;
};
constexpr FirstNccl kFirstNccl[] = {{"90", "2.15"}, {"100", "2.25.1"}, {"103", "2.25.1"}};

void check_nccl(const Rule& rule, Findings& findings, const NodeGroupModel& g) {
  const Value<Version>& nccl = g.software->nccl;
  for (const FirstNccl& first : kFirstNccl) {
    if (!nccl || !g.server.gpu->sm || g.server.gpu->sm->text() != first.sm ||
        !(*nccl < Version{std::string(first.nccl)}))
      continue;
    findings
        .warning(rule.id, nccl.span,
                 format("NCCL {} was not built for '{}' (sm_{}); the first release built for it is {}", nccl->text(),
                        g.server.gpu_model, first.sm, first.nccl))
        .note(g.span, format("group '{}' has {} of these GPUs in each node", g.name, g.server.gpu_count))
        .help(format("write `nccl: {}` or newer for this group", first.nccl))
        .object("nodes." + g.name);
  }
}

bool too_old_for(const Software& w) {
  if (!w.cuda) return false;
  for (const CudaMajor& m : kCudaMajors)
    if (m.major == w.cuda->major()) return *w.gpu_driver < Version{std::string(m.driver)};
  return false;
}

// What a group of AMD GPUs calls its driver is the release of ROCm.
void check_rocm(const Rule& rule, Findings& findings, const NodeGroupModel& g) {
  const Value<Version>& rocm = g.software->gpu_driver;
  if (!rocm || rocm->major() >= kLeastNvidiaDriver) return;  // NVIDIA's number is software-of-another-vendor's
  const RocmGpu* known = rocm_gpu(g.server.gpu_model);
  if (!known) {
    findings.note(rule.id, rocm.span,
                  format("'{}' is not in the built-in table, so it was not checked which releases of ROCm support it",
                         g.server.gpu_model));
    return;
  }
  if (!(*rocm < Version{std::string(known->first_rocm)})) return;
  Finding& f = findings.error(rule.id, rocm.span,
                              format("ROCm {} does not support '{}' ({}); the first release that does is {}",
                                     rocm->text(), g.server.gpu_model, known->target, known->first_rocm));
  f.note(g.span, format("group '{}' has {} of these GPUs in each node", g.name, g.server.gpu_count));
  if (!known->confirmed)
    f.note({}, format("the first ROCm for '{}' is taken from its LLVM target; the real one may be later",
                      g.server.gpu_model));
  f.help(format("write `gpu_driver: {}` or newer for this group", known->first_rocm)).object("nodes." + g.name);
}

void software_gpu_unknown_to_toolkit(const Rule& rule, const RuleInput& in, Findings& findings) {
  for (const NodeGroupModel& g : in.cluster.nodes) {
    const ServerModel& s = g.server;
    if (s.gpu && s.gpu->vendor.value == Vendor::amd && s.gpu_count > 0 && g.count > 0) check_rocm(rule, findings, g);
    if (!s.gpu || s.gpu->vendor.value != Vendor::nvidia || s.gpu_count == 0 || g.count == 0) continue;
    const Software& w = g.software;
    check_nccl(rule, findings, g);
    if (!w.cuda && !w.gpu_driver) continue;
    const SourceSpan here = first_place(w.cuda.span, w.gpu_driver.span, g.span);
    if (!s.gpu->sm) {
      findings.note(rule.id, here,
                    format("'{}' states no `sm`, so it was not checked which toolkits support it", s.gpu_model));
      continue;
    }
    const GpuGeneration* gen = gpu_generation(s.gpu->sm->text());
    if (!gen) {
      findings.note(
          rule.id, here,
          format("sm_{} of '{}' is not in the built-in table, so it was not checked which toolkits support it",
                 s.gpu->sm->text(), s.gpu_model));
      continue;
    }
    const SourceSpan gpu_place = s.part.gpus ? first_place(written(s.part.gpus->model), s.span) : s.span;
    const auto finish = [&](Finding& f) {
      f.note(gpu_place, format("group '{}' has {} of these GPUs in each node", g.name, s.gpu_count));
      if (!gen->confirmed)
        f.note({}, format("the first toolkit for sm_{} was not confirmed in the vendor's matrix", gen->sm));
      mention_unconfirmed(f, s.gpu->sm, format("the compute capability of '{}'", s.gpu_model));
      f.object("nodes." + g.name);
    };
    if (w.cuda && !gen->last_cuda.empty() && w.cuda->major() > Version{std::string(gen->last_cuda)}.major()) {
      Finding& f =
          findings.error(rule.id, w.cuda.span,
                         format("cuda {} no longer builds for '{}' (sm_{}); the last release that does is CUDA {}",
                                w.cuda->text(), s.gpu_model, gen->sm, gen->last_cuda));
      f.help(format("use a toolkit of CUDA {} for this group: `nodes: {{ {}: {{ software: {{ cuda: {}.9 }} }} }}`",
                    gen->last_cuda, g.name, gen->last_cuda));
      finish(f);
    } else if (w.cuda && *w.cuda < Version{std::string(gen->first_cuda)}) {
      Finding& f =
          findings.error(rule.id, w.cuda.span,
                         format("cuda {} does not support '{}' (sm_{}); the first release that does is CUDA {}",
                                w.cuda->text(), s.gpu_model, gen->sm, gen->first_cuda));
      f.help(format("write `cuda: {}` or newer for this group", gen->first_cuda));
      finish(f);
    }
    if (w.gpu_driver && !gen->last_driver.empty() &&
        w.gpu_driver->major() > Version{std::string(gen->last_driver)}.major()) {
      Finding& f = findings.error(rule.id, w.gpu_driver.span,
                                  format("driver {} no longer supports '{}' (sm_{}); the last branch that does is {}",
                                         w.gpu_driver->text(), s.gpu_model, gen->sm, gen->last_driver));
      f.help(format("write `gpu_driver: {}` for this group", gen->last_driver));
      finish(f);
    }
    // A driver that is too old for the toolkit, too, is software-cuda-newer-than-driver's.
    if (const std::string_view first = first_driver(gen->first_cuda);
        w.gpu_driver && !first.empty() && !too_old_for(w) &&
        w.gpu_driver->major() < Version{std::string(first)}.major()) {
      Finding& f = findings.error(
          rule.id, w.gpu_driver.span,
          format("driver {} does not support '{}' (sm_{}): CUDA {}, the first toolkit for it, came with driver {}",
                 w.gpu_driver->text(), s.gpu_model, gen->sm, gen->first_cuda, first));
      f.help(format("write `gpu_driver: {}` or newer for this group", first));
      finish(f);
    }
  }
}

}  // namespace

extern const Rule kSoftwareGpuUnknownToToolkit;  // registry.cc names it
const Rule kSoftwareGpuUnknownToToolkit = {
    .id = "software-gpu-unknown-to-toolkit",
    .code = "SW-003",
    .severity = Severity::error,
    .physics = false,
    .summary = "a generation of GPU that the CUDA toolkit, the driver or ROCm does not support",
    .explanation = R"(## What it checks

The CUDA toolkit, the driver and NCCL of each group know its generation of GPU: not too old for a new one, not too new for one that was dropped. Of AMD's GPUs the release of ROCm
(`gpu_driver`) does.

## Why it matters

A toolkit without code for a GPU gives programs that start and then say "no kernel image is available for execution on the device".

## Formula

```
first toolkit:  sm_70 9.0   sm_75 10.0   sm_80 11.0   sm_89, sm_90 11.8   sm_100, sm_120 12.8   sm_103 12.9
first driver:   that of the first toolkit: sm_80 450   sm_89, sm_90 520   sm_100, sm_120 570   sm_103 575
last toolkit:   sm_70 CUDA 12, driver branch 580
first NCCL:     sm_90 2.15   sm_100, sm_103 2.25.1 (a warning)
first ROCm:     MI300X, MI325X (gfx942) 6.0   MI350X, MI355X (gfx950) 7.0
```

Unit: none. Releases are compared.

Source: NVIDIA, CUDA toolkit, driver and architecture matrix; CUDA 13.2 release notes (Maxwell, Pascal and Volta removed in 13.0); release notes of the toolkits (the driver that each came with); AMD, ROCm compatibility matrix and release notes (catalog/compatibility/rocm-gpus.yaml); notes of NCCL 2.25.1 as ROCm/rccl pull request 1662 quotes them, of 2.15 as cupy/cupy issue 7094 does. Without a toolkit (`cuda`) only the driver is compared.

## Example

V100 (sm_70) with `cuda: 13.0`.

## How to fix

Give the group its own `software: { cuda: 12.9 }`; a toolkit is resolved for each group.

## When to accept

Where the group runs containers only, which bring toolkits of their own that know the GPU.
)",
    .check = software_gpu_unknown_to_toolkit,
};

}  // namespace clusterc
