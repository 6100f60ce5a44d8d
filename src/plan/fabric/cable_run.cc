#include "plan/fabric/cable_run.h"

namespace clusterc {

// By the words of the switches' names (plan/names.cc): what ends at a spine comes from a leaf, what begins at a leaf's
// numbered port is a management uplink.
CableKind cable_kind(const Cable& c) {
  if (c.far.object.starts_with("spine/")) return CableKind::spine;
  if (c.far.object.starts_with("core/")) return CableKind::core;
  const bool from_switch = c.near.object.starts_with("leaf/") || c.near.object.starts_with("switch/");
  return from_switch && c.near.port != "mgmt" ? CableKind::management : CableKind::nodes;
}

CableRun cable_run(const Plan& plan, int fabric, CableKind kind, Meters reach) {
  CableRun run;
  plan.each_cable(fabric, [&](const Cable& c) {
    // Uplinks of management switches may end at a spine of another fabric; a fabric's own spines take its own cables
    // only.
    if (cable_kind(c) != kind) return true;
    ++run.count;
    run.unplaced += c.length.value <= 0;
    run.beyond += c.length.value > reach.value * (1 + 1e-9);
    if (run.longest.near.object.empty() || c.length > run.longest.length) run.longest = c;
    return true;
  });
  return run;
}

}  // namespace clusterc
