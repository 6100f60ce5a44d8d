// What a fabric still carries without some of its switches and links.
//
// Bisection: half of what all leaves can send up, sum over leaves of min(end ports, live uplinks); with three tiers a pod sends no more than its
// spines have live links to cores. For a fat tree wired as planned this is the bandwidth over its worst halving (Leiserson, Fat-trees, 1985);
// an uplink lives while both of its ends do. One tier: end ports.
// All-reduce: a ring or tree over all survivors runs at the pace of the node with the smallest share of its ports left (NCCL's rings cross every
// node, and a leaf only twice); nodes that are cut off are no survivors.
// Cost of one question: what it names, plus the leaves of the pods that lost a spine.
#pragma once
#include <optional>
#include <utility>
#include <vector>

#include "plan/plan.h"

namespace clusterc {

class FabricLoss {
 public:
  FabricLoss(const Plan&, int fabric);

  struct Member { std::int32_t block; std::int64_t member; };
  struct Cut { int tier; std::int64_t index; };            // tier 0: one uplink of leaf `index`; 1: one uplink of spine `index`
  struct Left {
    std::vector<std::pair<Member, std::int64_t>> members;  // that lost ports, and how many; in order
    double bisection = 0;                                  // ports; half of the sum
    std::int64_t links = 0;                                // out: cut, or a switch at either end is out
  };
  // `dead`: switches by number within the fabric, ascending. `ends`: end point cables, as places in the leaf table.
  Left without(const std::vector<std::int64_t>& dead, const std::vector<std::int64_t>& ends, const std::vector<Cut>& cuts) const;

  double normal() const { return normal_; }
  const Fabric& fabric() const { return *f_; }
  std::int64_t leaf_ends(std::int64_t leaf) const { return first_[leaf + 1] - first_[leaf]; }
  std::int64_t first_entry(std::int64_t leaf) const { return first_[leaf]; }
  const Member& entry(std::int64_t i) const { return table_[i]; }
  std::int64_t entries() const { return static_cast<std::int64_t>(table_.size()); }
  std::int64_t leaf_of_entry(std::int64_t i) const;

 private:
  bool has_spines() const { return f_->tiers.size() > 1; }
  // A plane of two tiers is one pod; pods of the planes lie after one another, as their switches do.
  std::int64_t pods_of_plane() const { return f_->tiers.size() > 2 ? f_->pods : 1; }
  std::int64_t pod_of_leaf(std::int64_t leaf) const {
    return leaf / f_->per_plane(0) * pods_of_plane() + (f_->tiers.size() > 2 ? leaf % f_->per_plane(0) / f_->leaves_per_pod : 0);
  }

  const Fabric* f_;
  std::vector<std::int64_t> first_;     // by leaf: its place in the table
  std::vector<Member> table_;           // end ports, leaf by leaf
  std::vector<double> pod_sum_;         // leaves' share of each pod
  std::vector<std::int64_t> pod_first_; // first leaf
  double normal_ = 0;
};

}  // namespace clusterc
