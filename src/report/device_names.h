// What stands in racks, as plan.json and the runbook call it.
#pragma once
#include <string>
#include <string_view>

#include "plan/plan.h"

namespace clusterc {

std::string_view device_word(DeviceKind);  // "node", "storage", "switch", "occupied"
std::string device_name(const Cluster&, const Plan&,
                        const RackedDevice&);  // docs/names.md; of what stands there already: empty

}  // namespace clusterc
