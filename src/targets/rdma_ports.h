// The InfiniBand and RoCE ports that each node of a group has, as its operating system shows them: one RDMA port for
// one port of the spec.
#pragma once
#include <string>
#include <vector>

#include "model/cluster.h"

namespace clusterc {

struct RdmaPorts {                       // ports of one kind of a node
  LinkKind kind = LinkKind::infiniband;  // or ethernet
  std::int64_t count = 0;
  BitsPerSecond rate{0};  // of one
  std::int64_t mtu = 0;   // of their interfaces, where the spec says it; 0: it does not
};

struct RdmaPortsOfNode {
  std::vector<RdmaPorts> ports;  // in the order of the networks; empty: none, or `missing` says why it is not known
  std::string missing;
  BytesPerSecond all() const;  // of all ports, one direction
};
RdmaPortsOfNode rdma_ports(const Cluster&, int group);
// Those of the network that carries compute; empty: it has no RDMA, or how many it has is not known.
std::vector<RdmaPorts> rdma_compute_ports(const Cluster&, int group);

// Whether the spec asks for adapters that read and write the memory of the group's GPUs (`gpudirect_rdma`).
bool asks_for_gpudirect(const NodeGroupModel&);

}  // namespace clusterc
