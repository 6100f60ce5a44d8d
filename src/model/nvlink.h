// NVLink domains that span nodes.
#pragma once
#include "model/cluster.h"

namespace clusterc {

// GPUs of the domain that a group's nodes are in, as the spec or their assembly says; 0: none.
std::int64_t nvlink_domain_gpus(const Cluster&, const NodeGroupModel&);
// Nodes of one domain; 0 where a domain spans no two nodes.
std::int64_t nvlink_domain_nodes(const Cluster&, const NodeGroupModel&);
// Nodes of each block that jobs may count on, with the group's spares spread over its domains; 0 without domains.
std::int64_t nvlink_block_size(const Cluster&, const NodeGroupModel&);

}  // namespace clusterc
