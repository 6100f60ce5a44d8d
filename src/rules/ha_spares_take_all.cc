#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/nodes.h"
#include "spec/workload.h"

namespace clusterc {
namespace {

// A workload on more nodes than the group has beside its spares.
void check_workloads(const Rule& rule, const RuleInput& in, Findings& findings, const NodeGroupModel& g) {
  const std::int64_t left = g.count - *g.spec->spares;
  for (const auto& w : in.cluster.spec.workloads)
    for (const auto& on : w.value.on) {
      if (on.name != g.name || !on.value || *on.value <= left || *on.value > g.count)
        continue;  // more than there are: spec-count-mismatch says so
      Finding& f = findings.warning(rule.id, on.value.span,
                                    format("workload '{}' runs on {} of '{}', but without its spares the group has {}",
                                           w.name, plural(*on.value, "node"), g.name, left));
      f.label(format("{} - {} spares", plural(g.count, "node"), *g.spec->spares))
          .note(g.spec->spares.span, "these are the spares");
      f.help(format("write `on: {{ {}: {} }}`, or fewer spares", g.name, left)).object("workloads." + w.name);
    }
}

void ha_spares_take_all(const Rule& rule, const RuleInput& in, Findings& findings) {
  for (const NodeGroupModel& g : in.cluster.nodes) {
    if (!g.spec->spares || g.count == 0 || *g.spec->spares == 0) continue;
    if (*g.spec->spares < g.count) {
      check_workloads(rule, in, findings, g);
      continue;
    }
    Finding& f = findings.error(rule.id, g.spec->spares.span,
                                format("'{}' holds back {} as spares but has {}: none is left to run jobs", g.name,
                                       plural(*g.spec->spares, "node"), g.count));
    f.note(g.spec->names.span, plural(g.count, "node"));
    f.help(format("write `spares: {}` or less, or add nodes", g.count - 1));
    f.object("nodes." + g.name);
  }
}

}  // namespace

extern const Rule kHaSparesTakeAll;  // registry.cc names it
const Rule kHaSparesTakeAll = {
    .id = "ha-spares-take-all",
    .code = "HA-005",
    .severity = Severity::error,
    .physics = false,
    .summary = "all nodes of a group are spares, or a workload needs more than the others",
    .explanation = R"(## What it checks

A group has more nodes than `spares` (error), and no workload runs on more of its nodes than remain without the spares
(warning).

## Why it matters

Spares are drained in the scheduler. If all nodes are spares, the partition is empty; a job that wants more nodes than
remain waits in the queue for ever.

## Formula

```
spares < nodes of the group;  nodes of each workload <= nodes of the group - spares
```

Unit: nodes on both sides.

Source: arithmetic.

Error: none beyond its inputs.

## Example

`names: "g[1-6]"` with `spares: 6`.

## How to fix

Write fewer spares. [ha-spares-too-few](ha-spares-too-few.md) shows how many are needed.

## When to accept

Where the group stores spare machines for another group, and no jobs run on it.
)",
    .check = ha_spares_take_all,
};

}  // namespace clusterc
