// Tests of a group's RDMA ports.
#pragma once
#include <string>
#include <vector>

#include "model/cluster.h"
#include "targets/rdma_ports.h"
#include "validate/suite.h"

namespace clusterc {

// As clusterc-fabric takes it: "infiniband:8x400Gb/s,ethernet:2x200Gb/s:9000".
std::string ports_argument(const std::vector<RdmaPorts>&);

// Each GPU with the adapter next to it, to the same of a neighbour, where the spec asks for `gpudirect_rdma`: a path
// inside a node is seen with any partner, so one round is enough. Without their time limits.
std::vector<SuiteTest> gpudirect_tests(const NodeGroupModel&, const std::vector<RdmaPorts>&, const SuiteOptions&);

}  // namespace clusterc
