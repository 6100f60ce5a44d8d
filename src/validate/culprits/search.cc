#include "validate/culprits/search.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <span>

#include "base/index.h"

namespace clusterc {
namespace {

// Pairs one suspect with a good node after the other, each node once.
class Confirmation {
 public:
  Confirmation(const PairFabric& f, const Decoded& known, std::span<const PairValue> values)
      : f_(f), good_(known.good), suspect_(known.suspect), in_use_(f), used_(at(f.nodes)), met_(at(f.nodes)) {
    for (const PairValue& v : values) met_[at(v.path.from)].insert(v.path.to), met_[at(v.path.to)].insert(v.path.from);
    for (std::int32_t n = 0; n < f.nodes; ++n) {
      by_leaf_[f.leaf_of(n, 0)].push_back(n);
      by_slot_[f.slot[at(n * f.rails)]].push_back(n);
    }
  }

  // A node that may be at fault, with a good one: of its own leaf if that is possible, so that no link takes part.
  void test_node(std::int32_t node) {
    if (used_[at(node)]) return;
    const std::vector<std::int32_t>& near = by_leaf_[f_.leaf_of(node, 0)];
    for (const std::int32_t other : near)
      if (meet(node, other)) return;
    for (std::int32_t step = 1; step < f_.nodes; ++step)
      if (meet(node, (node + step * 97) % f_.nodes) || meet(node, (node + step) % f_.nodes)) return;
  }

  // A slow transfer over several links between switches, of which at least one is slow: each suspect gets a transfer of
  // its own, between good nodes, without the others. Sources near the first one share the first links of the route,
  // destinations near the second one the last.
  void test_links(const PairPath& slow) {
    std::vector<std::int32_t> links, suspects;
    f_.route(slow, links);
    for (const std::int32_t link : links)
      if (is_suspect(link)) suspects.push_back(link);
    for (const std::int32_t link : suspects)
      if (!test_link(slow, [&](const std::vector<std::int32_t>& on) { return on.size() == 1 && on[0] == link; }))
        test_link(slow,
                  [&](const std::vector<std::int32_t>& on) { return !on.empty() && on.size() < suspects.size(); });
  }

  PairRound take() {
    std::ranges::sort(round_);
    return std::move(round_);
  }

 private:
  bool is_suspect(std::int32_t link) const { return suspect_[at(2 * f_.nodes * f_.rails + link)]; }
  std::int32_t any(const std::vector<std::int32_t>& of) { return of[random_() % of.size()]; }

  // Looks for two good nodes whose transfer takes suspects that are wanted.
  template <class Wanted>
  bool test_link(const PairPath& slow, const Wanted& wanted) {
    constexpr int kTries = 300;
    const std::vector<std::int32_t>&near = by_leaf_[f_.leaf_of(slow.from, 0)], &far = by_leaf_[f_.leaf_of(slow.to, 0)],
          &same = by_slot_[f_.slot[at(slow.to * f_.rails)]];
    std::vector<std::int32_t> links, on;
    for (int i = 0; i < kTries; ++i) {
      const auto dice = random_() % 8;
      const std::int32_t from = dice % 2 ? any(near) : static_cast<std::int32_t>(random_() % at(f_.nodes)),
                         to = dice < 2   ? slow.to
                              : dice < 4 ? any(far)
                                         : any(same);
      if (from == to || used_[at(from)] || used_[at(to)] || !good_[at(from)] || !good_[at(to)]) continue;
      f_.route({from, to, slow.rail}, links);
      on.clear();
      for (const std::int32_t link : links)
        if (is_suspect(link)) on.push_back(link);
      if (wanted(on) && meet(from, to)) return true;
    }
    return false;
  }

  bool meet(std::int32_t node, std::int32_t other) {
    if (other == node || used_[at(other)] || !good_[at(other)] || met_[at(node)].contains(other)) return false;
    if (!in_use_.take(node, other)) return false;
    used_[at(node)] = used_[at(other)] = true;
    round_.emplace_back(std::min(node, other), std::max(node, other));
    return true;
  }

  const PairFabric& f_;
  const std::vector<bool>&good_, &suspect_;
  LinksInUse in_use_;
  std::minstd_rand random_;  // its default seed: the same rounds each time
  std::vector<bool> used_;
  std::vector<std::set<std::int32_t>> met_;
  std::map<std::int32_t, std::vector<std::int32_t>> by_leaf_, by_slot_;
  PairRound round_;
};

}  // namespace

CulpritSearch::CulpritSearch(const PairFabric& fabric, SearchOptions options)
    : fabric_(fabric), options_(std::move(options)) {
  if (options_.base == 0) options_.base = fabric.route || fabric.uplinks.empty() ? 4 : 6;
  if (options_.most == 0) options_.most = options_.base + 2;
  base_ = pair_schedule(fabric, options_.base);
}

PairRound CulpritSearch::next() {
  PairRound round;
  if (rounds_ < base_.size())
    round = base_[rounds_];
  else if (rounds_ < options_.most && !values_.empty())
    round = confirm(result());
  if (round.empty()) return round;
  ++rounds_;
  tests_ += round.size();
  return round;
}

PairRound CulpritSearch::confirmation() {
  rounds_ = std::max(rounds_, base_.size());
  return next();
}

void CulpritSearch::take(std::vector<PairValue> values, std::size_t round) {
  rounds_ = std::max(rounds_, round);
  for (PairValue& v : values) v.round = static_cast<std::int32_t>(round);
  values_.insert(values_.end(), values.begin(), values.end());
}

PairRound CulpritSearch::confirm(const Decoded& known) const {
  if (known.all_slow || (known.open.empty() && known.untested.empty() && known.hidden_links.empty())) return {};
  Confirmation round(fabric_, known, values_);
  for (const Found& found : known.open) {
    if (found.kind == CulpritKind::link) {
      if (!found.evidence.empty()) round.test_links(found.evidence.front().path);
    } else if (found.node >= 0) {
      round.test_node(found.node);
    } else {
      for (const PairValue& v : found.evidence) round.test_node(known.good[at(v.path.from)] ? v.path.to : v.path.from);
    }
  }
  for (const PairPath& p : known.untested) round.test_node(std::max(p.from, p.to));
  for (const PairPath& p : known.hidden_links) round.test_links(p);
  return round.take();
}

}  // namespace clusterc
