// The cabling of an Ethernet fabric as its devices see each other: LLDP (IEEE 802.1AB), or NetQ, which collects it.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "audit/seen_fabric.h"

namespace clusterc {

// Whether a capture is JSON, and so none of ibnetdiscover.
bool is_neighbour_capture(std::string_view text);

// What one device sees: `lldpcli -f json show neighbors` of the device that the file is called after (gpu001.json).
// NetQ's topology graph names both ends itself.
struct NeighbourFile {
  FileId file = kNoFile;
  std::string device;  // empty: of a file that names both ends
};

// What the plan knows of devices: a host with containers bridges and routes as a switch does, so names go first.
struct PlannedNames {
  std::vector<std::string> switches, hosts;
  std::size_t most_ports = 0;  // of one host, in all networks together
};

// A file that is none of these is a finding, and the rest is read all the same. A device that is not called as planned
// is a switch if NetQ says so, or if it bridges or routes and has more neighbours than a host has ports. Neither
// capture has rates. Linear in the text.
SeenFabric read_neighbours(const Sources&, const std::vector<NeighbourFile>&, const PlannedNames&, Findings&);

}  // namespace clusterc
