#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"

namespace clusterc {
namespace {

void node_boot_or_bmc_lacking(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  const bool managed =
      std::any_of(c.networks.begin(), c.networks.end(), [](const NetworkModel& n) { return n.everything; });
  for (const NodeGroupModel& g : c.nodes) {
    const ServerModel& s = g.server;
    if (!is_ours(g) || g.count == 0) continue;
    if (s.part.bmc && !*s.part.bmc) {
      Finding& f =
          findings.add(rule.severity, rule.id, first_place(in_spec(s.part.bmc.span, g), s.span),
                       format("'{}' of group '{}' has no management controller: {} no power control and no sensors",
                              s.id, g.name, g.count == 1 ? "its node has" : format("{} nodes have", g.count)));
      if (!in_spec(s.part.bmc.span, g).valid() && s.part.bmc.span.valid()) f.note(s.part.bmc.span, "stated here");
      mention_unconfirmed(f, s.part.bmc, "the absence of a management controller");
      f.help("use a server with a management controller, or switched outlets");
      f.object("nodes." + g.name);
    } else if (!s.part.bmc && managed && g.assembly < 0) {
      findings.note(
          rule.id, s.span,
          format("'{}' states no `bmc`: the plan assumes that group '{}' has management controllers", s.id, g.name));
    }
    const auto* boot = s.part.drives.find("boot");
    if (g.assembly >= 0 || !boot || !boot->value.count || *boot->value.count != 1)
      continue;  // a tray is as its maker built it; none: it starts from the network
    Finding& f = findings.add(
        rule.severity, rule.id,
        first_place(in_spec(first_place(written(boot->value.count), boot->value.span, boot->name_span), g), s.span),
        format("each node of '{}' boots from 1 drive, but a mirror needs 2", g.name));
    mention_unconfirmed(f, boot->value.count, format("the number of boot drives of '{}'", s.id));
    f.help(boot->value.size && boot->value.kind
               ? format("write `boot: 2 x {} {}`, or no boot drive at all for nodes that boot from the network",
                        to_text(*boot->value.size), enum_text(*boot->value.kind))
               : "write `boot: 2 x …`");
    f.object("nodes." + g.name);
  }
}

}  // namespace

extern const Rule kNodeBootOrBmcLacking;  // registry.cc names it
const Rule kNodeBootOrBmcLacking = {
    .id = "node-boot-or-bmc-lacking",
    .code = "NODE-009",
    .severity = Severity::warning,
    .physics = false,
    .summary = "a node has no management controller, or one boot drive without a mirror",
    .explanation = R"(## What it checks

Nodes have a management controller, and nodes that boot from a drive have a second one as a mirror.

## Why it matters

A node without a controller cannot be switched on, reset or monitored remotely; somebody must go to the site. A node
with a single boot drive stops when that drive fails: in a hundred nodes, one each year.

## Formula

```
bmc: true
boot drives = 0 (from the network) or >= 2; trays of rack-scale systems are as their maker built them
```

Unit: none. The question is whether parts are there.

Source: policy. The rule book had a missing controller as an error; such a node can be built and runs, so it is a warning here.

## Example

`drives: { boot: 1 x 480 GB sata }`.

## How to fix

Use two boot drives as a mirror, or nodes that boot from the network; use a server with a management controller.

## When to accept

For nodes that are reinstalled within minutes and hold no data.
)",
    .check = node_boot_or_bmc_lacking,
};

}  // namespace clusterc
