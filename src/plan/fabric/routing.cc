#include "plan/fabric/routing.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <utility>

#include "base/index.h"
#include "spec/network.h"

namespace clusterc {
namespace {

constexpr std::uint64_t kSeed = 2026;
// The worst of a permutation varies little from one to the next where there are many ports: two are enough then, and
// large clusters stay cheap.
constexpr std::size_t kMostPermutations = 10, kLeastPermutations = 2, kFlows = 250'000;

}  // namespace

Routing::Routing(const Plan& plan, int fabric) : plan_(plan), f_(plan.fabrics[at(fabric)]), fabric_(fabric) {
  if (f_.tiers.size() < 2 || f_.leaf_spine_cables == 0) return;
  const FabricTier& leaf = f_.tiers[0];
  up_ = at(leaf.up);
  for (const LeafGroup& g : f_.leaf_groups) up_ = std::max(up_, at(g.up));
  leaves_ = f_.per_plane(0);
  if (f_.tiers.size() > 2) spine_up_ = at(f_.tiers[1].up);
  leaf_links_ = at(leaf.count) * up_;
  // What end_of needs of every leaf and uplink, divided once and not for each of a million ports.
  const std::int64_t m = f_.links_per_pair;
  of_leaf_.resize(at(leaf.count));
  for (std::int64_t i = 0; i < leaf.count; ++i) {
    const std::int64_t in_plane = i % leaves_;
    OfLeaf& l = of_leaf_[at(i)];
    l.links = static_cast<std::int32_t>(f_.leaf_links(i));
    l.up = static_cast<std::int32_t>(f_.leaf_up(i));
    if (leaf.down != leaf.up && plan.cluster->networks[at(f_.network)].kind == LinkKind::ethernet)
      l.turn = in_plane * leaf.down;
    if (spine_up_ == 0) continue;
    l.spines =
        static_cast<std::int32_t>(i / leaves_ * f_.per_plane(1) + in_plane / f_.leaves_per_pod * f_.spines_per_pod);
    l.cross = static_cast<std::int32_t>(in_plane % f_.leaves_per_pod * m % f_.tiers[1].up);
  }
  // Every connected port of a leaf, in the order of the blocks.
  towards_.assign(at(f_.planes) * up_, 0);
  std::size_t ports = 0;
  for (const FabricBlock& b : f_.blocks) ports += at(b.members * b.ports_each);
  ends_.reserve(ports);
  uplink_of_.assign(at(leaf.count * leaf.ports), -1);
  before_.assign(leaf_links_, 0);
  for (std::size_t b = 0; b < f_.blocks.size(); ++b) {
    first_member_.push_back(first_.size());
    for (std::int64_t member = 0; member < f_.blocks[b].members; ++member) {
      const std::size_t first = ends_.size();
      for (std::int64_t k = 0; k < f_.blocks[b].ports_each; ++k) {
        const PortRef port = plan.block_port(fabric, static_cast<int>(b), member, k);
        if (port.port <= 0) continue;
        uplink_of_[at(port.sw.index * leaf.ports + port.port - 1)] = 0;
        ends_.push_back({.leaf = static_cast<std::int32_t>(port.sw.index),
                         .uplink = static_cast<std::int32_t>(port.port)});  // its uplink is dealt when all are known
      }
      if (ends_.size() > first) first_.push_back(first);
    }
  }
  first_member_.push_back(first_.size());
  first_.push_back(ends_.size());
  deal_uplinks();
  for (End& e : ends_) {
    e = end_of({{0, e.leaf}, e.uplink});
    ++before_[at(e.leaf) * up_ + at(e.uplink)];  // its own so far
  }
  for (std::size_t i = 0; i < at(leaf.count); ++i)
    for (std::size_t u = 0; u < up_; ++u) {
      std::int32_t& of_plane = towards_[i / at(leaves_) * up_ + u];
      of_plane += std::exchange(before_[i * up_ + u], of_plane);
    }
}

void Routing::deal_uplinks() {
  const FabricTier& leaf = f_.tiers[0];
  const std::int64_t spines = f_.spines_per_pod;
  const bool goes_on = std::ranges::any_of(of_leaf_, [](const OfLeaf& l) { return l.turn > 0; });
  std::int64_t fullest = 0;
  for (std::int64_t i = 0; i < leaf.count; ++i) {
    const auto first = uplink_of_.begin() + i * leaf.ports;
    fullest = std::max<std::int64_t>(fullest, std::count(first, first + leaf.ports, 0));
  }
  shift_.assign(at(spines), 0);
  for (std::int64_t s = 0; s < spines && !goes_on; ++s) shift_[at(s)] = fullest / spines + (s < fullest % spines);
  for (std::int64_t i = 0; i < leaf.count; ++i) {
    const std::int64_t m = of_leaf_[at(i)].links;
    std::int64_t turn = of_leaf_[at(i)].turn;
    for (std::int64_t port = 0; port < leaf.ports; ++port) {
      std::int16_t& uplink = uplink_of_[at(i * leaf.ports + port)];
      if (uplink < 0) continue;
      const std::int64_t s = turn % spines;
      uplink = static_cast<std::int16_t>(s * m + (turn / spines + i % leaves_ * shift_[at(s)]) % m);
      ++turn;
    }
  }
}

Routing::End Routing::end_of(const PortRef& port) const {
  const OfLeaf& leaf = of_leaf_[at(port.sw.index)];
  const std::int32_t u = std::max<std::int32_t>(0, uplink_of_[at(port.sw.index * f_.tiers[0].ports + port.port - 1)]);
  End e{.leaf = static_cast<std::int32_t>(port.sw.index), .uplink = u};
  if (spine_up_ > 0) {
    const auto spine_up = static_cast<std::int32_t>(spine_up_), m = static_cast<std::int32_t>(f_.links_per_pair);
    e.spines = leaf.spines;
    e.cross = u / m * spine_up + (leaf.cross + u % m) % spine_up;
  }
  return e;
}

template <class Take>
void Routing::walk(const End& from, const End& to, const Take& take) const {
  if (from.leaf == to.leaf || up_ == 0) return;
  const auto of_leaf = [&](const End& e) {
    return static_cast<std::size_t>(e.leaf) * up_ + at(uplink_to(of_leaf_[at(e.leaf)].links, to));
  };
  const auto of_spine = [&](const End& e) {
    return leaf_links_ + static_cast<std::size_t>(e.spines) * spine_up_ + static_cast<std::size_t>(to.cross);
  };
  take(2 * of_leaf(from));
  if (from.spines != to.spines) {
    take(2 * of_spine(from));
    take(2 * of_spine(to) + 1);
  }
  take(2 * of_leaf(to) + 1);
}

void Routing::route(const PortRef& from, const PortRef& to, std::vector<FabricLink>& out) const {
  out.clear();
  if (up_ > 0) walk(end_of(from), end_of(to), [&](std::size_t link) { out.push_back(link_at(link)); });
}

std::int64_t Routing::routes(std::int64_t leaf, std::int64_t link) const {
  if (towards_.empty()) return 0;
  const std::int64_t m = of_leaf_[at(leaf)].links, spine = link / m,
                     later = spine * m + (link % m + shift_[at(spine)]) % m;
  if (!f_.leaf_groups.empty())  // not all leaves count their uplinks alike
    return std::ranges::count_if(ends_, [&](const End& e) {
      return e.leaf / leaves_ == leaf / leaves_ && e.leaf != leaf && uplink_to(m, e) == (e.leaf < leaf ? link : later);
    });
  const std::int32_t* const all = &towards_[at(leaf / leaves_) * up_];
  const std::int32_t* const before = &before_[at(leaf) * up_];
  const std::int32_t* const with_own = leaf % leaves_ + 1 < leaves_ ? before + up_ : all;
  return before[link] + all[later] - with_own[later];
}

std::size_t Routing::number(const FabricLink& l) const {
  const auto index = static_cast<std::size_t>(l.lower.index), link = static_cast<std::size_t>(l.link);
  return 2 * (l.lower.tier == 0 ? index * up_ + link : leaf_links_ + index * spine_up_ + link) + l.down;
}

FabricLink Routing::link_at(std::size_t number) const {
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
  const double carries = f_.uplink_speed();
  if (used) load.mean /= static_cast<double>(used) * carries;
  if (!flow.empty()) load.worst = static_cast<double>(flow[worst]) / carries, load.where = link_at(worst);
  return load;
}

// Members of blocks that send. True: all do, and nothing is copied.
bool Routing::senders(std::vector<End>& ends, std::vector<std::size_t>& first) const {
  const Cluster& c = *plan_.cluster;
  const bool compute = c.networks[at(f_.network)].carries_traffic(Traffic::compute);
  bool everybody = true;
  for (std::size_t b = 0; b < f_.blocks.size(); ++b) {
    const FabricBlock& block = f_.blocks[b];
    bool sends = block.what == FabricBlock::What::ends;
    if (sends && compute) {
      const EndPoints& e = c.networks[at(block.network)].ends[at(block.end)];
      sends = e.group >= 0 && c.nodes[at(e.group)].computes;
    }
    if (everybody && !sends) {  // all before it do
      everybody = false;
      ends.assign(ends_.begin(), ends_.begin() + static_cast<std::ptrdiff_t>(first_[first_member_[b]]));
      first.assign(first_.begin(), first_.begin() + static_cast<std::ptrdiff_t>(first_member_[b]));
    }
    if (everybody || !sends) continue;
    for (std::size_t member = first_member_[b]; member < first_member_[b + 1]; ++member) {
      first.push_back(ends.size());
      ends.insert(ends.end(), ends_.begin() + static_cast<std::ptrdiff_t>(first_[member]),
                  ends_.begin() + static_cast<std::ptrdiff_t>(first_[member + 1]));
    }
  }
  if (!everybody) first.push_back(ends.size());
  return everybody;
}

// All to all, counted by classes: every source on a leaf (in a pod) is alike, every destination that shares its links
// is.
PatternLoad Routing::all_to_all(const std::vector<End>& ends, std::size_t links) const {
  std::vector<double> flow(links);
  const std::int64_t planes = f_.planes, leaves = f_.per_plane(0), up = static_cast<std::int64_t>(up_);
  const bool three = f_.tiers.size() > 2;
  const std::int64_t pods = three ? f_.pods : 1, pod_leaves = three ? f_.leaves_per_pod : leaves;
  for (std::int64_t plane = 0; plane < planes; ++plane) {
    std::vector<double> on_leaf(static_cast<std::size_t>(leaves)), in_pod(static_cast<std::size_t>(pods));
    std::map<std::int64_t, std::vector<double>> towards;  // by links to each spine of the leaf that sends; by uplink
    for (std::int64_t leaf = 0; leaf < leaves; ++leaf) towards[of_leaf_[at(leaf)].links].resize(at(up));
    std::vector<double> own(static_cast<std::size_t>(leaves * up));
    double all = 0;
    for (const End& e : ends) {
      if (e.leaf / leaves != plane) continue;
      const std::int64_t leaf = e.leaf % leaves, u = e.uplink;
      ++all, ++on_leaf[leaf], ++in_pod[leaf / pod_leaves], ++own[leaf * up + u];
      for (auto& [m, to] : towards) ++to[at(uplink_to(m, e))];
    }
    if (all < 2) continue;
    for (std::int64_t leaf = 0; leaf < leaves; ++leaf) {
      const std::vector<double>& to = towards[of_leaf_[at(leaf)].links];
      for (std::int64_t u = 0; u < up; ++u) {
        const FabricLink link{{0, plane * leaves + leaf}, u, false};
        flow[number(link)] = on_leaf[leaf] * (to[u] - own[leaf * up + u]) / (all - 1);
        flow[number({link.lower, u, true})] = own[leaf * up + u] * (all - on_leaf[leaf]) / (all - 1);
      }
    }
    if (!three) continue;
    // A destination of a pod is reached over one uplink of the spine of its place, in every pod that it is not in.
    const std::int64_t spines = f_.spines_per_pod, spine_up = f_.tiers[1].up, m = f_.links_per_pair;
    std::vector<double> total(static_cast<std::size_t>(spines * spine_up)),
        inside(static_cast<std::size_t>(pods * spines * spine_up));
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
  return summary("all to all", flow);
}

PatternLoad Routing::permutations(const std::vector<End>& ends, std::size_t links) const {
  // Fisher and Yates with the numbers of the standard's engine, which are the same everywhere (its distributions are
  // not).
  std::vector<std::vector<End>> split;
  if (f_.planes > 1) {
    split.resize(at(f_.planes));
    for (const End& e : ends) split[at(e.leaf / leaves_)].push_back(e);
  }
  std::vector<std::int32_t> flow(links);
  const auto count = [&](std::size_t link) { ++flow[link]; };
  std::mt19937_64 random(kSeed);
  PatternLoad mean{.pattern = "random permutations"};
  double fullest = -1;
  std::vector<std::uint32_t> to;
  const std::size_t rounds = std::clamp(kFlows / ends.size(), kLeastPermutations, kMostPermutations);
  for (std::size_t round = 0; round < rounds; ++round) {
    std::fill(flow.begin(), flow.end(), 0);
    for (std::int64_t plane = 0; plane < f_.planes; ++plane) {
      const std::vector<End>& from = split.empty() ? ends : split[at(plane)];
      to.resize(from.size());
      std::iota(to.begin(), to.end(), 0u);
      for (std::size_t i = to.size(); i > 1; --i) std::swap(to[i - 1], to[random() % i]);
      for (std::size_t i = 0; i < from.size(); ++i) walk(from[i], from[to[i]], count);
    }
    const PatternLoad one = summary("", flow);
    mean.worst += one.worst / static_cast<double>(rounds);
    mean.mean += one.mean / static_cast<double>(rounds);
    if (one.worst > fullest) fullest = one.worst, mean.where = one.where;
  }
  return mean;
}

std::vector<PatternLoad> Routing::loads(bool only_all_to_all) const {
  std::vector<PatternLoad> out;
  if (towards_.empty()) return out;
  std::vector<End> some;  // where not every block sends
  std::vector<std::size_t> some_first;
  const bool everybody = senders(some, some_first);
  const std::vector<End>& ends = everybody ? ends_ : some;  // member after member
  const std::vector<std::size_t>& first = everybody ? first_ : some_first;
  const std::size_t members = first.size() - 1;
  if (members < 2) return out;
  const std::size_t links =
      2 * (leaf_links_ + static_cast<std::size_t>(spine_up_ > 0 ? f_.tiers[1].count : 0) * spine_up_);

  out.push_back(all_to_all(ends, links));
  if (only_all_to_all) return out;

  std::vector<std::int32_t> flow(links);
  const auto count = [&](std::size_t link) { ++flow[link]; };
  const auto shift = [&](std::string name, std::size_t by) {
    std::fill(flow.begin(), flow.end(), 0);
    for (std::size_t i = 0; i < members; ++i) {
      const std::size_t j = (i + by) % members, ports = std::min(first[i + 1] - first[i], first[j + 1] - first[j]);
      for (std::size_t k = 0; k < ports; ++k)
        if (const End& a = ends[first[i] + k], &b = ends[first[j] + k]; a.leaf / leaves_ == b.leaf / leaves_)
          walk(a, b, count);
    }
    out.push_back(summary(std::move(name), flow));
  };
  shift("ring", 1);
  if (members > 3) shift("shift by half", members / 2);

  out.push_back(permutations(ends, links));
  return out;
}

std::string Routing::link_name(const FabricLink& l) const {
  PortRef upper;
  const PortRef lower = plan_.up_link(fabric_, l.lower, l.link, &upper);
  const std::string below = plan_.switch_name(fabric_, lower.sw) + "/" + std::to_string(lower.port),
                    above = plan_.switch_name(fabric_, upper.sw) + "/" + std::to_string(upper.port);
  return l.down ? above + " to " + below : below + " to " + above;
}

}  // namespace clusterc
