#include <optional>

#include "plan/plan.h"
#include "rules/fix.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "rules/software_say.h"

namespace clusterc {
namespace {

void software_memlock_limit_too_low(const Rule& rule, const RuleInput& in, Findings& findings) {
  Once once;
  for (std::size_t i = 0; i < in.cluster.nodes.size(); ++i) {
    const NodeGroupModel& g = in.cluster.nodes[i];
    if (g.count == 0 || !g.computes || !g.software->limits || !g.software->limits->memlock ||
        !uses_rdma(in.cluster, static_cast<int>(i)))
      continue;
    const Value<std::string>& limit = g.software->limits->memlock;
    if (*limit == "unlimited" || *limit == "infinity" || *limit == "-1") continue;
    QuantityError error;
    const std::optional<double> bytes = parse_quantity(*limit, Dimension::bytes, error);
    if (!bytes) continue;  // the loader says so
    if (!g.server.memory) {
      if (once.first(limit.span))
        findings.note(
            rule.id, limit.span,
            format("the memory of group '{}' is not known (key `memory`), so the limit of {} was not compared with it",
                   g.name, *limit));
      continue;
    }
    if (!above(g.server.memory->value, *bytes) || !once.first(limit.span)) continue;
    write_instead(findings
                      .error(rule.id, limit.span,
                             format("jobs on '{}' may lock {}, but RDMA pins up to the node's {}", g.name,
                                    to_text(*bytes, Dimension::bytes), to_text(*g.server.memory)))
                      .help("write `memlock: unlimited`")
                      .object("nodes." + g.name),
                  limit, "unlimited");
  }
}

}  // namespace

extern const Rule kSoftwareMemlockLimitTooLow;  // registry.cc names it
const Rule kSoftwareMemlockLimitTooLow = {
    .id = "software-memlock-limit-too-low",
    .code = "SW-009",
    .severity = Severity::error,
    .physics = false,
    .summary = "the limit of locked memory is below what RDMA pins",
    .explanation = R"(## What it checks

Where locked memory is limited for groups in an RDMA network, the limit is not below the node's memory.

## Why it matters

RDMA pins what it sends and receives. Past the limit `ibv_reg_mr` fails with "Cannot allocate memory", in the middle of a job and only for large buffers.

## Formula

```
memlock = unlimited, or >= memory of the node
```

Unit: bytes on both sides.

Source: NVIDIA/nccl-tests issue 206, openucx/ucx issue 8229, microsoft/mscclpp issue 335. Left out, the compiled files set it to unlimited on every node with RDMA, for slurmd too.

Error: none beyond its inputs.

## Example

`limits: { memlock: 8 MiB }` on nodes with InfiniBand.

## How to fix

`memlock: unlimited`, or leave it out.

## When to accept

Where programs that use RDMA run as a user for whom another file sets the limit.
)",
    .check = software_memlock_limit_too_low,
};

}  // namespace clusterc
