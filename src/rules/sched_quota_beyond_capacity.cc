#include <algorithm>

#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/team.h"

namespace clusterc {
namespace {

void sched_quota_beyond_capacity(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  for (const auto& team : c.spec.teams)
    for (const auto& quota : team.value.quota) {
      const auto group =
          std::find_if(c.nodes.begin(), c.nodes.end(), [&](const NodeGroupModel& g) { return g.name == quota.name; });
      if (group == c.nodes.end() || !quota.value.amount || !quota.value.of)
        continue;  // an unknown name was reported when the spec was resolved
      const std::string& of = *quota.value.of;
      const ServerModel& s = group->server;
      const std::int64_t each = of == "gpus" ? s.gpu_count : of == "cores" ? s.cores : 1;
      if (of == "cores" && each == 0) continue;  // the processor's cores are not known
      const std::int64_t all = group->count * each;
      if (*quota.value.amount <= all) continue;
      findings
          .warning(rule.id, quota.value.amount.span,
                   format("team '{}' may use {} {} of '{}', but the group has {}", team.name, *quota.value.amount, of,
                          group->name, all))
          .note(group->span, of == "nodes" ? plural(group->count, "node")
                                           : format("{} with {} {} each", plural(group->count, "node"), each, of))
          .help(format("write `{}: {} {}`, or leave the quota out", group->name, all, of))
          .object("teams." + team.name);
    }
}

}  // namespace

extern const Rule kSchedQuotaBeyondCapacity;  // registry.cc names it
const Rule kSchedQuotaBeyondCapacity = {
    .id = "sched-quota-beyond-capacity",
    .code = "SCHED-010",
    .severity = Severity::warning,
    .physics = false,
    .summary = "a team's quota is more than its node group has",
    .explanation = R"(## What it checks

The quota of a team is within what its node group has.

## Why it matters

A quota above the capacity limits nobody: the team can fill the group alone, while its users believe that something is held back for others. Mostly it is left over from a larger plan.

## Formula

```
quota in gpus  <= nodes of the group x GPUs of a node
quota in cores <= nodes of the group x cores of a node
quota in nodes <= nodes of the group
```

Unit: GPUs, cores or nodes on both sides.

The quotas of several teams together may be more than there is: that is sharing.

Source: arithmetic.

Error: none beyond its inputs.

## Example

`quota: { h100: 96 gpus }` for a group of eight nodes with eight GPUs each.

## How to fix

Write what the team may take at most, or leave the quota out.

## When to accept

When nodes are about to be bought and the quota is right for then.
)",
    .check = sched_quota_beyond_capacity,
};

}  // namespace clusterc
