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

// A file that is none of these is a finding, and the rest is read all the same. A device that says that it bridges or
// routes is a switch, and so is one of `switches` (names of the plan). Neither capture has rates. Linear in the text.
SeenFabric read_neighbours(const Sources&, const std::vector<NeighbourFile>&, const std::vector<std::string>& switches,
                           Findings&);

}  // namespace clusterc
