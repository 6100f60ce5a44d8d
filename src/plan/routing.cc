#include "plan/routing.h"

#include <algorithm>
#include <numeric>
#include <random>

namespace clusterc {
namespace {

constexpr std::uint64_t kSeed = 2026;
// The worst of a permutation varies little from one to the next where there are many ports: two are enough then, and large clusters stay cheap.
constexpr std::size_t kMostPermutations = 10, kLeastPermutations = 2, kFlows = 250'000;

// Every connected port of a leaf, in the order of the blocks.
template <class Take>
void each_end(const Plan& plan, int fabric, const Take& take) {
  const Fabric& f = plan.fabrics[fabric];
  for (std::size_t b = 0; b < f.blocks.size(); ++b)
    for (std::int64_t m = 0; m < f.blocks[b].members; ++m)
      for (std::int64_t k = 0; k < f.blocks[b].ports_each; ++k)
        if (const PortRef port = plan.block_port(fabric, static_cast<int>(b), m, k); port.port > 0) take(f.blocks[b], m, k, port);
}

}  // namespace

Routing::Routing(const Plan& plan, int fabric) : plan_(plan), f_(plan.fabrics[fabric]), fabric_(fabric) {
  if (f_.tiers.size() < 2 || f_.leaf_spine_cables == 0) return;
  up_ = static_cast<std::size_t>(f_.tiers[0].up);
  if (f_.tiers.size() > 2) spine_up_ = static_cast<std::size_t>(f_.tiers[1].up);
  leaf_links_ = static_cast<std::size_t>(f_.tiers[0].count) * up_;
  leaves_ = f_.per_plane(0);
  towards_.assign(static_cast<std::size_t>(f_.planes), std::vector<std::int32_t>(up_));
  own_.assign(static_cast<std::size_t>(f_.tiers[0].count), std::vector<std::int32_t>(up_));
  each_end(plan, fabric, [&](const FabricBlock&, std::int64_t, std::int64_t, const PortRef& port) {
    const End e = end_of(port);
    ++towards_[static_cast<std::size_t>(e.leaf / leaves_)][static_cast<std::size_t>(e.uplink)];
    ++own_[static_cast<std::size_t>(e.leaf)][static_cast<std::size_t>(e.uplink)];
  });
}

Routing::End Routing::end_of(const PortRef& port) const {
  const FabricTier& leaf = f_.tiers[0];
  const std::int64_t k = port.port - 1, in_plane = port.sw.index % leaves_;
  const std::int64_t u = leaf.down == leaf.up ? k : (in_plane * leaf.down + k) % leaf.up;
  End e{.leaf = static_cast<std::int32_t>(port.sw.index), .uplink = static_cast<std::int32_t>(u)};
  if (spine_up_ > 0) {
    const std::int64_t up = f_.tiers[1].up, m = f_.links_per_pair;
    e.spines = static_cast<std::int32_t>(port.sw.index / leaves_ * f_.per_plane(1) + in_plane / f_.leaves_per_pod * f_.spines_per_pod);
    e.cross = static_cast<std::int32_t>(u / m * up + (in_plane % f_.leaves_per_pod * m + u % m) % up);
  }
  return e;
}

template <class Take>
void Routing::walk(const End& from, const End& to, const Take& take) const {
  if (from.leaf == to.leaf || up_ == 0) return;
  const auto of_leaf = [&](const End& e) { return static_cast<std::size_t>(e.leaf) * up_ + static_cast<std::size_t>(to.uplink); };
  const auto of_spine = [&](const End& e) { return leaf_links_ + static_cast<std::size_t>(e.spines) * spine_up_ + static_cast<std::size_t>(to.cross); };
  take(2 * of_leaf(from));
  if (from.spines != to.spines) {
    take(2 * of_spine(from));
    take(2 * of_spine(to) + 1);
  }
  take(2 * of_leaf(to) + 1);
}

void Routing::route(const PortRef& from, const PortRef& to, std::vector<FabricLink>& out) const {
  out.clear();
  if (up_ > 0) walk(end_of(from), end_of(to), [&](std::size_t link) { out.push_back(at(link)); });
}

std::int64_t Routing::routes(std::int64_t leaf, std::int64_t link) const {
  if (towards_.empty()) return 0;
  return towards_[static_cast<std::size_t>(leaf / leaves_)][static_cast<std::size_t>(link)] - own_[static_cast<std::size_t>(leaf)][static_cast<std::size_t>(link)];
}

std::size_t Routing::number(const FabricLink& l) const {
  const auto index = static_cast<std::size_t>(l.lower.index), link = static_cast<std::size_t>(l.link);
  return 2 * (l.lower.tier == 0 ? index * up_ + link : leaf_links_ + index * spine_up_ + link) + l.down;
}

FabricLink Routing::at(std::size_t number) const {
  const std::size_t n = number / 2;
  const bool down = number % 2 != 0, leaf = n < leaf_links_;
  const std::size_t each = leaf ? up_ : spine_up_, i = leaf ? n : n - leaf_links_;
  return {{leaf ? 0 : 1, static_cast<std::int64_t>(i / each)}, static_cast<std::int64_t>(i % each), down};
}

template <class Flow>
PatternLoad Routing::summary(std::string pattern, const std::vector<Flow>& flow) const {
  PatternLoad load{.pattern = std::move(pattern)};
  std::size_t used = 0, worst = 0;
  for (std::size_t i = 0; i < flow.size(); ++i) {
    if (flow[i] > flow[worst]) worst = i;
    load.mean += static_cast<double>(flow[i]);
    used += flow[i] > 0;
  }
  if (used) load.mean /= static_cast<double>(used);
  if (!flow.empty()) load.worst = static_cast<double>(flow[worst]), load.where = at(worst);
  return load;
}

std::vector<PatternLoad> Routing::loads(bool only_all_to_all) const {
  std::vector<PatternLoad> out;
  if (towards_.empty()) return out;
  const Cluster& c = *plan_.cluster;
  const bool compute = c.networks[f_.network].carries_traffic(Traffic::compute);
  std::vector<End> ends;                             // member after member
  std::vector<std::size_t> first;                    // of each member
  std::int64_t last = -1;
  const FabricBlock* block = nullptr;
  each_end(plan_, fabric_, [&](const FabricBlock& b, std::int64_t m, std::int64_t, const PortRef& port) {
    if (b.what != FabricBlock::What::ends) return;
    const EndPoints& e = c.networks[b.network].ends[b.end];
    if (compute && (e.group < 0 || !c.nodes[e.group].computes)) return;
    if (&b != block || m != last) first.push_back(ends.size()), block = &b, last = m;
    ends.push_back(end_of(port));
  });
  const std::size_t members = first.size();
  if (members < 2) return out;
  first.push_back(ends.size());
  const std::size_t links = 2 * (leaf_links_ + static_cast<std::size_t>(spine_up_ > 0 ? f_.tiers[1].count : 0) * spine_up_);

  // All to all, counted by classes: every source on a leaf (in a pod) is alike, every destination that shares its links is.
  {
    std::vector<double> flow(links);
    const std::int64_t planes = f_.planes, leaves = f_.per_plane(0), up = f_.tiers[0].up;
    const bool three = f_.tiers.size() > 2;
    const std::int64_t pods = three ? f_.pods : 1, pod_leaves = three ? f_.leaves_per_pod : leaves;
    for (std::int64_t plane = 0; plane < planes; ++plane) {
      std::vector<double> on_leaf(static_cast<std::size_t>(leaves)), in_pod(static_cast<std::size_t>(pods)), to(static_cast<std::size_t>(up));
      std::vector<double> own(static_cast<std::size_t>(leaves * up));
      double all = 0;
      for (const End& e : ends) {
        if (e.leaf / leaves != plane) continue;
        const std::int64_t leaf = e.leaf % leaves, u = e.uplink;
        ++all, ++on_leaf[leaf], ++in_pod[leaf / pod_leaves], ++to[u], ++own[leaf * up + u];
      }
      if (all < 2) continue;
      for (std::int64_t leaf = 0; leaf < leaves; ++leaf)
        for (std::int64_t u = 0; u < up; ++u) {
          const FabricLink link{{0, plane * leaves + leaf}, u, false};
          flow[number(link)] = on_leaf[leaf] * (to[u] - own[leaf * up + u]) / (all - 1);
          flow[number({link.lower, u, true})] = own[leaf * up + u] * (all - on_leaf[leaf]) / (all - 1);
        }
      if (!three) continue;
      // A destination of a pod is reached over one uplink of the spine of its place, in every pod that it is not in.
      const std::int64_t spines = f_.spines_per_pod, spine_up = f_.tiers[1].up, m = f_.links_per_pair;
      std::vector<double> total(static_cast<std::size_t>(spines * spine_up)), inside(static_cast<std::size_t>(pods * spines * spine_up));
      for (std::int64_t leaf = 0; leaf < leaves; ++leaf)
        for (std::int64_t u = 0; u < up; ++u) {
          const std::int64_t v = (leaf % pod_leaves * m + u % m) % spine_up, slot = u / m * spine_up + v;
          total[slot] += own[leaf * up + u];
          inside[leaf / pod_leaves * spines * spine_up + slot] += own[leaf * up + u];
        }
      for (std::int64_t pod = 0; pod < pods; ++pod)
        for (std::int64_t slot = 0; slot < spines * spine_up; ++slot) {
          const FabricLink link{{1, plane * f_.per_plane(1) + pod * spines + slot / spine_up}, slot % spine_up, false};
          const double here = inside[pod * spines * spine_up + slot];
          flow[number(link)] = in_pod[pod] * (total[slot] - here) / (all - 1);
          flow[number({link.lower, link.link, true})] = here * (all - in_pod[pod]) / (all - 1);
        }
    }
    out.push_back(summary("all to all", flow));
  }
  if (only_all_to_all) return out;

  std::vector<std::int32_t> flow(links);
  const auto count = [&](std::size_t link) { ++flow[link]; };
  const auto shift = [&](std::string name, std::size_t by) {
    std::fill(flow.begin(), flow.end(), 0);
    for (std::size_t i = 0; i < members; ++i) {
      const std::size_t j = (i + by) % members, ports = std::min(first[i + 1] - first[i], first[j + 1] - first[j]);
      for (std::size_t k = 0; k < ports; ++k)
        if (const End &a = ends[first[i] + k], &b = ends[first[j] + k]; a.leaf / leaves_ == b.leaf / leaves_) walk(a, b, count);
    }
    out.push_back(summary(std::move(name), flow));
  };
  shift("ring", 1);
  if (members > 3) shift("shift by half", members / 2);

  // Fisher and Yates with the numbers of the standard's engine, which are the same everywhere (its distributions are not).
  std::vector<std::vector<End>> of_plane(static_cast<std::size_t>(f_.planes));
  for (const End& e : ends) of_plane[static_cast<std::size_t>(e.leaf / leaves_)].push_back(e);
  std::mt19937_64 random(kSeed);
  PatternLoad permutations{.pattern = "random permutations"};
  double fullest = -1;
  std::vector<std::uint32_t> to;
  const std::size_t rounds = std::clamp(kFlows / ends.size(), kLeastPermutations, kMostPermutations);
  for (std::size_t round = 0; round < rounds; ++round) {
    std::fill(flow.begin(), flow.end(), 0);
    for (const std::vector<End>& from : of_plane) {
      to.resize(from.size());
      std::iota(to.begin(), to.end(), 0u);
      for (std::size_t i = to.size(); i > 1; --i) std::swap(to[i - 1], to[random() % i]);
      for (std::size_t i = 0; i < from.size(); ++i) walk(from[i], from[to[i]], count);
    }
    const PatternLoad one = summary("", flow);
    permutations.worst += one.worst / static_cast<double>(rounds);
    permutations.mean += one.mean / static_cast<double>(rounds);
    if (one.worst > fullest) fullest = one.worst, permutations.where = one.where;
  }
  out.push_back(permutations);
  return out;
}

std::string Routing::link_name(const FabricLink& l) const {
  PortRef upper;
  const PortRef lower = plan_.up_link(fabric_, l.lower, l.link, &upper);
  const std::string below = plan_.switch_name(fabric_, lower.sw) + "/" + std::to_string(lower.port), above = plan_.switch_name(fabric_, upper.sw) + "/" + std::to_string(upper.port);
  return l.down ? above + " to " + below : below + " to " + above;
}

}  // namespace clusterc
