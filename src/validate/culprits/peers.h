// What a node measures alone, compared with the same figure of its peers: the nodes of its group. A node that is slow
// alone is slow in pairs as well, so a port that a pair test blames is then the node's.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "validate/culprits/decode.h"

namespace clusterc {

struct NodeValue {
  std::int32_t node = 0;
  double value = 0;  // more is better; 0: it did not answer
};

struct PeerOutlier {
  std::int32_t node = 0;
  double value = 0, peers = 0;
};

// Nodes below 1 - max(band, sigmas x sigma), at most 1 - at_most, of the median; sigma from the median absolute
// deviation. Of fewer than four nodes nobody can be told from the others: nothing.
std::vector<PeerOutlier> slow_among_peers(std::span<const NodeValue>, const DecodeOptions& = {});

// Nodes that are outliers become culprits. Ports of theirs, which are slow for that reason, no longer are.
void blame_nodes(std::vector<Found>&, std::span<const PeerOutlier>);

}  // namespace clusterc
