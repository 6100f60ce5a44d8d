// The steps of runbook.md that people do with their hands before the first command runs: delivery, what holds for every
// rack, the coolant, the management ports. Each function gives boxes of Markdown; nothing where the plan has nothing of
// the kind.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "system/system.h"

namespace clusterc {

std::string delivery_steps(const Cluster&, const Plan&);
std::string every_rack_steps(const Cluster&, const Plan&);
std::string coolant_steps(const Cluster&, const Plan&);
std::string management_steps(const System&);

// Host names of devices of a rack with PDUs whose parts state no supplies: no cord is planned for them.
std::vector<std::string> devices_without_cords(const Cluster&, const Plan&, std::int64_t rack);
// Supplies of each rack, by rack number, that an electrician connects to a PDU: they have no plug.
std::vector<std::int64_t> hard_wired_supplies(const Plan&);
// The network ports of the nodes of a group: as labels and as cables.csv call them, the adapter, and where its socket
// is.
struct NodeSocket {
  std::string label, port;     // "cage4/1", "compute/1"
  std::string adapter, where;  // "cx7-dual400", "slot1, port 2"
};
std::vector<NodeSocket> sockets_of(const NodeGroupModel&);

// Devices of a rack that take coolant.
std::int64_t liquid_cooled_devices(const Cluster&, const RackPlan&);

}  // namespace clusterc
