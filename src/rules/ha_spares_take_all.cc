#include "rules/rules.h"
#include "rules/say.h"

namespace clusterc {
namespace {

void check(const Rule& rule, const RuleInput& in, Findings& findings) {
  for (const NodeGroupModel& g : in.cluster.nodes) {
    if (!g.spec->spares || g.count == 0 || *g.spec->spares < g.count || *g.spec->spares == 0) continue;
    Finding& f = findings.error(rule.id, g.spec->spares.span, format("'{}' holds back {} for repair and has {}: none is left to work", g.name, plural(*g.spec->spares, "node"), g.count));
    f.note(g.spec->names.span, plural(g.count, "node"));
    f.help(format("`spares: {}` at most, or more nodes", g.count - 1));
    f.object("nodes." + g.name);
  }
}

}  // namespace

constexpr std::string_view kExplanation = R"(## What it checks

A group has more nodes than it holds back as `spares`.

## Why it matters

Spares are drained in the scheduler: with all of them held back the group runs nothing, and its partition is empty.

## Formula

```
spares < nodes of the group
```

Source: arithmetic.

## Example

`names: "g[1-6]"` with `spares: 6`.

## How to fix

Fewer spares: [ha-spares-too-few](ha-spares-too-few.md) says how many are wanted.

## When to accept

Where the group is a store of spare machines for another one, and is meant to run nothing.
)";

const Rule kHaSparesTakeAll = {
    .id = "ha-spares-take-all",
    .code = "HA-005",
    .severity = Severity::error,
    .physics = false,
    .summary = "all nodes of a group are held back as spares",
    .explanation = kExplanation,
    .check = check,
};

}  // namespace clusterc
