// What the systems of nodes call their ports (eno1, ens3f0np0, ib0), where the inventory says it in the column `link`.
// Everywhere else a port has the name of the plan: data1. One group has one name for a port, because files of a group
// have it.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "plan/plan.h"
#include "system/interfaces.h"
#include "system/inventory.h"

namespace clusterc {

// Reads the column, and reports names that cannot be so. Before anybody asks for interfaces: the first answer stays.
void take_links(const Cluster&, const Sources&, const Inventory&, const Plan&, Findings&);

// What the system of a group's nodes calls a port of the plan; null: the inventory does not say.
const std::string* link_of(const Cluster&, int group, std::string_view port);
// What plan and inventory call the port of a group that its system calls `name`.
std::string_view planned_port(const Cluster&, int group, std::string_view name);

// As interfaces_of(), with the names of the plan, and also of networks without a subnet.
std::vector<Interface> ports_of_group(const Cluster&, const Plan&, int group);

}  // namespace clusterc
