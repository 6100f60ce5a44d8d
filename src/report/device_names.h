// What stands in racks, as plan.json and the runbook call it.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "plan/plan.h"

namespace clusterc {

std::string_view device_word(DeviceKind);  // "node", "storage", "switch", "occupied"
std::string device_name(const Cluster&, const Plan&,
                        const RackedDevice&);  // docs/names.md; of what stands there already: empty
std::string device_host(const Cluster&, const Plan&, const RackedDevice&);  // the host name, which labels have
std::string device_model(const Cluster&, const Plan&, const RackedDevice&);
std::optional<Kilograms> device_weight(const Cluster&, const Plan&, const RackedDevice&);  // none: the part states none

}  // namespace clusterc
