#include "validate/culprits/schedule.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/index.h"

namespace clusterc {
namespace {

using Unit = std::vector<std::int32_t>;  // the nodes that share a leaf, in the order of its ports

// From so many leaves on the lanes of a round across take different turns.
constexpr std::size_t kLeavesOfLanes = 9;

// Largest first, so that the leaves which have a k-th node are the first ones.
std::vector<Unit> units_of(const PairFabric& f) {
  std::map<std::int32_t, Unit> by_leaf;
  for (std::int32_t node = 0; node < f.nodes; ++node) by_leaf[f.leaf_of(node, 0)].push_back(node);
  std::vector<Unit> units;
  for (auto& [leaf, unit] : by_leaf) {
    std::ranges::stable_sort(unit, {}, [&](std::int32_t n) { return f.slot[at(n) * at(f.rails)]; });
    units.push_back(std::move(unit));
  }
  std::ranges::stable_sort(units, std::ranges::greater{}, [](const Unit& u) { return u.size(); });
  return units;
}

std::size_t turns_of(std::size_t seats) { return seats < 2 ? 0 : seats + seats % 2 - 1; }

// Turn `turn` of the circle method among n: calls meet(a, b) for each pair, and rest(a) for who has no partner.
template <class Meet, class Rest>
void circle(std::size_t n, std::size_t turn, const Meet& meet, const Rest& rest) {
  const std::size_t seats = n + n % 2, turns = seats - 1;
  const auto pair = [&](std::size_t a, std::size_t b) {
    if (a < n && b < n)
      meet(a, b);
    else
      rest(std::min(a, b));
  };
  pair(turn % turns, seats - 1);
  for (std::size_t i = 1; i < seats / 2; ++i) pair((turn + i) % turns, (turn + turns - i) % turns);
}

void add(PairRound& round, std::int32_t a, std::int32_t b) { round.emplace_back(std::min(a, b), std::max(a, b)); }

using Met = std::set<NodePair>;

// Who is left over meets another one who is, and whom they have not met; or rests.
void pair_up(PairRound& round, std::vector<std::int32_t> left, const Met& met) {
  for (std::size_t i = 0; i < left.size(); ++i)
    for (std::size_t j = i + 1; j < left.size() && left[i] >= 0; ++j) {
      if (left[j] < 0 || met.contains(std::minmax(left[i], left[j]))) continue;
      add(round, left[i], left[j]);
      left[i] = left[j] = -1;
    }
}

PairRound within(const std::vector<Unit>& units, std::size_t turn, const Met& met) {
  PairRound round;
  std::vector<std::int32_t> left;
  for (const Unit& unit : units) {
    if (unit.size() < 2) {
      left.push_back(unit.front());
      continue;
    }
    circle(
        unit.size(), turn % turns_of(unit.size()), [&](std::size_t a, std::size_t b) { add(round, unit[a], unit[b]); },
        [&](std::size_t a) { left.push_back(unit[a]); });
  }
  pair_up(round, std::move(left), met);
  std::ranges::sort(round);
  return round;
}

PairRound across(const std::vector<Unit>& units, std::size_t turn, const Met& met) {
  PairRound round;
  std::vector<std::int32_t> left;
  for (std::size_t lane = 0; lane < units.front().size(); ++lane) {
    std::size_t in_lane = 0;
    while (in_lane < units.size() && units[in_lane].size() > lane) ++in_lane;
    const bool few = in_lane < kLeavesOfLanes;
    const auto node = [&](std::size_t u) { return units[u][few ? (lane + turn * u) % units[u].size() : lane]; };
    if (in_lane < 2) {
      for (std::size_t u = 0; u < in_lane; ++u) left.push_back(node(u));
      continue;
    }
    // Few leaves: all lanes at one turn, so that no node of the odd leaf out goes without a partner.
    const std::size_t turns = turns_of(in_lane), at_turn = (few ? turn : lane + 7 * turn) % turns;
    circle(
        in_lane, at_turn, [&](std::size_t a, std::size_t b) { add(round, node(a), node(b)); },
        [&](std::size_t a) { left.push_back(node(a)); });
  }
  pair_up(round, std::move(left), met);
  std::ranges::sort(round);
  return round;
}

std::vector<bool> covered_links(const PairFabric& f, const std::vector<PairRound>& rounds) {
  std::vector<bool> covered(at(f.links));
  std::vector<std::int32_t> links;
  for (const PairRound& round : rounds)
    for (const auto& [a, b] : round)
      for (std::int32_t rail = 0; rail < f.rails; ++rail)
        for (const PairPath& p : {PairPath{a, b, rail}, PairPath{b, a, rail}}) {
          f.route(p, links);
          for (const std::int32_t link : links) covered[at(link)] = true;
        }
  return covered;
}

// A transfer over each link that any of these nodes can reach; rail -1: there is none. One sender of each leaf is
// enough, since a route depends on the sender's leaf and the destination.
std::vector<PairPath> ways_over_links(const PairFabric& f, const std::vector<Unit>& units) {
  std::vector<PairPath> ways(at(f.links), PairPath{-1, -1, -1});
  std::vector<std::int32_t> links;
  for (const Unit& unit : units)
    for (std::int32_t to = 0; to < f.nodes; ++to)
      for (std::int32_t rail = 0; rail < f.rails; ++rail) {
        const PairPath p{to == unit.front() ? unit.back() : unit.front(), to, rail};
        if (p.from == p.to) continue;
        f.route(p, links);
        for (const std::int32_t link : links) ways[at(link)] = p;
      }
  return ways;
}

// Pairs whose transfers take the links that no earlier round took. Not looked for where that takes too long.
PairRound over_missing_links(const PairFabric& f, const std::vector<Unit>& units,
                             const std::vector<PairRound>& before) {
  constexpr std::int64_t kMostRoutes = 4'000'000;
  PairRound out;
  if (!f.route || static_cast<std::int64_t>(units.size()) * f.nodes * f.rails > kMostRoutes) return out;
  std::vector<bool> covered = covered_links(f, before), used(at(f.nodes));
  const std::vector<PairPath> ways = ways_over_links(f, units);
  std::vector<std::int32_t> links;
  LinksInUse in_use(f);
  const auto place = [&](std::int32_t from, const PairPath& way) {
    if (from == way.to || used[at(from)] || used[at(way.to)] || !in_use.take(from, way.to)) return false;
    add(out, from, way.to);
    used[at(from)] = used[at(way.to)] = true;
    return true;
  };
  for (std::size_t link = 0; link < ways.size(); ++link) {
    if (covered[link] || ways[link].rail < 0) continue;
    const PairPath& way = ways[link];
    const std::int32_t leaf = f.leaf_of(way.from, way.rail);
    bool done = false;
    for (std::int32_t from = 0; from < f.nodes && !done; ++from)
      done = f.leaf_of(from, way.rail) == leaf && place(from, way);
    // Or from that leaf to another destination that is reached over the link.
    for (std::int32_t to = 0; to < f.nodes && !done; ++to) {
      if (used[at(to)] || f.leaf_of(to, way.rail) == leaf) continue;
      f.route({way.from, to, way.rail}, links);
      if (std::ranges::find(links, static_cast<std::int32_t>(link)) == links.end()) continue;
      for (std::int32_t from = 0; from < f.nodes && !done; ++from)
        done = f.leaf_of(from, way.rail) == leaf && place(from, {from, to, way.rail});
    }
  }
  return out;
}

// The pairs of `first` come before the others. Who finds a link full meets another one who did: of the same place on
// its leaf, if possible, since the links to a node go by its place. Who still has no partner rests, and comes first in
// the next round across.
void part_where_links_are_full(const PairFabric& f, const PairRound& first, PairRound& round,
                               std::vector<int>& rested) {
  if (!f.route) return;
  std::ranges::stable_sort(round, std::ranges::greater{},
                           [&](const NodePair& p) { return rested[at(p.first)] + rested[at(p.second)]; });
  LinksInUse in_use(f);
  std::vector<std::int32_t> left;
  std::vector<bool> placed(at(f.nodes));
  for (const auto& [a, b] : first) placed[at(a)] = placed[at(b)] = in_use.take(a, b);
  std::erase_if(round, [&](const NodePair& p) {
    if (!placed[at(p.first)] && !placed[at(p.second)] && in_use.take(p.first, p.second)) return false;
    for (const std::int32_t node : {p.first, p.second})
      if (!placed[at(node)]) left.push_back(node);
    return true;
  });
  round.insert(round.end(), first.begin(), first.end());
  const auto slot = [&](std::int32_t node) { return f.slot[at(node) * at(f.rails)]; };
  for (const bool same_slot : {true, false})
    for (std::int32_t& a : left)
      for (std::int32_t& b : left) {
        if (a < 0 || b < 0 || f.leaf_of(a, 0) == f.leaf_of(b, 0) || (same_slot && slot(a) != slot(b))) continue;
        if (!in_use.take(a, b)) continue;
        add(round, a, b);
        a = b = -1;
      }
  for (const std::int32_t node : left)
    if (node >= 0) ++rested[at(node)];
  std::ranges::sort(round);
}

}  // namespace

bool LinksInUse::take(std::int32_t a, std::int32_t b) {
  if (!f_.route) return true;
  all_.clear();
  for (std::int32_t rail = 0; rail < f_.rails; ++rail)
    for (const PairPath& p : {PairPath{a, b, rail}, PairPath{b, a, rail}}) {
      f_.route(p, links_);
      for (const std::int32_t link : links_)
        if (flows_[at(link)] >= f_.flows_of_link) return false;
      all_.insert(all_.end(), links_.begin(), links_.end());
    }
  for (const std::int32_t link : all_) ++flows_[at(link)];
  return true;
}

std::vector<PairRound> pair_schedule(const PairFabric& f, std::size_t rounds) {
  std::vector<PairRound> out;
  if (f.nodes < 2 || f.rails < 1) return out;
  const std::vector<Unit> units = units_of(f);
  // Rounds without a pair that comes again. Two leaves meet in as many ways as a leaf has nodes.
  const std::size_t inside = turns_of(units.front().size()),
                    outside = units.size() < 2 ? 0 : std::max(turns_of(units.size()), units.front().size());
  std::size_t used_inside = 0, used_outside = 0;
  std::vector<int> rested(at(f.nodes));
  Met met;
  while (out.size() < rounds && (used_inside < inside || used_outside < outside)) {
    const bool want_inside = out.size() % 4 == 0;
    if (used_inside < inside && (want_inside || used_outside >= outside))
      out.push_back(within(units, used_inside++, met));
    else
      out.push_back(across(units, used_outside++, met));
    const bool last = out.size() == rounds && used_outside > 0;
    const PairRound first = last ? over_missing_links(f, units, {out.begin(), out.end() - 1}) : PairRound{};
    part_where_links_are_full(f, first, out.back(), rested);
    met.insert(out.back().begin(), out.back().end());
  }
  return out;
}

LinkCoverage link_coverage(const PairFabric& f, const std::vector<PairRound>& rounds) {
  LinkCoverage out;
  if (!f.route) return out;
  const std::vector<bool> covered = covered_links(f, rounds);
  const std::vector<PairPath> ways = ways_over_links(f, units_of(f));
  for (std::size_t link = 0; link < ways.size(); ++link) {
    out.planned += ways[link].rail >= 0;
    out.covered += ways[link].rail >= 0 && covered[link];
  }
  return out;
}

}  // namespace clusterc
