#include "plan/fabric/cable_run.h"
#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/network.h"

namespace clusterc {
namespace {

constexpr double kSecondsPerMeter = 5e-9;  // light in fibre and waves in copper at two thirds of c
constexpr std::int64_t kEthernetDefault = 1500;

void net_pfc_headroom_too_small(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  for (std::size_t i = 0; i < c.networks.size(); ++i) {
    const NetworkModel& n = c.networks[i];
    if (!n.spec->roce || !n.spec->roce->headroom || !n.spec->roce->pfc.value_or(true)) continue;
    const int fabric = n.shares >= 0 ? n.shares : static_cast<int>(i);
    const Fabric& f = in.plan.fabrics[fabric];
    const Value<Bytes>& set = n.spec->roce->headroom;
    if (f.tiers.empty()) {
      findings.note(
          rule.id, set.span,
          format("network '{}' has no switches of its own in this plan, so the headroom was not checked", n.name));
      continue;
    }
    Cable longest;  // that most is under way on
    std::int64_t cables = 0, unplaced = 0;
    for (const CableKind kind : {CableKind::nodes, CableKind::spine, CableKind::core}) {
      const CableRun run = cable_run(in.plan, fabric, kind, Meters(0));
      if (run.longest.rate.value * run.longest.length.value > longest.rate.value * longest.length.value)
        longest = run.longest;
      cables += run.count;
      unplaced += run.unplaced;
    }
    if (unplaced == cables) {
      findings.note(
          rule.id, set.span,
          format("no cable of network '{}' has both ends in a rack, so the headroom was not checked (key `racks`)",
                 n.name));
      continue;
    }
    const std::int64_t mtu = c.networks[fabric].spec->mtu.value_or(n.spec->mtu.value_or(kEthernetDefault));
    const double flight = 2 * longest.rate.value / 8 * longest.length.value * kSecondsPerMeter;
    const Bytes needed(flight + 2.0 * static_cast<double>(mtu));
    if (!above(needed.value, set->value)) continue;
    Finding& x = findings.warning(
        rule.id, set.span,
        format("each lossless queue of network '{}' has {} of headroom, but {} arrive after a pause is sent", n.name,
               to_text(*set), to_text(needed)));
    x.label(format("2 x {} x {} x 5 ns/m / 8 + 2 x {} B", to_text(longest.rate), to_text(longest.length, 3), mtu));
    x
        .help(format(
            "reserve {} plus what arrives until the far end responds (10 to 20 kB at 400 Gb/s), or use shorter cables",
            to_text(needed)))
        .object("networks." + n.name);
  }
}

}  // namespace

extern const Rule kNetPfcHeadroomTooSmall;  // registry.cc names it
const Rule kNetPfcHeadroomTooSmall = {
    .id = "net-pfc-headroom-too-small",
    .code = "NET-016",
    .severity = Severity::warning,
    .physics = false,
    .summary = "the headroom is smaller than the data that arrives after a pause",
    .explanation = R"(## What it checks

The buffer that a switch reserves for data that arrives after it has sent a pause (`roce.headroom`) holds the data in
flight on the longest cable of the plan.

## Why it matters

Pause frames do not stop data that is already on the wire. If the buffer is smaller, the lossless class loses packets
under load, when it matters most.

## Formula

```
headroom >= 2 x rate x length x 5 ns/m / 8 + 2 x mtu
```

Unit: bytes on both sides; rate in bit/s, length in m, mtu in bytes.

There and back on the cable, one packet that the far end has begun to send, and one that stands before the pause. The far end's reaction comes on top; its time is the maker's, so the rule leaves it out: what it reports is too small in any case.

Source: IEEE 802.1Qbb, annex O (buffer requirements).

Error: a lower bound: the far end's reaction is left out (10 kB to 20 kB at 400 Gb/s).

## Example

24 kB at 400 Gb/s over 100 m with 9,216 bytes: 50 kB + 18.4 kB = 68.4 kB.

## How to fix

Reserve more headroom, use shorter cables, or only one lossless class, so that the shared buffer is enough for all
ports.

## When to accept

Where the switch derives its headroom from the cable length and the figure in the spec is not used.
)",
    .check = net_pfc_headroom_too_small,
};

}  // namespace clusterc
