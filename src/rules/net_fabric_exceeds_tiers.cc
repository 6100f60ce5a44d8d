#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/network.h"

namespace clusterc {
namespace {

void net_fabric_exceeds_tiers(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  for (const Fabric& f : in.plan.fabrics) {
    const NetworkModel& n = c.networks[f.network];
    if (!n.switch_part || !n.switch_part->ports || !f.tiers.empty() || f.unbuildable.empty()) continue;
    const std::int64_t radix = *n.switch_part->ports * std::max<std::int64_t>(1, f.ways);
    // r^3 / 4 end ports at full bandwidth; with o the leaf turns r o / (o + 1) down instead of r / 2.
    const double o = n.spec->oversubscription.value_or(1), r = static_cast<double>(radix);
    const auto limit = static_cast<std::int64_t>(r * r / 2 * (r * o / (o + 1)));
    if ((f.end_ports_built_for + f.planes - 1) / f.planes <= limit)
      continue;  // something else is in the way: net-switch-ports-exceeded
    Finding& x = findings.error(rule.id, first_place(written(n.spec->switch_model), n.span),
                                format("network '{}' has {} end ports{}, but three tiers of '{}' support {}{}", n.name,
                                       f.end_ports_built_for, f.planes > 1 ? format(" in {} planes", f.planes) : "",
                                       n.switch_model, limit, f.planes > 1 ? " in each" : ""));
    x.label(o > 1 ? format("{}^2 / 2 x {} x {:.4g} / {:.4g}", radix, radix, o, o + 1)
                  : format("{}^3 / 4, {}", radix,
                           f.ways > 1 ? format("{} ports x {} ways", *n.switch_part->ports, f.ways)
                                      : format("{} ports", *n.switch_part->ports)));
    for (const EndPoints& e : n.ends) x.note(e.span, format("{} x {}", e.built_for, plural(e.ports_each, "port")));
    mention_unconfirmed(x, n.switch_part->ports, format("the number of ports of '{}'", n.switch_model));
    if (f.ways > 1) mention_unconfirmed(x, n.switch_part->breakout, format("the splitting of '{}'", n.switch_model));
    x.help("use a switch with more ports, splitting (`breakout`), or several planes");
    x.object("networks." + n.name);
  }
}

}  // namespace

extern const Rule kNetFabricExceedsTiers;  // registry.cc names it
const Rule kNetFabricExceedsTiers = {
    .id = "net-fabric-exceeds-tiers",
    .code = "NET-002",
    .severity = Severity::error,
    .physics = true,
    .summary = "a fabric is too large for three tiers of its switch",
    .explanation = R"(## What it checks

The fabric has no more end ports than three tiers of its switch can connect.

## Why it matters

The number of ports of a switch limits the size of a fat tree. Beyond that limit no cabling works.

## Formula

```
full bandwidth, r ports a switch: one tier r, two tiers r^2 / 2, three tiers r^3 / 4
oversubscription o: leaves turn r o / (o + 1) ports down instead of r / 2
```

Unit: end ports on both sides.

Source: C. Leiserson, Fat-trees (1985); M. Al-Fares et al., SIGCOMM 2008 (k^3 / 4 hosts); arithmetic.

Error: none beyond its inputs. The limit is that of one switch model in all tiers.

## Example

70,000 ports on switches of 64: three tiers give 65,536.

## How to fix

Use a switch with more ports, split ports, or planes (each its own fabric).

## When to accept

Never: it is arithmetic.
)",
    .check = net_fabric_exceeds_tiers,
};

}  // namespace clusterc
