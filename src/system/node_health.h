// What a healthy machine of a group has.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "system/system.h"

namespace clusterc {

struct NodeHealth {
  std::vector<std::string> ports;    // names of ports with an address, sorted
  std::vector<std::string> daemons;  // units that run on each machine of the group
  std::int64_t memory_mib = 0;       // at least; 0: not said
};
NodeHealth node_health(const System&, int group);

}  // namespace clusterc
