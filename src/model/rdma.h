// Who speaks RDMA: what pins memory and wants an RDMA stack on the node.
#pragma once
#include "model/cluster.h"

namespace clusterc {

// InfiniBand, EFA and NVLink networks by themselves, Ethernet where the spec says roce or iwarp.
bool is_rdma(const NetworkModel&);
bool uses_rdma(const Cluster&, int group);

}  // namespace clusterc
