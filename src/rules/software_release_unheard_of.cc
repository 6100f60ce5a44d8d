#include "model/software_versions.h"
#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "rules/software_say.h"
#include "spec/software.h"

namespace clusterc {
namespace {

constexpr int kKubernetesMajor = 1;

void newer(const Rule& rule, Findings& findings, Once& once, const Value<Version>& v, std::string_view what,
           std::string_view newest, std::string_view means) {
  // 13.2.1 is still 13.2: compared by as many numbers as the newest has.
  if (!v || !beyond_release(*v, newest) || !once.first(v.span)) return;
  findings
      .note(rule.id, v.span,
            format("{} {} is newer than {}, the newest in the built-in table: {}", what, v->text(), newest, means))
      .help(
          "check the release: it may be a typing error, or newer than this program; its release notes state what it "
          "needs");
}

void software_release_unheard_of(const Rule& rule, const RuleInput& in, Findings& findings) {
  Once once;
  for (const NodeGroupModel& g : in.cluster.nodes) {
    if (g.count == 0) continue;
    const Software& s = *g.software;
    newer(rule, findings, once, s.cuda, "cuda", kNewestCuda,
          format("driver and GPU were checked against the requirements of {}", kNewestCuda));
    newer(rule, findings, once, s.gpu_driver, "driver", kNewestDriver,
          format("the rules treat it as {}", kNewestDriver));
    if (s.nccl)
      newer(rule, findings, once, s.nccl, "NCCL", kNewestNccl, format("the rules treat it as {}", kNewestNccl));
  }
  const auto& scheduler = in.cluster.spec.software->scheduler;
  if (scheduler && scheduler->kind.value == SchedulerKind::slurm)
    newer(rule, findings, once, scheduler->version, "Slurm", kNewestSlurm,
          format("the compiled files are written for releases up to {}", kNewestSlurm));
  if (scheduler && scheduler->kind.value == SchedulerKind::kubernetes && scheduler->version) {
    const Version& v = *scheduler->version;
    if (v.major() != kKubernetesMajor && once.first(scheduler->version.span))
      findings
          .note(rule.id, scheduler->version.span,
                format("Kubernetes {} is not in the built-in table: its releases are 1.x, up to {}", v.text(),
                       kNewestKubernetes))
          .help(format("write `version: {}`, or another release of Kubernetes", kNewestKubernetes));
    else
      newer(rule, findings, once, scheduler->version, "Kubernetes", kNewestKubernetes,
            format("the compiled files are written for releases up to {}", kNewestKubernetes));
  }
}

}  // namespace

extern const Rule kSoftwareReleaseUnheardOf;  // registry.cc names it
const Rule kSoftwareReleaseUnheardOf = {
    .id = "software-release-unheard-of",
    .code = "SW-018",
    .severity = Severity::note,
    .physics = false,
    .summary = "a release of CUDA, driver, NCCL, Slurm or Kubernetes that is not in the built-in table",
    .explanation = R"(## What it checks

CUDA, GPU driver, NCCL, Slurm and Kubernetes are of releases that this program knows.

## Why it matters

A release that does not exist is a slip of the keyboard that no package manager takes. One that came later may need another driver, or read a file otherwise, and no rule here knows of it.

## Formula

```
release <= the newest known: CUDA 13.3, driver 610, NCCL 2.30.7, Slurm 25.05, Kubernetes 1.36
```

Unit: none. Releases are compared.

As many numbers are compared as the newest has: 25.05.8 is 25.05.

Source: catalog/compatibility/nccl.yaml (2.30.7, built for CUDA 12.9 and 13.3), driver-branches.yaml (610), both from the vendor's pages; Slurm: the releases that the compiled files are written for; Kubernetes: kubernetes.io/releases.

## Example

`cuda: 13.13`, where 13.1.3 or 13.3 was meant.

## How to fix

Write the release that is meant.

## When to accept

Where it came after this program and its notes were read.
)",
    .check = software_release_unheard_of,
};

}  // namespace clusterc
