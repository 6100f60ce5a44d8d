#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "model/software_versions.h"
#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "rules/software_say.h"

namespace clusterc {
namespace {

constexpr int months(int year, int month) { return year * 12 + month - 1; }
struct End {
  std::string_view release;
  int year, month;  // the last with updates
};
// catalog/compatibility/driver-branches.yaml lists the maintained branches. When the other branches from 560 on ended
// is not confirmed, so they are a note.
constexpr std::array kDriverEnds = {End{"535", 2026, 6}, End{"580", 2028, 6}, End{"595", 2027, 3}, End{"610", 2026, 8}};
constexpr std::string_view kLongTerm = "580";
constexpr int kSurelyEnded = 560;  // branches below it are of 2024 and earlier
// Free updates: ubuntu.com/about/release-cycle (standard support), wiki.debian.org/LTS,
// access.redhat.com/support/policy/updates/errata and wiki.rockylinux.org (end of maintenance), www.suse.com/lifecycle
// (general support).
constexpr std::array kOsEnds = {
    End{"ubuntu-18.04", 2023, 5}, End{"ubuntu-20.04", 2025, 5}, End{"ubuntu-22.04", 2027, 6},
    End{"ubuntu-24.04", 2029, 5}, End{"debian-10", 2024, 6},    End{"debian-11", 2026, 8},
    End{"debian-12", 2028, 6},    End{"debian-13", 2030, 6},    End{"centos-7", 2024, 6},
    End{"rhel-7", 2024, 6},       End{"centos-8", 2021, 12},    End{"rocky-8", 2029, 5},
    End{"rhel-8", 2029, 5},       End{"rocky-9", 2032, 5},      End{"rhel-9", 2032, 5},
    End{"rocky-10", 2035, 5},     End{"rhel-10", 2035, 5},      End{"sles-12", 2024, 10},
    End{"sles-15.4", 2023, 12},   End{"sles-15.5", 2024, 12},   End{"sles-15.6", 2025, 12},
};

std::string month_text(const End& e) { return format("{}-{:02}", e.year, e.month); }

void software_release_ended(const Rule& rule, const RuleInput& in, Findings& findings) {
  Once once;
  const int now = months(in.edition.year, in.edition.month);
  const std::string when = format("the edition of the rule book is {}", in.edition.text());
  for (const NodeGroupModel& g : in.cluster.nodes) {
    if (g.count == 0) continue;
    const Software& s = *g.software;
    const bool nvidia = g.server.gpu && g.server.gpu->vendor.value_or(Vendor::nvidia) == Vendor::nvidia;
    if (s.gpu_driver && nvidia && s.gpu_driver->major() >= kLeastNvidiaDriver && !once.told(s.gpu_driver.span)) {
      const std::string branch = std::to_string(s.gpu_driver->major());
      const auto end = std::ranges::find(kDriverEnds, branch, [](const End& e) { return std::string(e.release); });
      const bool known = end != kDriverEnds.end(),
                 unlisted = !known && *s.gpu_driver < Version{std::string(kNewestDriver)};
      if ((known && months(end->year, end->month) < now) || unlisted) {
        once.first(s.gpu_driver.span);
        findings
            .add(known || s.gpu_driver->major() < kSurelyEnded ? rule.severity : Severity::note, rule.id,
                 s.gpu_driver.span,
                 known ? format("branch {} of the GPU driver ended in {}: it gets no more updates", branch,
                                month_text(*end))
                       : format("the vendor does not maintain branch {} of the GPU driver", branch))
            .label(when)
            .help(
                format("write `gpu_driver: {}`, which is maintained until 2028-06, if all GPUs support it", kLongTerm))
            .object("nodes." + g.name);
      }
    }
    if (!s.os || once.told(s.os.span)) continue;
    const auto end = std::ranges::find(kOsEnds, std::string_view(*s.os), &End::release);
    if (end == kOsEnds.end() || months(end->year, end->month) >= now) continue;
    once.first(s.os.span);
    findings
        .add(rule.severity, rule.id, s.os.span,
             format("'{}' has had no free security updates since {}", *s.os, month_text(*end)))
        .label(when)
        .help("write a newer release, or accept the finding if you have a contract for extended support")
        .object("nodes." + g.name);
  }
}

}  // namespace

extern const Rule kSoftwareReleaseEnded;  // registry.cc names it
const Rule kSoftwareReleaseEnded = {
    .id = "software-release-ended",
    .code = "SW-022",
    .severity = Severity::warning,
    .physics = false,
    .summary = "a driver branch or an operating system gets no more updates",
    .explanation = R"(## What it checks

The branch of the GPU driver and the operating system of each group still get updates in the month of the rule book's
edition (`rules`).

## Why it matters

A cluster is planned for years. A release without security updates on the first day must be replaced under load, with
drained nodes, and vendors ask for a newer release before they look at a fault.

## Formula

```
end of the driver branch >= edition;  a branch that the vendor does not list is not maintained: a warning below 560, else a note
end of free security updates of the operating system >= edition
```

Unit: none. Dates are compared.

Source: catalog/compatibility/driver-branches.yaml (NVIDIA, supported drivers); life cycle pages of Ubuntu (standard support), Debian (LTS), Red Hat, Rocky
Linux and SUSE (general support).

## Example

`gpu_driver: 535`, whose last release was in 2026-06, in a spec of `rules: 2026.11`.

## How to fix

Write a branch that is maintained (`gpu_driver: 580`), or a newer operating system.

## When to accept

Where the release is under an extended support contract.
)",
    .check = software_release_ended,
};

}  // namespace clusterc
