#include "model/node_memory.h"
#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/software.h"

namespace clusterc {
namespace {

constexpr std::int64_t kHugePageMib = 2;  // `huge_pages` counts pages of 2 MiB

void sched_node_memory_overstated(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  const auto& scheduler = c.spec.software->scheduler;
  if (!scheduler || scheduler->kind.value != SchedulerKind::slurm) return;
  for (const NodeGroupModel& g : c.nodes) {
    if (!g.computes || g.count == 0 || !g.server.memory || !g.software->huge_pages) continue;
    const NodeMemory memory = node_memory(c, g);
    const std::int64_t huge = *g.software->huge_pages * kHugePageMib, reserve = memory.system;
    if (huge <= reserve) continue;
    const auto text = [](std::int64_t mib) {
      return to_text(Bytes(static_cast<double>(mib) * static_cast<double>(kMiB)));
    };
    Finding& f = findings.warning(
        rule.id, g.software->huge_pages.span,
        format(
            "huge pages take {} of each node of '{}', but only {} are left beside the memory that Slurm gives to jobs",
            text(huge), g.name, text(reserve)));
    f.label(format("{} x 2 MiB; RealMemory={}: {}", *g.software->huge_pages, memory.jobs, memory.formula));
    f.help(format("write `huge_pages: {}` or less; with more, jobs must request less memory, because Slurm counts huge "
                  "pages for a job only when the job maps them",
                  reserve / kHugePageMib))
        .object("nodes." + g.name);
  }
}

}  // namespace

extern const Rule kSchedNodeMemoryOverstated;  // registry.cc names it
const Rule kSchedNodeMemoryOverstated = {
    .id = "sched-node-memory-overstated",
    .code = "SCHED-008",
    .severity = Severity::warning,
    .physics = false,
    .summary = "Slurm gives the memory of reserved huge pages to jobs as well",
    .explanation = R"(## What it checks

Huge pages that are reserved on the nodes (`huge_pages`) fit into the memory that Slurm does not hand out. The compiled RealMemory is what is fitted less what firmware or hypervisor, kernel and daemons take, and a crash kernel.

## Why it matters

Reserved pages are gone for everything else. A job that gets all of RealMemory then finds less than that, and the kernel ends a process of its choice.

## Formula

```
huge_pages x 2 MiB <= fitted - RealMemory - crash kernel
                      (real machines: fitted / 32; instances and virtual machines: 5 % on AWS,
                       400 MiB + 30 MiB/GiB at Google, 8 % elsewhere; at least 256 MiB)
```

Unit: MiB on both sides.

Source: Linux, Documentation/admin-guide/mm/hugetlbpage.rst (reserved pages cannot be used for other purposes); slurm.conf(5), RealMemory.

Error: the share of the system is an estimate on the safe side. Published machines lose 1.6 % to 2 % of their memory
where 1/32 is taken, 2.9 % on AWS where 5 % is taken, 6.8 % on Azure where 8 % is taken.

## Example

`huge_pages: 40960` (80 GiB) on nodes of 2 TiB, of which 64 GiB are left to the system.

## How to fix

Fewer huge pages; transparent ones need no reservation.

## When to accept

Where every job maps the huge pages.
)",
    .check = sched_node_memory_overstated,
};

}  // namespace clusterc
