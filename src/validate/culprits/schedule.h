// Rounds of pair tests. In a round every node has at most one partner, so that all pairs of it run at once; a pair
// tests every rail, in both directions. There are two kinds:
//
//   within   partners end on the same leaf (of the first rail), so no link between switches takes part: what is slow is
//            a node, its port or the leaf
//   across   partners end on different leaves. The nodes of one leaf get partners on as many other leaves as there are,
//            so that a slow leaf does not hide among its partners
//
// Within a leaf partners change by the circle method of tournaments: n - 1 rounds without a repeated pair. Across
// leaves the k-th node of every leaf form a lane, and the leaves of a lane meet by the circle method, each lane at
// another turn of it. With few leaves all lanes take the same turn, and leaf u is turned by t x u nodes against its
// lanes in the t-th round across.
//
// Example: leaves {0 1} and {2 3}. Within: 0-1 2-3. Across: 0-2 1-3, then 0-3 1-2.
//
// Two transfers over one link would slow each other down. Where routing determines the links, the nodes of a pair that
// would share one get other partners, or rest in that round.
//
// Routing by destination uses each uplink of a leaf for other destinations, so a round across covers every uplink in
// both directions where a leaf has as many nodes as uplinks. Hashing and adaptive routing cannot be steered: each pair
// must then send many flows, which spread over all uplinks of its leaves.
#pragma once
#include <cstddef>
#include <utility>
#include <vector>

#include "validate/culprits/pair_fabric.h"

namespace clusterc {

using NodePair = std::pair<std::int32_t, std::int32_t>;
using PairRound = std::vector<NodePair>;  // ascending; no node twice

// `rounds` of them: within, across, across, across, within, across … One kind alone where the other is not possible or
// has no new pairs. An odd node rests.
std::vector<PairRound> pair_schedule(const PairFabric&, std::size_t rounds);

// Which links the transfers of a round take; none is taken by more of them than it carries.
class LinksInUse {
 public:
  explicit LinksInUse(const PairFabric& f) : f_(f), flows_(f.route ? static_cast<std::size_t>(f.links) : 0) {}
  bool take(std::int32_t a, std::int32_t b);  // false: a link of theirs is full, and nothing is taken

 private:
  const PairFabric& f_;
  std::vector<std::uint8_t> flows_;
  std::vector<std::int32_t> links_, all_;
};

struct LinkCoverage {
  std::size_t planned = 0, covered = 0;  // directions of links that determined routes between these nodes can take
};
LinkCoverage link_coverage(const PairFabric&, const std::vector<PairRound>&);

}  // namespace clusterc
