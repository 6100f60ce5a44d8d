#include "plan/routing.h"

#include <algorithm>
#include <random>

namespace clusterc {
namespace {

constexpr std::uint64_t kSeed = 2026;
constexpr int kPermutations = 10;

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
  const auto up = static_cast<std::size_t>(f_.tiers[0].up);
  leaves_ = f_.per_plane(0);
  towards_.assign(static_cast<std::size_t>(f_.planes), std::vector<std::int32_t>(up));
  own_.assign(static_cast<std::size_t>(f_.tiers[0].count), std::vector<std::int32_t>(up));
  each_end(plan, fabric, [&](const FabricBlock&, std::int64_t, std::int64_t, const PortRef& port) {
    const auto u = static_cast<std::size_t>(uplink_of(port));
    ++towards_[static_cast<std::size_t>(port.sw.index / f_.per_plane(0))][u];
    ++own_[static_cast<std::size_t>(port.sw.index)][u];
  });
}

std::int64_t Routing::uplink_of(const PortRef& to) const {
  const FabricTier& leaf = f_.tiers[0];
  const std::int64_t k = to.port - 1;
  return leaf.down == leaf.up ? k : (to.sw.index % leaves_ * leaf.down + k) % leaf.up;
}

template <class Take>
void Routing::walk(const PortRef& from, const PortRef& to, const Take& take) const {
  if (from.sw.index == to.sw.index || towards_.empty()) return;
  const std::int64_t u = uplink_of(to);
  take(FabricLink{from.sw, u, false});
  const std::int64_t source = from.sw.index % leaves_, target = to.sw.index % leaves_;
  if (f_.tiers.size() > 2 && source / f_.leaves_per_pod != target / f_.leaves_per_pod) {
    const std::int64_t plane = to.sw.index / leaves_, spines = plane * f_.per_plane(1), place = u / f_.links_per_pair;
    const std::int64_t v = (target % f_.leaves_per_pod * f_.links_per_pair + u % f_.links_per_pair) % f_.tiers[1].up;
    take(FabricLink{{1, spines + source / f_.leaves_per_pod * f_.spines_per_pod + place}, v, false});
    take(FabricLink{{1, spines + target / f_.leaves_per_pod * f_.spines_per_pod + place}, v, true});
  }
  take(FabricLink{to.sw, u, true});
}

void Routing::route(const PortRef& from, const PortRef& to, std::vector<FabricLink>& out) const {
  out.clear();
  walk(from, to, [&](const FabricLink& l) { out.push_back(l); });
}

std::int64_t Routing::routes(std::int64_t leaf, std::int64_t link) const {
  if (towards_.empty()) return 0;
  return towards_[static_cast<std::size_t>(leaf / f_.per_plane(0))][static_cast<std::size_t>(link)] - own_[static_cast<std::size_t>(leaf)][static_cast<std::size_t>(link)];
}

std::size_t Routing::number(const FabricLink& l) const {
  const std::int64_t of_leaves = f_.tiers[0].count * f_.tiers[0].up;
  const std::int64_t n = l.lower.tier == 0 ? l.lower.index * f_.tiers[0].up + l.link : of_leaves + l.lower.index * f_.tiers[1].up + l.link;
  return static_cast<std::size_t>(2 * n + l.down);
}

FabricLink Routing::at(std::size_t number) const {
  const auto n = static_cast<std::int64_t>(number / 2), of_leaves = f_.tiers[0].count * f_.tiers[0].up;
  const bool down = number % 2 != 0;
  if (n < of_leaves) return {{0, n / f_.tiers[0].up}, n % f_.tiers[0].up, down};
  return {{1, (n - of_leaves) / f_.tiers[1].up}, (n - of_leaves) % f_.tiers[1].up, down};
}

PatternLoad Routing::summary(std::string pattern, const std::vector<double>& flow) const {
  PatternLoad load{.pattern = std::move(pattern)};
  std::size_t used = 0, worst = 0;
  for (std::size_t i = 0; i < flow.size(); ++i) {
    if (flow[i] > flow[worst]) worst = i;
    load.mean += flow[i];
    used += flow[i] > 0;
  }
  if (used) load.mean /= static_cast<double>(used);
  if (!flow.empty()) load.worst = flow[worst], load.where = at(worst);
  return load;
}

std::vector<PatternLoad> Routing::loads() const {
  std::vector<PatternLoad> out;
  if (towards_.empty()) return out;
  const Cluster& c = *plan_.cluster;
  const bool compute = c.networks[f_.network].carries_traffic(Traffic::compute);
  struct Member { std::vector<PortRef> ports; };
  std::vector<Member> members;
  std::int64_t last = -1;
  const FabricBlock* block = nullptr;
  each_end(plan_, fabric_, [&](const FabricBlock& b, std::int64_t m, std::int64_t, const PortRef& port) {
    if (b.what != FabricBlock::What::ends) return;
    const EndPoints& e = c.networks[b.network].ends[b.end];
    if (compute && (e.group < 0 || !c.nodes[e.group].computes)) return;
    if (&b != block || m != last) members.push_back({}), block = &b, last = m;
    members.back().ports.push_back(port);
  });
  if (members.size() < 2) return out;
  const std::size_t links = 2 * static_cast<std::size_t>(f_.tiers[0].count * f_.tiers[0].up + (f_.tiers.size() > 2 ? f_.tiers[1].count * f_.tiers[1].up : 0));

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
      for (const Member& m : members)
        for (const PortRef& p : m.ports) {
          if (p.sw.index / leaves != plane) continue;
          const std::int64_t leaf = p.sw.index % leaves, u = uplink_of(p);
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

  std::vector<double> flow(links);
  const auto count = [&](const FabricLink& l) { ++flow[number(l)]; };
  const auto shift = [&](std::string name, std::size_t by) {
    std::fill(flow.begin(), flow.end(), 0.0);
    for (std::size_t i = 0; i < members.size(); ++i) {
      const Member &a = members[i], &b = members[(i + by) % members.size()];
      for (std::size_t k = 0; k < std::min(a.ports.size(), b.ports.size()); ++k) {
        if (a.ports[k].sw.index / leaves_ != b.ports[k].sw.index / leaves_) continue;
        walk(a.ports[k], b.ports[k], count);
      }
    }
    out.push_back(summary(std::move(name), flow));
  };
  shift("ring", 1);
  if (members.size() > 3) shift("shift by half", members.size() / 2);

  // Fisher and Yates with the numbers of the standard's engine, which are the same everywhere (its distributions are not).
  std::mt19937_64 random(kSeed);
  PatternLoad permutations{.pattern = "random permutations"};
  double fullest = -1;
  for (int round = 0; round < kPermutations; ++round) {
    std::fill(flow.begin(), flow.end(), 0.0);
    for (std::int64_t plane = 0; plane < f_.planes; ++plane) {
      std::vector<PortRef> from;
      for (const Member& m : members)
        for (const PortRef& p : m.ports)
          if (p.sw.index / leaves_ == plane) from.push_back(p);
      std::vector<PortRef> to = from;
      for (std::size_t i = to.size(); i > 1; --i) std::swap(to[i - 1], to[random() % i]);
      for (std::size_t i = 0; i < from.size(); ++i) walk(from[i], to[i], count);
    }
    const PatternLoad one = summary("", flow);
    permutations.worst += one.worst / kPermutations;
    permutations.mean += one.mean / kPermutations;
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
