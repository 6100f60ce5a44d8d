#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/software.h"

namespace clusterc {
namespace {

struct Stack {
  std::string_view key;
  const Value<Version>* value;
};

std::vector<Stack> stack_of(const Software& s) {
  std::vector<Stack> out = {{"kernel", &s.kernel}, {"gpu_driver", &s.gpu_driver}, {"nccl", &s.nccl}};
  if (s.mpi) out.push_back({"mpi", &s.mpi->version});
  if (s.fabric) out.push_back({"fabric", &s.fabric->version});
  return out;
}

// The groups whose jobs one scheduler starts.
std::set<std::string_view> scheduled_together(const Cluster& c) {
  std::set<std::string_view> groups;
  if (!c.spec.software->scheduler || c.spec.software->scheduler->kind.value == SchedulerKind::none) return groups;
  for (const Value<std::string>& n : c.spec.software->scheduler->schedules)
    if (n) groups.insert(*n);
  return groups;
}

void software_versions_differ_in_class(const Rule& rule, const RuleInput& in, Findings& findings) {
  const auto& groups = in.cluster.nodes;
  const std::set<std::string_view> together = scheduled_together(in.cluster);
  std::map<std::pair<std::string_view, std::string_view>, const NodeGroupModel*> kinds;  // by server and GPU
  for (const NodeGroupModel& b : groups) {
    if (!b.computes || b.count == 0 || !together.contains(b.name)) continue;
    // Compared with the first group of its kind: one release too many is one finding.
    const NodeGroupModel* first = kinds.try_emplace({b.server.id, b.server.gpu_model}, &b).first->second;
    if (first == &b || b.server.virtual_machine) continue;
    for (const Stack& mine : stack_of(b.software))
      for (const Stack& other : stack_of(first->software)) {
        if (mine.key != other.key || !*mine.value || !*other.value ||
            (*mine.value)->as_written == (*other.value)->as_written)
          continue;
        findings
            .error(rule.id, mine.value->span,
                   format("`{}` of group '{}' is {}, but group '{}', also of '{}', has {}", mine.key, b.name,
                          (*mine.value)->text(), first->name, b.server.id, (*other.value)->text()))
            .note(other.value->span, format("{} of '{}' run this release", plural(first->count, "node"), first->name))
            .help(format("use one release for both; during a rollout, remove one of them from `schedules`"))
            .object("nodes." + b.name);
      }
  }
}

}  // namespace

extern const Rule kSoftwareVersionsDifferInClass;  // registry.cc names it
const Rule kSoftwareVersionsDifferInClass = {
    .id = "software-versions-differ-in-class",
    .code = "SW-008",
    .severity = Severity::error,
    .physics = false,
    .summary = "groups of one kind of server run different releases of software that their jobs share",
    .explanation = R"(## What it checks

Groups of the same server and GPU that one scheduler hands out run the same kernel, driver, NCCL, MPI and RDMA stack, as far as the spec says.

## Why it matters

Ranks with different releases meet in one job: NCCL refuses at initialisation or hangs, a kernel module and its library disagree, and a slow node is slow for a reason that no counter shows.

## Formula

```
for each pair of groups with equal server and GPU, both in `schedules`:  release = release, as written
```

Unit: none. Releases are compared.

Source: NVIDIA/nccl issues 1328 and 447 (ranks and libraries of different versions).

## Example

`gpu_driver: 570.86.15` for 30 DGX H100, `gpu_driver: 570.124.06` for two more.

## How to fix

Pin one release in `software`. While a rollout lasts, keep the group that has the new one out of `schedules`.

## When to accept

Where a constraint of the scheduler keeps every job inside one of the groups.
)",
    .check = software_versions_differ_in_class,
};

}  // namespace clusterc
