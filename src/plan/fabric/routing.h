// Which link each flow takes when a fabric routes by destination, as InfiniBand's fat-tree routing does, and how full
// the links get.
//
// Scheme (destination modulo parents, then modulo links: Zahavi, Fat-tree routing and node ordering providing
// contention free traffic for MPI global collectives, J. Parallel Distrib. Comput. 72 (2012)), as OpenSM's ftree engine
// deals it: the r-th end point of a leaf (from 0, by ports that are connected) is reached from every other leaf over
// spine
//   s = r modulo the spines of a pod,
// and of the m links to that spine over
//   link = (r / spines + phase) modulo m,
// so over uplink u = s x m + link, and the same one leads down to the leaf. All leaves are dealt as many turns as the
// fullest has end points, so the phase of a leaf is what the leaves before it were dealt of that spine: 0 where the
// fullest leaf has as many end points as uplinks. An oversubscribed Ethernet leaf begins where the one before ended, as
// hashing loads all spines alike; OpenSM begins each at the first spine. Between pods the spine goes up over its uplink
//   v = (place of the leaf in its pod) x m + u mod m, modulo its uplinks,
// to core v / c of its group, and from there down to the spine of the same place in the leaf's pod, over the same one
// of the c links. So no two flows to different ends of one leaf share a link where nothing is oversubscribed: ring and
// shift load no link more than an end port. Adaptive routing and the hashing of Ethernet spread flows otherwise; what
// is said here is then what routing by destination would give.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "plan/plan.h"

namespace clusterc {

struct FabricLink {       // one direction of one cable
  SwitchRef lower;        // its lower switch and
  std::int64_t link = 0;  // which of that switch's uplinks, from 0
  bool down = false;      // from the upper switch to the lower one
};

struct PatternLoad {
  std::string pattern;  // "all to all", "ring", "shift by half", "random permutations"
  double worst = 0;  // of the fullest link: flows, each of what an end port sends, over the end ports that the link is
                     // as fast as; 1 is no contention
  double mean = 0;   // of the links that carry any
  FabricLink where;
};

class Routing {
 public:
  Routing(const Plan&, int fabric);  // linear in the fabric's ports

  // Links from the end at `from` to the one at `to` (both ports of leaves of one plane), leaf uplink first; empty on
  // one leaf.
  void route(const PortRef& from, const PortRef& to, std::vector<FabricLink>& out) const;

  // Destinations whose route from this leaf goes over its uplink `link` (from 0): what a subnet manager's table of that
  // leaf says. Those of one spine are dealt to its links in turn, the leaf's own left out: those of the leaves after it
  // move up by as many turns. (OpenSM 3.3.23 has exactly these on the fabrics of tests/consumers/opensm.sh.)
  std::int64_t routes(std::int64_t leaf, std::int64_t link) const;

  // What computes (or, in a network without compute traffic, everybody) sends. All to all: everybody to everybody at
  // once. Ring: member i to i + 1. Shift: member i to i + half. Random: the mean of the worst of some permutations of
  // all ports, seeded: 10, or as many as make 250,000 flows, at least 2. The first is all to all; `only_all_to_all`
  // leaves the others, which take longer.
  std::vector<PatternLoad> loads(bool only_all_to_all = false) const;

  std::string link_name(const FabricLink&) const;  // "leaf/compute/u1/r1/33 to spine/compute/01/1"

 private:
  // What decides the routes from and to a port, worked out once: a permutation of a million ports walks them ten times.
  struct End {
    std::int32_t leaf = 0, uplink = 0;  // its leaf, and the uplink by which every other leaf reaches it
    std::int32_t spines = 0;            // first spine of its pod
    std::int32_t cross = 0;  // uplink by which its destinations leave another pod's spines, counted through that pod's
  };
  End end_of(const PortRef&) const;
  // Uplink of a leaf with `links` to each spine that leads to the destination: on its spine.
  std::int64_t uplink_to(std::int64_t links, const End& to) const {
    const std::int64_t own = of_leaf_[static_cast<std::size_t>(to.leaf)].links;
    return own == links ? to.uplink : to.uplink / own * links + to.uplink % own % links;
  }
  void deal_uplinks();
  template <class Take>
  void walk(const End& from, const End& to, const Take& take) const;  // the number of each link of a route
  std::size_t number(const FabricLink&) const;                        // in an array of every link
  FabricLink link_at(std::size_t number) const;
  bool senders(std::vector<End>& ends, std::vector<std::size_t>& first) const;
  // `ends`: what sends; `links`: of the fabric, both ways.
  PatternLoad all_to_all(const std::vector<End>& ends, std::size_t links) const;
  PatternLoad permutations(const std::vector<End>& ends, std::size_t links) const;
  template <class Flow>
  PatternLoad summary(std::string pattern, const std::vector<Flow>&) const;

  const Plan& plan_;
  const Fabric& f_;
  int fabric_;
  std::int64_t leaves_ = 1;                             // of one plane
  std::size_t up_ = 0, spine_up_ = 0, leaf_links_ = 0;  // uplinks of a leaf, of a spine (0: two tiers), of all leaves
  struct OfLeaf {
    std::int64_t turn = 0;
    std::int32_t spines = 0, cross = 0;
    std::int32_t links = 1, up = 0;  // of this leaf: to each spine, and to all; leaves of their own have others
  };  // first turn, where leaves go on where the one before ended; as in End; (its place in the pod x m) mod up
  std::vector<OfLeaf> of_leaf_;
  std::vector<std::int16_t> uplink_of_;  // leaf by port: the uplink of who is connected there, -1
  std::vector<std::int32_t> towards_;    // plane by uplink u: destinations over it, of all leaves
  std::vector<std::int32_t> before_;     // leaf by uplink: destinations over it on the leaves of its plane before it
  std::vector<std::int64_t> shift_;      // by spine of a pod: turns of one leaf, modulo its links; 0 where leaves go on
  std::vector<End> ends_;                // every connected port, block by block, member after member
  std::vector<std::size_t> first_;       // in ends_, of each member that has any; and the end
  std::vector<std::size_t> first_member_;  // in first_, of each block; and the end
};

}  // namespace clusterc
