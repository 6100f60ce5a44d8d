// What a fabric still carries without some of its switches and links.
//
// Bisection: half of what all leaves can send up, sum over leaves of min(end ports, live uplinks x r), r end ports
// being as fast as one uplink; with three tiers a pod sends no more than its spines have live links to cores, x r. For
// a fat tree wired as planned this is the bandwidth over its worst halving (Leiserson, Fat-trees, 1985); an uplink
// lives while both of its ends do. One tier: end ports. All-reduce: a ring or tree over all survivors runs at the pace
// of the node with the smallest share of its ports left; nodes that are cut off are no survivors. A port that is split
// over planes and has lost some of its links carries its part of a ring as much slower, and the other ports wait for
// it. One ring goes through port k of every node, or of the nodes at one place of their NVLink domains where these span
// nodes: it enters and leaves a leaf (a pod) once, if any of its nodes is on another. A leaf with fewer live uplinks x
// r than such rings makes them slower: 7 nodes with 8 ports on a leaf with 8 uplinks send 8 rings up; with 4 uplinks
// left each has half. Cost of one question: what it names, plus the leaves of the pods that lost a spine.
#pragma once
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "plan/plan.h"

namespace clusterc {

class FabricLoss {
 public:
  FabricLoss(const Plan&, int fabric);

  struct Member {
    std::int32_t block;
    std::int32_t port;
    std::int64_t member;
  };
  struct Cut {
    int tier;
    std::int64_t index;
  };  // tier 0: one uplink of leaf `index`; 1: one uplink of spine `index`; a second cut is its second uplink
  struct Loser {    // a member that lost links of its ports
    Member member;  // port 0
    std::int64_t links = 0;
    double pace = 1;  // of what all its ports carry, when each of those that are left has an equal part of a ring
  };
  struct Left {
    std::vector<Loser> members;  // in order
    double bisection = 0;        // ports; half of the sum
    std::int64_t links = 0;      // out: cut, or a switch at either end is out
    // Leaves and pods that still lead up, by fewer links than they had: number, links.
    std::vector<std::pair<std::int64_t, std::int64_t>> leaves, pods;
  };
  // `dead`: switches by number within the fabric, ascending. `ends`: end point cables, as places in the leaf table.
  Left without(const std::vector<std::int64_t>& dead, const std::vector<std::int64_t>& ends,
               const std::vector<Cut>& cuts) const;

  // What the links above leaves and pods leave of the rings' pace in the normal state. `out`: numbers of nodes that
  // take no part, ascending.
  double ring_share(const Left&, const std::vector<std::int64_t>& out) const;

  double normal() const { return normal_; }
  const Fabric& fabric() const { return *f_; }
  std::int64_t leaf_ends(std::int64_t leaf) const { return first_[leaf + 1] - first_[leaf]; }
  std::int64_t first_entry(std::int64_t leaf) const { return first_[leaf]; }
  const Member& entry(std::int64_t i) const { return table_[i]; }
  std::int64_t entries() const { return static_cast<std::int64_t>(table_.size()); }
  std::int64_t leaf_of_entry(std::int64_t i) const;

 private:
  struct Outage;

  bool has_spines() const { return f_->tiers.size() > 1; }
  // End ports that as many links between switches are as fast as.
  double in_ends(std::int64_t uplinks) const { return static_cast<double>(uplinks) * f_->uplink_speed(); }
  double leaf_sends(std::int64_t ends, std::int64_t uplinks) const {
    return has_spines() ? std::min(static_cast<double>(ends), in_ends(uplinks)) : static_cast<double>(ends);
  }
  // A plane of two tiers is one pod; pods of the planes lie after one another, as their switches do.
  std::int64_t pods_of_plane() const { return f_->tiers.size() > 2 ? f_->pods : 1; }
  std::int64_t pod_of_leaf(std::int64_t leaf) const {
    return leaf / f_->per_plane(0) * pods_of_plane() +
           (f_->tiers.size() > 2 ? leaf % f_->per_plane(0) / f_->leaves_per_pod : 0);
  }

  std::vector<Loser> losers(const std::vector<std::int64_t>& lost_leaves, const std::vector<std::int64_t>& ends) const;

  struct Rings {
    std::vector<std::int64_t> leaf, pod;
  };  // by leaf and pod: rings that lead out of it
  Rings rings(const std::vector<std::int64_t>& out) const;

  const Fabric* f_;
  std::vector<std::int64_t> first_;      // by leaf: its place in the table
  std::vector<Member> table_;            // end ports, leaf by leaf
  std::vector<double> pod_sum_;          // leaves' share of each pod
  std::vector<std::int64_t> pod_first_;  // first leaf
  double normal_ = 0;
  struct Computing {
    std::int64_t first = -1, places = 1;
  };                                  // its first node; nodes of an NVLink domain
  std::vector<Computing> computing_;  // by block; first -1: its members take no part in all-reduces
  std::vector<std::int64_t> split_;   // by block: links of one port, one to each plane
  std::int64_t ring_count_ = 0;
  Rings all_rings_;       // of all nodes
  double ring_pace_ = 1;  // in the normal state
};

}  // namespace clusterc
