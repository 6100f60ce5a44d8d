// Which link each flow takes when a fabric routes by destination, as InfiniBand's fat-tree routing does, and how full the links get.
//
// Scheme (destination modulo links; Zahavi, Fat-tree routing and node ordering providing contention free traffic for MPI global collectives,
// J. Parallel Distrib. Comput. 72 (2012)): the end point at port k (from 0) of leaf L is reached from every other leaf over uplink
//   u = k where a leaf has as many ports up as down, else (L x down + k) mod up;
// its spine is u / m, and the same one of the m links leads down to L. Between pods the spine goes up over its uplink
//   v = (place of L in its pod) x m + u mod m, modulo its uplinks,
// to core v / c of its group, and from there down to the spine of the same place in L's pod, over the same one of the c links.
// So no two flows to different ends of one leaf share a link where nothing is oversubscribed: ring and shift load no link more than an end port.
// Adaptive routing and the hashing of Ethernet spread flows otherwise; what is said here is then what routing by destination would give.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "plan/plan.h"

namespace clusterc {

struct FabricLink {                     // one direction of one cable
  SwitchRef lower;                      // its lower switch and
  std::int64_t link = 0;                // which of that switch's uplinks, from 0
  bool down = false;                    // from the upper switch to the lower one
};

struct PatternLoad {
  std::string pattern;                  // "all to all", "ring", "shift by half", "random permutations"
  double worst = 0;                     // flow on the fullest link, in units of what one end port carries: 1 is no contention
  double mean = 0;                      // of the links that carry any
  FabricLink where;
};

class Routing {
 public:
  Routing(const Plan&, int fabric);     // linear in the fabric's ports

  // Links from the end at `from` to the one at `to` (both ports of leaves of one plane), leaf uplink first; empty on one leaf.
  void route(const PortRef& from, const PortRef& to, std::vector<FabricLink>& out) const;

  // Destinations whose route from this leaf goes over its uplink `link` (from 0): what a subnet manager's table of that leaf says.
  std::int64_t routes(std::int64_t leaf, std::int64_t link) const;

  // What computes (or, in a network without compute traffic, everybody) sends. All to all: everybody to everybody at once. Ring: member i to i + 1.
  // Shift: member i to i + half. Random: the mean of the worst of some permutations of all ports, seeded: 10, or as many as
  // make 250,000 flows, at least 2.
  // The first is all to all; `only_all_to_all` leaves the others, which take longer.
  std::vector<PatternLoad> loads(bool only_all_to_all = false) const;

  std::string link_name(const FabricLink&) const;    // "leaf/compute/u1/r1/33 to spine/compute/01/1"

 private:
  // What decides the routes from and to a port, worked out once: a permutation of a million ports walks them ten times.
  struct End {
    std::int32_t leaf = 0, uplink = 0;                // its leaf, and the uplink by which every other leaf reaches it
    std::int32_t spines = 0;                          // first spine of its pod
    std::int32_t cross = 0;                           // uplink by which its destinations leave another pod's spines, counted through that pod's
  };
  End end_of(const PortRef&) const;
  template <class Take>
  void walk(const End& from, const End& to, const Take& take) const;   // the number of each link of a route
  std::size_t number(const FabricLink&) const;       // in an array of every link
  FabricLink link_at(std::size_t number) const;
  template <class Flow>
  PatternLoad summary(std::string pattern, const std::vector<Flow>&) const;

  const Plan& plan_;
  const Fabric& f_;
  int fabric_;
  std::int64_t leaves_ = 1;                          // of one plane
  std::size_t up_ = 0, spine_up_ = 0, leaf_links_ = 0;   // uplinks of a leaf, of a spine (0: two tiers), of all leaves
  struct OfLeaf { std::int32_t turn = 0, spines = 0, cross = 0; };   // (its place x down) mod up; as in End; (its place in the pod x m) mod up
  std::vector<OfLeaf> of_leaf_;
  std::vector<std::int32_t> towards_;                // plane by uplink u: destinations over it, of all leaves
  std::vector<std::int32_t> own_;                    // leaf by uplink: its own destinations
  std::vector<End> ends_;                            // every connected port, block by block, member after member
  std::vector<std::size_t> first_;                   // in ends_, of each member that has any; and the end
  std::vector<std::size_t> first_member_;            // in first_, of each block; and the end
};

}  // namespace clusterc
