#include <string>

#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/network.h"

namespace clusterc {
namespace {

void net_breakout_unconfirmed(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  for (const Fabric& f : in.plan.fabrics) {
    const NetworkModel& n = c.networks[static_cast<std::size_t>(f.network)];
    if (f.tiers.empty() || !n.switch_part) continue;
    const SwitchPart& part = *n.switch_part;
    // A planning default is no product that is bought.
    if (!part.ports.confirmed) continue;
    if (!part.breakout || part.breakout.confirmed || part.breakout.origin == Origin::spec || !part.port_rate ||
        f.link_rate.value <= 0)
      continue;
    const auto could = static_cast<std::int64_t>(*part.port_rate / f.link_rate + kRounding);
    const std::int64_t says = *part.breakout;
    if (could < 2 || says >= could * 2) continue;
    const bool uses = f.ways > 1, wasted = says < could && f.switch_count() > 1;
    // One switch with ports to spare is bought either way.
    const std::int64_t ports = part.ports.value_or(0);
    if (!wasted && (!uses || (f.switch_count() == 1 && f.end_ports_built_for <= ports))) continue;
    findings
        .add(rule.severity, rule.id, first_place(written(n.spec->switch_model), n.span),
             wasted
                 ? format("network '{}' is planned with {} because a port of '{}' splits {} ways, which is not "
                          "confirmed: {} / {} would let it split {} ways",
                          n.name, format("{} switches", f.switch_count()), n.switch_model, says,
                          to_text(*part.port_rate), to_text(f.link_rate), could)
                 : format(
                       "the plan of network '{}' splits ports of '{}' {} ways, but it is not confirmed that they split "
                       "{} ways",
                       n.name, n.switch_model, f.ways, says))
        .note(part.breakout.span, format("`breakout: {}` of '{}' is not confirmed{}{}", says, n.switch_model,
                                         part.breakout.source.empty() ? "" : "; its source: ", part.breakout.source))
        .help("read the data sheet before you order, and write `breakout` in a part of your own")
        .object("networks." + n.name);
  }
}

}  // namespace

extern const Rule kNetBreakoutUnconfirmed;  // registry.cc names it
const Rule kNetBreakoutUnconfirmed = {
    .id = "net-breakout-unconfirmed",
    .code = "NET-026",
    .severity = Severity::warning,
    .physics = false,
    .summary = "how far a switch port splits is not confirmed, and decides how many switches are bought",
    .explanation = R"(## What it checks

Where the number of switches rests on how far a port splits (`breakout` of the switch), that figure was read in a
document.

## Why it matters

A switch with 64 ports of 800 Gb/s offers 256 ports of 200 Gb/s only if each port splits four ways. A wrong figure buys
three switches where one is enough, or one switch that takes half of the cables.

## Formula

```
port rate / rate of the network > 1, and `breakout` of the switch is not confirmed
  it splits fewer ways than the rates would let it, or the plan splits its ports
```

Unit: none. The question is whether a figure was read in a document.

Source: the catalogue says of each fact whether it was read in its source.

## Example

150 ports of 200 Gb/s on a switch with 64 ports of 800 Gb/s, whose `breakout: 2` is not confirmed.

## How to fix

Read the data sheet and write the figure in a part of your own (`parts: [parts]`).

## When to accept

Where the maker has confirmed the figure.
)",
    .check = net_breakout_unconfirmed,
};

}  // namespace clusterc
