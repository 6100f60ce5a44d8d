#pragma once
#include "compile/output.h"

namespace clusterc {
extern const Output kOpensmOutput;

// A subnet of InfiniBand: a network, or one plane of it.
struct InfinibandSubnet {
  int fabric = -1;                  // index of its network
  std::int64_t plane = 0;
  std::string name;                 // "compute", "compute-plane2"
  std::uint64_t number = 0;         // among all of the cluster
  std::uint64_t prefix() const { return 0xfe80000000000000u + number; }   // of every GID in it
};
std::vector<InfinibandSubnet> infiniband_subnets(const Cluster&, const Plan&);
}  // namespace clusterc
