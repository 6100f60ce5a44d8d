// Fabrics of a cluster: who is plugged in where, how many switches that takes, and the wiring in constant time.
#pragma once
#include "plan/fabric/fabric_shape.h"
#include "plan/plan.h"

namespace clusterc {

// Ports of one switch at `rate`: its ports times the ways that one can be split. `wish` (network.breakout) and the
// part's own limit cap the ways.
std::int64_t switch_radix(const SwitchPart&, BitsPerSecond rate, const Value<std::int64_t>& wish,
                          std::int64_t* ways = nullptr);

// Whether the links between leaves and spines take ports of the leaves that nothing else fits (48 x 25 Gb/s + 8 x
// 100 Gb/s). They are counted on after the other ports.
inline bool own_uplink_ports(const Fabric& f) {
  return f.tiers.size() > 1 && f.tiers[0].part && f.tiers[0].part->uplinks.value_or(0) > 0;
}

// Fills fabrics, their blocks and the numbers of their switches. Needs nothing else of the plan.
void plan_fabrics(Plan&);

// What one plane of a planned fabric asks of its leaves and spines.
FabricDemand fabric_demand(const Plan&, const Fabric&);

// Shelves, switch trays: devices of one assembly that have a management port and are no nodes.
std::int64_t managed_devices(const AssemblyPart&);

}  // namespace clusterc
