#include "model/software_versions.h"
#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/software.h"

namespace clusterc {
namespace {

void software_cuda_newer_than_driver(const Rule& rule, const RuleInput& in, Findings& findings) {
  std::vector<SourceSpan> told;  // one declaration for the whole cluster is one finding
  const auto first_time = [&](SourceSpan at) {
    if (std::find(told.begin(), told.end(), at) != told.end()) return false;
    told.push_back(at);
    return true;
  };
  for (const NodeGroupModel& g : in.cluster.nodes) {
    if (!g.server.gpu || g.server.gpu->vendor.value != Vendor::nvidia || g.server.gpu_count == 0 || g.count == 0)
      continue;
    const Software& s = g.software;
    if (!s.cuda) {
      if (s.cuda.unknown && first_time(s.cuda.span))
        findings.note(rule.id, s.cuda.span,
                      format("`cuda` is unknown{}, so it was not compared with the driver",
                             s.cuda.source.empty() ? "" : format(" ({})", s.cuda.source)));
      continue;  // no toolkit is asked for
    }
    if (!s.gpu_driver) {
      if (first_time(s.cuda.span))
        findings.note(
            rule.id, s.cuda.span,
            format("group '{}' has cuda {} and no `gpu_driver`, so the two were not compared", g.name, s.cuda->text()));
      continue;
    }
    const auto row = std::find_if(kCudaMajors.begin(), kCudaMajors.end(),
                                  [&](const CudaMajor& m) { return m.major == s.cuda->major(); });
    if (row == kCudaMajors.end()) {
      if (first_time(s.cuda.span))
        findings.note(
            rule.id, s.cuda.span,
            format("the driver that cuda {} needs is not in the built-in table, so it was not compared with {}",
                   s.cuda->text(), s.gpu_driver->text()));
      continue;
    }
    const Version needed{std::string(row->driver)};
    // "450" is a branch: its releases reach 450.80.02, so only a lower branch or an older full release is too old.
    const bool branch_only = s.gpu_driver->as_written.find('.') == std::string::npos;
    if (branch_only ? s.gpu_driver->major() >= needed.major() : *s.gpu_driver >= needed) continue;
    if (!first_time(s.cuda.span)) continue;
    Finding& f = findings.error(rule.id, s.cuda.span,
                                format("cuda {} needs driver {} or newer, but group '{}' has {}", s.cuda->text(),
                                       row->driver, g.name, s.gpu_driver->text()));
    f.label(format("every toolkit of CUDA {} runs on driver {} or newer", row->major, row->driver));
    f.note(s.gpu_driver.span, "the driver is set here");
    std::string other;
    for (const CudaMajor& m : kCudaMajors)
      if (other.empty() && *s.gpu_driver >= Version{std::string(m.driver)})
        other = format(", or a toolkit of CUDA {}", m.major);
    f.help(format("write `gpu_driver: {}`{}", row->driver, other));
    f.object("nodes." + g.name);
  }
}

}  // namespace

extern const Rule kSoftwareCudaNewerThanDriver;  // registry.cc names it
const Rule kSoftwareCudaNewerThanDriver = {
    .id = "software-cuda-newer-than-driver",
    .code = "SW-001",
    .severity = Severity::error,
    .physics = false,
    .summary = "the CUDA toolkit is newer than the driver allows",
    .explanation = R"(## What it checks

The driver of each group with NVIDIA GPUs is new enough for its CUDA toolkit.

## Why it matters

A program that was built with a newer toolkit ends at its first call with "CUDA driver version is insufficient for CUDA runtime version", on every node at once.

## Formula

```
CUDA 13.x: driver >= 580      CUDA 12.x: driver >= 525      CUDA 11.x: driver >= 450.80.02
```

Unit: none. Releases are compared.

Source: NVIDIA, CUDA compatibility, minor version compatibility. Single features of a newer minor release may need the driver of that release.

## Example

`cuda: 13.0` with `gpu_driver: 570`.

## How to fix

Raise the driver, or take a toolkit of the driver's major release. The same holds for the toolkits inside container images.

## When to accept

Where the forward-compatibility package (`cuda-compat`) is installed on GPUs that it supports.
)",
    .check = software_cuda_newer_than_driver,
};

}  // namespace clusterc
