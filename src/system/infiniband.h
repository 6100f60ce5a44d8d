// The subnets of InfiniBand, and which nodes manage them.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "plan/plan.h"

namespace clusterc {

// A subnet of InfiniBand: a network, or one plane of it.
struct InfinibandSubnet {
  int fabric = -1;  // index of its network
  std::int64_t plane = 0;
  std::string name;                                                      // "compute", "compute-plane2"
  std::uint64_t number = 0;                                              // among all of the cluster
  std::uint64_t prefix() const { return 0xfe80000000000000u + number; }  // of every GID in it
};
std::vector<InfinibandSubnet> infiniband_subnets(const Cluster&, const Plan&);

// Names of the subnets that the nodes of a group manage: those with the role fabric-manager, each where it has a port.
std::vector<std::string> managed_subnets(const Cluster&, const Plan&, int group);

}  // namespace clusterc
