#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "rules/software_say.h"

namespace clusterc {
namespace {

// Series by release, the oldest first; `newer`: backports go on beyond the last.
struct Kernels {
  std::string_view os;
  std::array<std::string_view, 7> series;
  bool newer = false;
};
constexpr std::array kKernels = {
    Kernels{"ubuntu-20.04", {"5.4", "5.8", "5.11", "5.13", "5.15"}},
    Kernels{"ubuntu-22.04", {"5.15", "5.17", "5.19", "6.1", "6.2", "6.5", "6.8"}},
    Kernels{"ubuntu-24.04", {"6.8", "6.11", "6.14", "6.17"}, true},
    Kernels{"debian-11", {"5.10", "6.1"}},
    Kernels{"debian-12", {"6.1", "6.3", "6.4", "6.5", "6.6", "6.7", "6.9"}, true},
    Kernels{"debian-13", {"6.12"}, true},
    Kernels{"rocky-8", {"4.18"}},
    Kernels{"rhel-8", {"4.18"}},
    Kernels{"rocky-9", {"5.14"}},
    Kernels{"rhel-9", {"5.14"}},
    Kernels{"rocky-10", {"6.12"}},
    Kernels{"rhel-10", {"6.12"}},
};

bool ships(const Kernels& k, const Version& kernel) {
  std::string_view last;
  for (const std::string_view s : k.series) {
    if (s.empty()) continue;
    last = s;
    if (kernel.as_written == s || kernel.as_written.starts_with(std::string(s) + ".") ||
        kernel.as_written.starts_with(std::string(s) + "-"))
      return true;
  }
  return k.newer && kernel > Version{std::string(last)};
}

void software_kernel_not_of_distribution(const Rule& rule, const RuleInput& in, Findings& findings) {
  Once once;
  for (const NodeGroupModel& g : in.cluster.nodes) {
    const Software& s = *g.software;
    if (g.count == 0 || !s.kernel || !s.os || s.kernel.origin != Origin::spec || once.told(s.kernel.span)) continue;
    const auto known = std::ranges::find(kKernels, std::string_view(*s.os), &Kernels::os);
    if (known == kKernels.end() || ships(*known, *s.kernel)) continue;
    once.first(s.kernel.span);
    std::string series;
    for (const std::string_view one : known->series)
      if (!one.empty()) series += format("{}{}", series.empty() ? "" : ", ", one);
    findings
        .add(rule.severity, rule.id, s.kernel.span,
             format("'{}' does not ship kernel {}; it ships {}", *s.os, s.kernel->text(), series))
        .note(s.os.span, "the operating system")
        .help(format("leave `kernel` out, or write `kernel: {}`", known->series.front()))
        .object("nodes." + g.name);
  }
}

}  // namespace

extern const Rule kSoftwareKernelNotOfDistribution;  // registry.cc names it
const Rule kSoftwareKernelNotOfDistribution = {
    .id = "software-kernel-not-of-distribution",
    .code = "SW-023",
    .severity = Severity::warning,
    .physics = false,
    .summary = "the distribution does not ship the kernel",
    .explanation = R"(## What it checks

The kernel that a group names (`software: { kernel }`) is of a series that its distribution ships for that release,
hardware-enablement kernels and backports included.

## Why it matters

Drivers, RDMA stacks and file system clients are built and tested with the distribution's kernels. With another one their
packages do not install, and no vendor supports the combination.

## Formula

```
ubuntu-20.04  5.4, 5.8, 5.11, 5.13, 5.15        debian-11  5.10, 6.1 (backports)      rhel, rocky 8   4.18
ubuntu-22.04  5.15, 5.17, 5.19, 6.1, 6.2,       debian-12  6.1 and newer (backports)  rhel, rocky 9   5.14
              6.5, 6.8
ubuntu-24.04  6.8, 6.11, 6.14, 6.17 and newer   debian-13  6.12 and newer (backports) rhel, rocky 10  6.12
```

Unit: none. Releases are compared.

Source: release notes of the distributions; ubuntu.com/kernel/lifecycle.

## Example

`os: rocky-9` with `kernel: 6.8`; Rocky Linux 9 has 5.14.

## How to fix

Leave `kernel` out, or write a release of the distribution's series.

## When to accept

Where a kernel of your own, or of a third party, is meant.
)",
    .check = software_kernel_not_of_distribution,
};

}  // namespace clusterc
