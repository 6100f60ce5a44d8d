#include "plan/failures/what_if_network.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "model/nvlink.h"
#include "spec/network.h"

namespace clusterc {
namespace {

// Of as many rings over links that are as fast as that many end ports; no faster than an end port.
double pace(double ends, std::int64_t rings) {
  return static_cast<double>(rings) > ends ? ends / static_cast<double>(rings) : 1;
}

}  // namespace

FabricLoss::FabricLoss(const Plan& plan, int fabric) : f_(&plan.fabrics[fabric]) {
  const Fabric& f = *f_;
  if (f.tiers.empty()) return;
  const std::int64_t leaves = f.tiers[0].count;
  first_.assign(leaves + 1, 0);
  for (int pass = 0; pass < 2; ++pass) {  // count, then fill: the table is flat
    std::vector<std::int64_t> next(first_.begin(), first_.end());
    for (std::size_t b = 0; b < f.blocks.size(); ++b) {
      const FabricBlock& block = f.blocks[b];
      if (block.what != FabricBlock::What::ends) continue;
      for (std::int64_t m = 0; m < block.members; ++m)
        for (std::int64_t k = 0; k < block.ports_each; ++k) {
          const PortRef port = plan.block_port(fabric, static_cast<int>(b), m, k);
          if (port.port < 0 || port.sw.index >= leaves) continue;
          if (pass == 0)
            ++first_[port.sw.index + 1];
          else
            table_[next[port.sw.index]++] = {static_cast<std::int32_t>(b), static_cast<std::int32_t>(k), m};
        }
    }
    if (pass == 0) {
      for (std::int64_t l = 0; l < leaves; ++l) first_[l + 1] += first_[l];
      table_.resize(first_.back());
    }
  }
  const std::int64_t pods = f.planes * pods_of_plane();
  pod_sum_.assign(pods, 0);
  for (std::int64_t p = 0; p < pods; ++p) {
    const std::int64_t leaf = f.tiers.size() > 2 ? std::min(p % pods_of_plane() * f.leaves_per_pod, f.per_plane(0)) : 0;
    pod_first_.push_back(p / pods_of_plane() * (f.tiers.empty() ? 0 : f.per_plane(0)) + leaf);
  }
  pod_first_.push_back(leaves);
  for (std::int64_t l = 0; l < leaves; ++l) pod_sum_[pod_of_leaf(l)] += leaf_sends(leaf_ends(l), f.leaf_up(l));
  for (std::int64_t p = 0; p < pods; ++p)
    normal_ +=
        (f.tiers.size() > 2 ? std::min(pod_sum_[p], in_ends(f.spines_per_pod * f.tiers[1].up)) : pod_sum_[p]) / 2;

  const Cluster& c = *plan.cluster;
  const int compute = c.first_network_carrying(Traffic::compute);
  for (const FabricBlock& b : f.blocks) {
    Computing& one = computing_.emplace_back();
    split_.push_back(b.what == FabricBlock::What::ends ? c.networks[b.network].ends[b.end].split : 1);
    if (b.what != FabricBlock::What::ends || b.network != compute) continue;
    const EndPoints& e = c.networks[b.network].ends[b.end];
    if (e.group < 0 || !c.nodes[e.group].computes) continue;
    one = {c.nodes[e.group].first, std::max<std::int64_t>(1, nvlink_domain_nodes(c, c.nodes[e.group]))};
    ring_count_ = std::max(ring_count_, one.places * b.ports_each);
  }
  if (!has_spines() || ring_count_ == 0) return;
  all_rings_ = rings({});
  for (std::int64_t l = 0; l < leaves; ++l)
    ring_pace_ = std::min(ring_pace_, pace(in_ends(f.leaf_up(l)), all_rings_.leaf[l]));
  for (const std::int64_t n : all_rings_.pod)
    ring_pace_ = std::min(ring_pace_, pace(in_ends(f.spines_per_pod * f.tiers[1].up), n));
}

FabricLoss::Rings FabricLoss::rings(const std::vector<std::int64_t>& out) const {
  constexpr std::int64_t kNone = -1, kSeveral = -2;
  const std::int64_t leaves = f_->tiers[0].count;
  struct Ring {
    std::int64_t leaf = kNone, pod = kNone, last_leaf = kNone, last_pod = kNone;
  };  // all of it there; where it was met last
  std::vector<Ring> ring(static_cast<std::size_t>(ring_count_));
  const auto each = [&](auto&& visit) {
    for (std::int64_t l = 0; l < leaves; ++l)
      for (std::int64_t i = first_[l]; i < first_[l + 1]; ++i) {
        const Member& m = table_[i];
        const Computing& of = computing_[m.block];
        if (of.first < 0 || std::ranges::binary_search(out, of.first + m.member)) continue;
        visit(ring[m.member % of.places * f_->blocks[m.block].ports_each + m.port], l, pod_of_leaf(l));
      }
  };
  each([&](Ring& r, std::int64_t leaf, std::int64_t pod) {
    r.leaf = r.leaf == kNone || r.leaf == leaf ? leaf : kSeveral;
    r.pod = r.pod == kNone || r.pod == pod ? pod : kSeveral;
  });
  Rings lead_out{std::vector<std::int64_t>(leaves),
                 std::vector<std::int64_t>(f_->tiers.size() > 2 ? pod_sum_.size() : 0)};
  each([&](Ring& r, std::int64_t leaf, std::int64_t pod) {
    if (r.leaf == kSeveral && r.last_leaf != leaf) ++lead_out.leaf[leaf];
    if (!lead_out.pod.empty() && r.pod == kSeveral && r.last_pod != pod) ++lead_out.pod[pod];
    r.last_leaf = leaf;
    r.last_pod = pod;
  });
  return lead_out;
}

double FabricLoss::ring_share(const Left& left, const std::vector<std::int64_t>& out) const {
  if (ring_count_ == 0 || (left.leaves.empty() && left.pods.empty())) return 1;
  const bool all = std::ranges::none_of(computing_, [&](const Computing& of) {
    if (of.first < 0) return false;
    const auto at = std::ranges::lower_bound(out, of.first);
    return at != out.end() && *at < of.first + f_->blocks[static_cast<std::size_t>(&of - computing_.data())].members;
  });
  const Rings some = all ? Rings{} : rings(out);
  const Rings& n = all ? all_rings_ : some;
  double now = 1;
  for (const auto& [leaf, up] : left.leaves) now = std::min(now, pace(in_ends(up), n.leaf[leaf]));
  for (const auto& [pod, links] : left.pods) now = std::min(now, pace(in_ends(links), n.pod[pod]));
  return std::min(1.0, now / ring_pace_);
}

std::int64_t FabricLoss::leaf_of_entry(std::int64_t i) const {
  return std::upper_bound(first_.begin(), first_.end(), i) - first_.begin() - 1;
}

// What is out of one fabric, and what follows for each pod.
struct FabricLoss::Outage {
  const FabricLoss& loss;
  const Fabric& f;
  const bool three;
  std::set<std::int64_t> dead_leaves;
  std::map<std::int64_t, std::vector<std::int64_t>> dead_spines;  // by pod: number in the pod
  std::map<std::int64_t, std::int64_t> dead_cores;  // by group, those of each plane after one another: how many
  std::set<std::int64_t> cores_dead;                // through the groups
  std::map<std::int64_t, std::int64_t> cut_ends, cut_up, cut_core;  // by leaf, by leaf, by spine
  std::vector<std::int64_t> lost;                                   // leaves whose end ports lead nowhere

  Outage(const FabricLoss& of, const std::vector<std::int64_t>& dead, const std::vector<std::int64_t>& ends,
         const std::vector<Cut>& cuts)
      : loss(of), f(*of.f_), three(f.tiers.size() > 2) {
    const std::int64_t leaves = f.tiers[0].count, spines = loss.has_spines() ? f.tiers[1].count : 0;
    for (const std::int64_t d : dead) {
      if (d < leaves)
        dead_leaves.insert(d);
      else if (d < leaves + spines)
        dead_spines[(d - leaves) / f.spines_per_pod].push_back((d - leaves) % f.spines_per_pod);
      else {
        ++dead_cores[(d - leaves - spines) / f.cores_per_group];
        cores_dead.insert(d - leaves - spines);
      }
    }
    for (const std::int64_t e : ends)
      if (const std::int64_t l = loss.leaf_of_entry(e); !dead_leaves.contains(l)) ++cut_ends[l];
    for (const Cut& c : cuts) ++(c.tier == 0 ? cut_up : cut_core)[c.index];
    lost.assign(dead_leaves.begin(), dead_leaves.end());
  }

  // Those that something is out of.
  std::set<std::int64_t> pods() const {
    std::set<std::int64_t> pods;
    for (const auto& [group, cores] : dead_cores)
      for (std::int64_t p = 0; p < loss.pods_of_plane(); ++p)
        pods.insert(group / f.core_groups() * loss.pods_of_plane() + p);
    for (const auto& [pod, of] : dead_spines) pods.insert(pod);
    for (const std::int64_t l : dead_leaves) pods.insert(loss.pod_of_leaf(l));
    for (const auto& [l, n] : cut_ends) pods.insert(loss.pod_of_leaf(l));
    for (const auto& [l, n] : cut_up) pods.insert(loss.pod_of_leaf(l));
    for (const auto& [s, n] : cut_core) pods.insert(s / f.spines_per_pod);
    return pods;
  }

  // Groups of cores are counted through the planes; the places of their spines in a pod.
  std::int64_t first_place(std::int64_t group) const { return group % f.core_groups() * f.spines_per_group; }
  std::int64_t end_place(std::int64_t group) const {
    return std::min(first_place(group) + f.spines_per_group, f.spines_per_pod);
  }
  std::int64_t group_of(std::int64_t plane, std::int64_t place) const {
    return plane * f.core_groups() + place / f.spines_per_group;
  }
  bool spine_dead(std::int64_t pod, std::int64_t place) const {
    const auto at = dead_spines.find(pod);
    return at != dead_spines.end() && std::ranges::find(at->second, place) != at->second.end();
  }
  // Cut uplinks are the first ones; those that end at a switch that is out were lost with it.
  std::int64_t cut_of_leaf(std::int64_t leaf) const {
    const auto at = cut_up.find(leaf);
    const std::int64_t pod = loss.pod_of_leaf(leaf);
    std::int64_t n = 0;
    for (std::int64_t k = 0; at != cut_up.end() && k < at->second; ++k) n += !spine_dead(pod, k / f.leaf_links(leaf));
    return n;
  }
  std::int64_t cut_of_spine(std::int64_t spine, std::int64_t cut) const {
    const std::int64_t first =
        group_of(spine / f.spines_per_pod / loss.pods_of_plane(), spine % f.spines_per_pod) * f.cores_per_group;
    std::int64_t n = 0;
    for (std::int64_t k = 0; k < cut; ++k) n += !cores_dead.contains(first + k / f.core_links_per_pair);
    return n;
  }
  static std::int64_t number(const std::map<std::int64_t, std::int64_t>& map, std::int64_t key) {
    const auto at = map.find(key);
    return at == map.end() ? std::int64_t{0} : at->second;
  }

  // What the leaf sends now, less what it sent; by how much its pod sends less.
  double leaf(std::int64_t l, std::int64_t spines_gone, Left& left) {
    const std::int64_t had = loss.has_spines() ? f.leaf_up(l) : 0;
    const double full = loss.leaf_sends(loss.leaf_ends(l), had);
    double now = 0;
    if (!dead_leaves.contains(l)) {
      const std::int64_t here = loss.leaf_ends(l) - number(cut_ends, l),
                         lost_up = loss.has_spines() ? f.leaf_links(l) * spines_gone + cut_of_leaf(l) : 0,
                         up = std::max<std::int64_t>(0, had - lost_up);
      now = loss.leaf_sends(here, up);
      if (loss.has_spines() && up == 0 && f.tiers[0].count > 1)
        lost.push_back(l);
      else if (loss.has_spines() && up < had)
        left.leaves.emplace_back(l, up);
    }
    return now - full;
  }

  // Of three tiers: links that the spines of a pod have to cores.
  std::int64_t core_links(std::int64_t p, std::int64_t spines_gone) const {
    const std::int64_t plane = p / loss.pods_of_plane();
    std::int64_t links = (f.spines_per_pod - spines_gone) * f.tiers[1].up;
    for (const auto& [group, cores] : dead_cores)
      for (std::int64_t place = first_place(group); group / f.core_groups() == plane && place < end_place(group);
           ++place)
        if (!spine_dead(p, place)) links -= cores * f.core_links_per_pair;
    for (const auto& [spine, n] : cut_core)
      if (spine / f.spines_per_pod == p && !spine_dead(p, spine % f.spines_per_pod)) links -= cut_of_spine(spine, n);
    return std::max<std::int64_t>(0, links);
  }

  void pod(std::int64_t p, Left& left) {
    const auto gone = dead_spines.find(p);
    const std::int64_t spines_gone = gone == dead_spines.end() ? 0 : static_cast<std::int64_t>(gone->second.size());
    // The sum over the leaves of the pod is known while only a few of them lost something: what they had is taken out,
    // what they have put in.
    double sum = loss.pod_sum_[p];
    if (spines_gone > 0) {
      for (std::int64_t l = loss.pod_first_[p]; l < loss.pod_first_[p + 1]; ++l) sum += leaf(l, spines_gone, left);
    } else {
      std::set<std::int64_t> touched;
      for (auto at = dead_leaves.lower_bound(loss.pod_first_[p]);
           at != dead_leaves.end() && *at < loss.pod_first_[p + 1]; ++at)
        touched.insert(*at);
      for (const auto* map : {&cut_ends, &cut_up})
        for (auto at = map->lower_bound(loss.pod_first_[p]); at != map->end() && at->first < loss.pod_first_[p + 1];
             ++at)
          touched.insert(at->first);
      for (const std::int64_t l : touched) sum += leaf(l, spines_gone, left);
    }
    const auto capped = [&](double leaves_sum, std::int64_t spine_links) {
      return (three ? std::min(leaves_sum, loss.in_ends(spine_links)) : leaves_sum) / 2;
    };
    std::int64_t links = 0;
    const std::int64_t all = three ? f.spines_per_pod * f.tiers[1].up : 0;
    if (three) {
      links = core_links(p, spines_gone);
      if (links == 0 && f.pods > 1)
        for (std::int64_t l = loss.pod_first_[p]; l < loss.pod_first_[p + 1]; ++l) lost.push_back(l);
      else if (links < all)
        left.pods.emplace_back(p, links);
    }
    left.bisection += capped(sum, links) - capped(loss.pod_sum_[p], all);
  }

  // Of living leaves to one spine of the pod.
  std::int64_t living_links(std::int64_t p) const {
    std::int64_t n = 0;
    for (std::int64_t l = loss.pod_first_[p]; l < loss.pod_first_[p + 1]; ++l)
      n += dead_leaves.contains(l) ? 0 : f.leaf_links(l);
    return n;
  }
  // Each cable once: of a dead leaf all, of a dead spine those to living leaves and all upwards, of a dead core those
  // to living spines.
  void count_links(Left& left) const {
    for (const std::int64_t l : dead_leaves) left.links += loss.leaf_ends(l) + (loss.has_spines() ? f.leaf_up(l) : 0);
    for (const auto& [pod, of] : dead_spines)
      left.links += static_cast<std::int64_t>(of.size()) * (living_links(pod) + (three ? f.tiers[1].up : 0));
    for (const auto& [group, cores] : dead_cores) {
      std::int64_t living = 0;
      for (std::int64_t p = 0; p < loss.pods_of_plane(); ++p)
        for (std::int64_t place = first_place(group); place < end_place(group); ++place)
          living += !spine_dead(group / f.core_groups() * loss.pods_of_plane() + p, place);
      left.links += cores * living * f.core_links_per_pair;
    }
    for (const auto& [l, n] : cut_ends) left.links += n;
    for (const auto& [l, n] : cut_up)
      if (!dead_leaves.contains(l)) left.links += cut_of_leaf(l);
    for (const auto& [s, n] : cut_core)
      if (!spine_dead(s / f.spines_per_pod, s % f.spines_per_pod)) left.links += cut_of_spine(s, n);
  }
};

FabricLoss::Left FabricLoss::without(const std::vector<std::int64_t>& dead, const std::vector<std::int64_t>& ends,
                                     const std::vector<Cut>& cuts) const {
  Left left;
  left.bisection = normal_;
  if (f_->tiers.empty()) return left;
  Outage out(*this, dead, ends, cuts);
  for (const std::int64_t p : out.pods()) out.pod(p, left);
  out.count_links(left);
  std::vector<std::int64_t>& lost = out.lost;
  std::ranges::sort(lost);
  lost.erase(std::unique(lost.begin(), lost.end()), lost.end());
  left.members = losers(lost, ends);
  return left;
}

std::vector<FabricLoss::Loser> FabricLoss::losers(const std::vector<std::int64_t>& lost_leaves,
                                                  const std::vector<std::int64_t>& ends) const {
  std::vector<Member> hit;  // once for each link
  for (const std::int64_t l : lost_leaves)
    hit.insert(hit.end(), table_.begin() + first_[l], table_.begin() + first_[l + 1]);
  for (const std::int64_t e : ends)
    if (!std::ranges::binary_search(lost_leaves, leaf_of_entry(e))) hit.push_back(table_[e]);
  std::ranges::sort(hit, {}, [](const Member& m) { return std::tuple(m.block, m.member, m.port); });
  std::vector<Loser> out;
  for (std::size_t i = 0; i < hit.size();) {
    const std::int64_t split = split_[static_cast<std::size_t>(hit[i].block)],
                       ports = f_->blocks[static_cast<std::size_t>(hit[i].block)].ports_each / split;
    std::size_t next = i;
    std::int64_t dead = 0, most = 0;  // ports without a link; links that one of the others lost
    while (next < hit.size() && hit[next].block == hit[i].block && hit[next].member == hit[i].member) {
      const std::size_t first = next;
      while (next < hit.size() && hit[next].block == hit[i].block && hit[next].member == hit[i].member &&
             hit[next].port / split == hit[first].port / split)
        ++next;
      const auto links = static_cast<std::int64_t>(next - first);
      if (links >= split)
        ++dead;
      else
        most = std::max(most, links);
    }
    out.push_back({.member = {hit[i].block, 0, hit[i].member},
                   .links = static_cast<std::int64_t>(next - i),
                   .pace = (1 - static_cast<double>(dead) / static_cast<double>(ports)) *
                           (1 - static_cast<double>(most) / static_cast<double>(split))});
    i = next;
  }
  return out;
}

}  // namespace clusterc
