#include "model/rounding.h"
#include "plan/plan.h"
#include "plan/power/power.h"
#include "plan/power/rack_limits.h"
#include "rules/breaker_sizes.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/nodes.h"
#include "spec/site.h"

namespace clusterc {
namespace {

constexpr Amperes kLargestOutlet{125};  // IEC 60309-2; NEMA outlets end at 60 A (14-60)

void power_wall_circuit_overloaded(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  if (!c.own_site || c.continuous_factor == 0) return;
  for (const NodeGroupModel& g : c.nodes) {
    if (!is_ours(g) || !g.spec || !g.spec->wall || g.count == 0) continue;
    const WallCircuit& wall = *g.spec->wall;
    if (g.racks >= 0 || g.assembly >= 0) {
      findings
          .error(rule.id, wall.span,
                 format("group '{}' is in racks and on a wall circuit, but can take its power from only one of them",
                        g.name))
          .help("leave `wall` or `racks` out")
          .object("nodes." + g.name);
      continue;
    }
    const WallLoad on = wall_load(c, g);
    if (on.load < 0 || on.carries < 0 || !above(on.load, on.carries)) continue;
    const std::int64_t nodes = on.nodes;
    const VoltAmperes load(on.load), carries(on.carries), each = load / static_cast<double>(nodes);
    Finding& f =
        findings.error(rule.id, wall.breaker.span,
                       format("{} of '{}' on one wall circuit need{} {}, but the circuit is rated for {} continuous",
                              plural(nodes, "node"), g.name, nodes == 1 ? "s" : "", to_text(load), to_text(carries)));
    f.label(format("{} x {} x {:.2f} (continuous load)", to_text(*wall.voltage), to_text(*wall.breaker),
                   c.continuous_factor));
    f.note(g.span, format("{} each at power factor {}", to_text(*g.server.power), power_factor(c)));
    mention_unconfirmed(f, g.server.power, format("the power of '{}'", g.server.id));
    if (const auto fit = static_cast<std::int64_t>(carries.value / each.value); fit >= 1)
      f.help(format("write `nodes: {}`, or use a larger circuit", fit));
    else if (const Amperes size =
                 next_breaker(c, Amperes(each.value / wall.voltage->value / c.continuous_factor), kLargestOutlet);
             size.value > 0)
      f.help(format("use a circuit of {} or more, or set `power_cap`", to_text(size)));
    else
      f.help("set `power_cap`, or put the nodes into a rack with PDUs");
    f.object("nodes." + g.name);
  }
}

}  // namespace

extern const Rule kPowerWallCircuitOverloaded;  // registry.cc names it
const Rule kPowerWallCircuitOverloaded = {
    .id = "power-wall-circuit-overloaded",
    .code = "PWR-030",
    .severity = Severity::error,
    .physics = false,
    .summary = "nodes on a wall circuit draw more than it carries",
    .explanation = R"(## What it checks

Nodes that stand in no rack and are plugged into a wall circuit (`wall`) draw no more than the circuit carries
continuously.

## Why it matters

A workstation with four GPUs draws more than an office outlet gives. Its breaker does not trip when the job starts, but
an hour later.

## Formula

```
nodes on the circuit x power / power factor <= voltage x breaker x factor     na 0.80, iec 1.00
120 V x 15 A x 0.80 = 1.44 kVA; 230 V x 16 A = 3.68 kVA
```

Unit: VA on both sides; power in W, voltage in V, breaker in A.

Source: NFPA 70 (NEC) 210.20(A) for the factor of region na; IEC 60364-4-43, 433.1
(design current <= rated current, as manuals of the trade quote it; the standard itself was not read), has none. The help names the next size of
NFPA 70, table 240.6(A), or of IEC 60898-1.

Error: none beyond its inputs. A power factor of 0.96 is a default where none is written.

## Example

Two workstations of 1 kW on one circuit of 120 V and 15 A.

## How to fix

Put fewer nodes on a circuit, use a larger circuit, or limit the power of the node.

## When to accept

Where the nodes never run at full load at the same time.
)",
    .check = power_wall_circuit_overloaded,
};

}  // namespace clusterc
