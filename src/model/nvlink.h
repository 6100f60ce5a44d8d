// GPUs that reach each other over links of their own: boards, bridged cards, and NVLink domains that span nodes.
#pragma once
#include "model/cluster.h"

namespace clusterc {

// GPUs of one server that are joined by NVLink or its like: all on a board with links, the cards of one bridge
// (`nvlink_bridge`) where cards have links, else 1. `gpu_link: 0` says that there are none; where nobody says, boards
// have them and cards do not.
std::int64_t gpus_joined_in_server(const ServerModel&);
// The same with domains that span nodes: 72 for each tray of an NVL72.
std::int64_t gpus_joined_by_nvlink(const Cluster&, const NodeGroupModel&);
// One way, all links of one GPU together; nothing where it is not known, 0 where there are none.
const Value<BytesPerSecond>& gpu_link_of(const ServerModel&);
// Whether clusterc-nvlink has anything to measure in such a server: two GPUs or more that NVLink (no other's links)
// joins.
bool has_nvlink_pairs(const ServerModel&);
// NVLinks of one GPU: its `gpu_link` by what one link of its architecture carries; nothing where that is not known, or
// does not come out even.
std::optional<std::int64_t> nvlinks_of_gpu(const ServerModel&);

// GPUs of the domain that a group's nodes are in, as the spec or their assembly says; 0: none.
std::int64_t nvlink_domain_gpus(const Cluster&, const NodeGroupModel&);
// Nodes of one domain; 0 where a domain spans no two nodes.
std::int64_t nvlink_domain_nodes(const Cluster&, const NodeGroupModel&);
// Nodes of each block that jobs may count on, with the group's spares spread over its domains; 0 without domains.
std::int64_t nvlink_block_size(const Cluster&, const NodeGroupModel&);

}  // namespace clusterc
