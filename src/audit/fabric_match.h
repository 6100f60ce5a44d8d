// Which planned device each device of a running fabric is. Names need not be those of the plan: what is called as the
// plan calls it is that device, and everything else is matched by what is plugged into it, by majority, so that some
// wrong cables change nothing.
#pragma once
#include "audit/planned_fabric.h"
#include "audit/seen_fabric.h"

namespace clusterc {

struct FabricMatch {
  std::vector<std::int32_t> planned;  // by seen device: the planned one; -1: none
  // By seen link: the planned port of the member at its lower end, as a number of a planned cable; -1: the lower end is
  // a switch, or no planned port.
  std::vector<std::int32_t> port;
  std::vector<bool> guessed;  // by seen device: an adapter that names no host, taken for the port that was left
  struct Renamed {
    std::int32_t planned = -1;
    std::string seen;  // what it calls itself; the GUID of a switch without a name
  };
  std::vector<Renamed> by_cables;               // called otherwise than planned: recognised by what is plugged into it
  std::vector<std::string> numbered_otherwise;  // PortNumbers::numbered_otherwise()
  std::int64_t by_name = 0;                     // hosts and switches that are called as planned
};

// Linear in the links but for the switches of one fabric, which are compared with each other by what they share.
FabricMatch match_fabric(const SeenFabric&, const PlannedFabric&);

}  // namespace clusterc
