#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/network.h"

namespace clusterc {
namespace {

void cool_opposed_airflow_in_rack(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  if (!c.own_site) return;
  for (std::size_t i = 0; i < in.plan.fabrics.size() && i < c.networks.size(); ++i) {
    const NetworkModel& n = c.networks[i];
    if (in.plan.fabrics[i].tiers.empty() || n.shares >= 0) continue;
    const Value<AirPath> path = n.spec->airflow.or_else(n.switch_part ? n.switch_part->airflow : Value<AirPath>());
    if (!path) continue;
    const RackSide side = n.spec->ports_face.value_or(RackSide::rear);
    const bool cold = (side == RackSide::rear) == (*path == AirPath::power_to_ports);
    if (cold) continue;
    const AirPath other = *path == AirPath::power_to_ports ? AirPath::ports_to_power : AirPath::power_to_ports;
    Finding& f = findings.warning(
        rule.id,
        first_place(written(n.spec->airflow), written(n.spec->ports_face), written(n.spec->switch_model), n.span),
        format("the switches of network '{}' draw air from the rear of the rack: their airflow is {}, and their ports "
               "face the {}",
               n.name, enum_text(*path), enum_text(side)));
    if (!n.spec->airflow) {
      f.note(path.span, "the airflow direction of this model");
      mention_unconfirmed(f, path, format("the airflow of '{}'", n.switch_model));
    }
    f.help(format("use switches with {} fans (`airflow: {}`), or turn their ports to the {}", enum_text(other),
                  enum_text(other), side == RackSide::rear ? "front" : "rear"));
    f.object("networks." + n.name);
  }
}

}  // namespace

extern const Rule kCoolOpposedAirflowInRack;  // registry.cc names it
const Rule kCoolOpposedAirflowInRack = {
    .id = "cool-opposed-airflow-in-rack",
    .code = "COOL-011",
    .severity = Severity::warning,
    .physics = false,
    .summary = "switches draw air from the hot side of the rack",
    .explanation = R"(## What it checks

A network's switches draw cold air from the front of the rack, given their airflow direction and the side that their
ports face.

## Why it matters

Switches are sold with fans of either direction under two order numbers. The wrong one draws the servers' exhaust of 45
C, its optics fail first, and its hot air goes to the cold aisle.

## Formula

```
ports face the rear:  power-to-ports
ports face the front: ports-to-power
```

Unit: none. Directions are compared.

Only where `airflow` is stated, by the network or by the switch's part; `ports_face` is the rear unless it says otherwise.
Source: servers breathe from front to rear; data sheets of the switches (port-side
intake and exhaust).

## Example

`airflow: ports-to-power` with ports beside those of the servers, at the rear.

## How to fix

Order the other airflow direction, or turn the switch and lead the cables through the rack.

## When to accept

Where ducts bring cold air to the rear.
)",
    .check = cool_opposed_airflow_in_rack,
};

}  // namespace clusterc
