// What hangs on the busbar of a rack (spec/site.h, `busbar`).
#pragma once
#include "plan/plan.h"

namespace clusterc {

// In racks with a busbar: a device that takes it, one that states no supplies, and where no PDU is anything else, so
// that its power is counted (power-plug-outlet-mismatch reports it).
bool on_busbar(const Plan&, const RackGroupModel&, const RackedDevice&);

}  // namespace clusterc
