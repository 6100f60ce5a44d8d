#include "plan/plan.h"
#include "rules/fix.h"
#include "rules/pcie_say.h"
#include "rules/rule.h"

namespace clusterc {
namespace {

void pcie_two_socket_lanes_doubled(const Rule& rule, const RuleInput& in, Findings& findings) {
  for (const NodeGroupModel& g : in.cluster.nodes) {
    const ServerModel& s = g.server;
    if (!is_ours(g) || g.count == 0 || !s.part.pcie_lanes || !s.cpu || !s.cpu->pcie_lanes || s.cpu_count == 0) continue;
    // What the processors leave without the board's own word.
    ServerModel bare = s;
    bare.part.pcie_lanes = {};
    const LaneBudget budget = lane_budget(bare);
    const std::int64_t most = budget.usable * s.cpu_count;
    if (*s.part.pcie_lanes <= most) continue;
    Finding& f = findings.add(rule.severity, rule.id, first_place(in_spec(s.part.pcie_lanes.span, g), s.span),
                              format("'{}' states {} PCIe lanes, but {} x '{}' provide {}", g.name, *s.part.pcie_lanes,
                                     s.cpu_count, s.cpu_model, most));
    if (budget.between > 0)
      f.label(format("{} x ({} - {}) with three links between the sockets; {} with four", s.cpu_count,
                     *s.cpu->pcie_lanes, budget.between, s.cpu_count * (*s.cpu->pcie_lanes - 64)));
    else
      f.label(format("{} x {}", s.cpu_count, *s.cpu->pcie_lanes));
    if (s.cpu->pcie_lanes.span.valid()) f.note(s.cpu->pcie_lanes.span, "the lanes of one socket");
    mention_unconfirmed(f, s.cpu->pcie_lanes, format("the number of lanes of '{}'", s.cpu_model));
    f.help(format("write `pcie_lanes: {}`, or leave it out", most));
    f.object("nodes." + g.name);
    f.unconfirmed = !s.cpu->pcie_lanes.confirmed;
    write_instead(f, s.part.pcie_lanes, std::to_string(most));
  }
}

}  // namespace

extern const Rule kPcieTwoSocketLanesDoubled;  // registry.cc names it
const Rule kPcieTwoSocketLanesDoubled = {
    .id = "pcie-two-socket-lanes-doubled",
    .code = "PCIE-002",
    .severity = Severity::error,
    .physics = true,
    .summary = "a two-socket board states more lanes than its processors leave",
    .explanation = R"(## What it checks

A board does not state more PCIe lanes than its processors leave for devices.

## Why it matters

Two EPYC processors of 128 lanes do not give 256: the sockets use lanes of the same kind to communicate. A server with
256 lanes does not exist.

## Formula

```
two EPYC sockets of 128 lanes: 2 x (128 - 3 x 16) = 160 with three links between them, 128 with four
all others: sockets x lanes of one
```

Unit: lanes on both sides.

Source: AMD, EPYC 9004 architecture overview (160 lanes of PCIe 5.0 in two-socket systems with three xGMI links, 128 with four); data sheets (catalogue).

Error: none beyond its inputs.

## Example

`server: { like: generic-2u, pcie_lanes: 256 }` with two EPYC 9354.

## How to fix

Correct the figure, or leave it out: it follows from the processors.

## When to accept

Never: the sockets use these lanes for the links between them.
)",
    .check = pcie_two_socket_lanes_doubled,
};

}  // namespace clusterc
