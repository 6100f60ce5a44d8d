// A cluster that stands: the inventory has the addresses of its ports, the switches that they are cabled to, and where
// its devices are. Nothing is renumbered then.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "plan/plan.h"
#include "system/inventory.h"

namespace clusterc {

// Puts the addresses of the inventory into the plan, in the place of those of its scheme; reports what cannot be so.
void take_addresses(const Cluster&, const Inventory&, Plan&, Findings&);

// The switches that each node of a network is cabled to, by node number and in the order of their names; nodes whose
// rows name none are absent.
std::map<std::int64_t, std::vector<std::string>> switches_as_built(const Cluster&, const Plan&, const Inventory&,
                                                                   int network);

// Reports devices whose rack or unit is another one than the plan's.
void check_places(const Cluster&, const Plan&, const Inventory&, Findings&);

}  // namespace clusterc
