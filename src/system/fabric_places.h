// Where a node stands in the fabric that carries the traffic of jobs, as a scheduler may name it: the leaf switches
// that it hangs on, the pod above these, its rack, its NVLink domain.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "system/system.h"

namespace clusterc {

// Texts are empty where a node has no such place.
struct FabricPlace {
  std::string fabric;  // name of the network
  std::string pod;     // "compute-pod2", where there are three tiers
  std::string leaf;    // "compute-su3": the leaves of a scalable unit, one for each rail; else the leaf itself
  std::string rack, nvlink;
};

// By node number. In the first network with switches of its own (or shared ones) that carries compute traffic.
std::vector<FabricPlace> fabric_places(const System&);

}  // namespace clusterc
