#include "base/text.h"
#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/software.h"

namespace clusterc {
namespace {

// Slurm's plugin for cgroup v2 came with 22.05 (Slurm release notes 22.05, "cgroup/v2").
constexpr std::string_view kFirstSlurm = "22.05";

// First release whose systemd mounts the unified tree by itself (Ubuntu 21.10, Debian 11, RHEL 9 release notes; SLES 15
// keeps the hybrid one).
struct System {
  std::string_view name, first;
};
constexpr System kUnified[] = {{"ubuntu", "21.10"}, {"debian", "11"},   {"rhel", "9"},   {"rocky", "9"},
                               {"alma", "9"},       {"almalinux", "9"}, {"centos", "9"}, {"fedora", "31"}};

Version version(std::string_view text) {
  std::string error;
  return Version::parse(text, error).value_or(Version{});
}

bool unified_by_itself(std::string_view os) {
  const std::size_t dash = os.rfind('-');
  if (dash == std::string_view::npos) return false;
  const Version release = version(os.substr(dash + 1));
  for (const System& s : kUnified)
    if (os.substr(0, dash) == s.name) return !(release < version(s.first));
  return false;
}

bool switched(const Software& s, std::string_view argument) {
  return std::any_of(s.kernel_arguments.begin(), s.kernel_arguments.end(),
                     [&](const Value<std::string>& a) { return a.value == argument; });
}

void sched_cgroup_v2_prerequisite_absent(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  const auto& scheduler = c.spec.software->scheduler;
  if (!scheduler || scheduler->kind.value != SchedulerKind::slurm || !scheduler->version ||
      !(*scheduler->version < version(kFirstSlurm)))
    return;
  std::vector<std::string> names;
  const NodeGroupModel* first = nullptr;
  for (const NodeGroupModel& g : c.nodes) {
    if (!g.computes || g.count == 0 || !g.software->os) continue;
    const bool v2 =
        switched(*g.software, "systemd.unified_cgroup_hierarchy=1") ||
        (unified_by_itself(*g.software->os) && !switched(*g.software, "systemd.unified_cgroup_hierarchy=0"));
    if (!v2) continue;
    first = first ? first : &g;
    names.push_back(g.name);
  }
  if (!first) return;
  Finding& f = findings.error(
      rule.id, scheduler->version.span,
      format("Slurm {} has no plugin for cgroup v2, which {} of {} mounts; the first release with one is {}",
             scheduler->version->text(), *first->software->os,
             name_list(names, static_cast<std::int64_t>(names.size())), kFirstSlurm));
  if (first->software->os.span.valid()) f.note(first->software->os.span, "the operating system is set here");
  f.help("write `version: 22.05` or newer; or write `kernel_arguments: [systemd.unified_cgroup_hierarchy=0]`")
      .object("nodes." + first->name);
}

}  // namespace

extern const Rule kSchedCgroupV2PrerequisiteAbsent;  // registry.cc names it
const Rule kSchedCgroupV2PrerequisiteAbsent = {
    .id = "sched-cgroup-v2-prerequisite-absent",
    .code = "SCHED-004",
    .severity = Severity::error,
    .physics = false,
    .summary = "a Slurm that cannot confine jobs on this operating system",
    .explanation = R"(## What it checks

The Slurm that the spec names can confine jobs on the operating system of the nodes: cgroup v2 takes Slurm 22.05 or newer.

## Why it matters

An older slurmd says "cannot find cgroup plugin" and does not start, on every node.

## Formula

```
Ubuntu >= 21.10, Debian >= 11, RHEL and its kin >= 9 mount cgroup v2   (unless systemd.unified_cgroup_hierarchy=0)
cgroup v2: Slurm >= 22.05
```

Unit: none. Releases are compared.

Source: Slurm, release notes of 22.05 and cgroup v2 page; release notes of the distributions. Whether slurmd was built with dbus and bpf headers, which the plugin needs, no spec says.

## Example

`scheduler: { kind: slurm, version: 21.08 }` with `os: ubuntu-22.04`.

## How to fix

A newer Slurm, built with the development packages of dbus and bpf.

## When to accept

Where the nodes are switched back to cgroup v1 by other means.
)",
    .check = sched_cgroup_v2_prerequisite_absent,
};

}  // namespace clusterc
