#include <algorithm>

#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/network.h"

namespace clusterc {
namespace {

// Leaves in several units, and neither spines nor uplinks into another network: plan/fabric/fabric.cc plans spines on
// the uplink ports of switches that have such only where the spec names the spine.
bool in_islands(const Fabric& f) { return f.tiers.size() == 1 && f.units > 1 && f.uplink_cables == 0; }

// The Ethernet networks of in-band traffic on switches of their own that are too slow for the uplinks, the fastest
// first.
const NetworkModel* too_slow_for(const Cluster& c, const NetworkModel& leaves, BitsPerSecond uplink) {
  const NetworkModel* best = nullptr;
  for (const NetworkModel& n : c.networks) {
    if (&n == &leaves || n.kind != LinkKind::ethernet || !n.switch_part || n.shares >= 0 ||
        !n.carries_traffic(Traffic::inband) || n.rate.value >= uplink.value)
      continue;
    if (!best || best->rate.value < n.rate.value) best = &n;
  }
  return best;
}

void say_what_joins(Finding& x, const Cluster& c, const NetworkModel& n) {
  const SwitchPart& part = *n.switch_part;
  const char* other =
      "or use a `switch` with more ports, or a `switch` without dedicated uplink ports, for which spines are planned; "
      "if a switch that is not in this spec connects the leaves, accept the finding and name that switch in the reason";
  if (!part.uplink_rate) {
    x.help(format("write the `uplink_rate` of '{}', which is not stated, {}", n.switch_model, other));
  } else if (n.everything || n.carries_traffic(Traffic::oob)) {
    const std::string rate = to_text(*part.uplink_rate);
    const NetworkModel* slow = too_slow_for(c, n, *part.uplink_rate);
    if (slow)
      x.note(first_place(written(slow->spec->rate), slow->span),
             format("the ports of '{}' run at {}, too slow for uplinks of {}", slow->name, to_text(slow->rate), rate));
    if (!n.everything) x.note(n.spec->connects.span, "uplinks are planned for `connects: everything`");
    x.help(format("write {}{}, so that the uplinks of the leaves are connected to it; {}",
                  n.everything ? "" : "`connects: everything`, and ",
                  slow ? format("`rate: {}` or more on '{}'", rate, slow->name)
                       : format("an Ethernet network with `rate: {}` or more that carries `inband`", rate),
                  other));
  } else {
    x.help(
        format("name a switch with ports of {} as spine, `tiers: {{ spine: … }}`: its links use the {} uplink ports of "
               "each leaf",
               to_text(*part.uplink_rate), part.uplinks.value_or(0)));
  }
}

void net_leaves_unjoined(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  for (const Fabric& f : in.plan.fabrics) {
    if (!in_islands(f)) continue;
    const NetworkModel& n = c.networks[static_cast<std::size_t>(f.network)];
    const FabricTier& t = f.tiers[0];
    Finding& x = findings.warning(
        rule.id, first_place(written(n.spec->switch_model), n.span),
        format("the {} leaves of network '{}' are not connected: its {} end ports are in {} separate parts of at most "
               "{} ports",
               t.count, n.name, f.end_ports_built_for, f.units * f.planes, t.down * f.leaves_per_unit));
    x.label(format("{} ports and {} dedicated uplink ports, which are connected to nothing", t.ports,
                   n.switch_part->uplinks.value_or(0)));
    say_what_joins(x, c, n);
    x.object("networks." + n.name);
  }
}

}  // namespace

extern const Rule kNetLeavesUnjoined;  // registry.cc names it
const Rule kNetLeavesUnjoined = {
    .id = "net-leaves-unjoined",
    .code = "NET-022",
    .severity = Severity::warning,
    .physics = false,
    .summary = "leaves of a network are not connected",
    .explanation = R"(## What it checks

The leaves of a network are connected: by spines, or by uplinks to another network.

## Why it matters

Devices on different leaves cannot reach one another. In an out-of-band network, the head node then reaches only the
management ports on its own leaf, although all have addresses of one subnet.

## Formula

```
islands = ⌈end ports at the size built for / ports of a leaf⌉, where nothing joins the leaves     islands = 1
```

Unit: islands on both sides.

A switch with uplink ports of its own (48 x 25 Gb/s and 8 x 100 Gb/s) has spines above it if `tiers` names them: a
switch of its own kind has no ports for these links. With `connects: everything` two uplinks of each go to the first
Ethernet network that carries in-band traffic on its own switches or on those that it shares, where their `rate` is
that of the uplinks at least.

Source: NVIDIA, DGX SuperPOD reference architecture, RA-11333-001 V11, appendix A: 8 out-of-band switches with 16 uplinks of 100 Gb/s, two each.

Error: none beyond its inputs.

## Example

53 management ports on two SN2201 (48 x 1 Gb/s, uplinks of 100 Gb/s), and an in-band network with `rate: 50 Gb/s`.

## How to fix

Set the key that the finding names: `tiers: { spine: … }`, `rate` of the in-band network or what it `carries`,
`connects: everything` on the out-of-band network, or another `switch`.

## When to accept

Where the leaves' uplinks go to switches that are not in this spec, such as those of the site.
)",
    .check = net_leaves_unjoined,
};

}  // namespace clusterc
