#include "audit/fabric_differences.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <queue>
#include <set>

#include "base/index.h"

namespace clusterc {
namespace {

using Index = std::int32_t;
using Place = std::int64_t;  // a planned switch, or (behind all devices) a planned port of a member

// Beyond this many wrong cables the fabric is another one, and moves say nothing.
constexpr std::size_t kMostWrong = 2000;

// Two places, the lower number first.
struct Edge {
  Place a = 0, b = 0;
  auto operator<=>(const Edge&) const = default;
};
Edge edge(Place a, Place b) { return a < b ? Edge{a, b} : Edge{b, a}; }

struct Wrong {
  Index link = -1;
  Edge e;
};
struct Missing {
  Index cable = -1;
  Edge e;
};

// A maximum matching (Hopcroft and Karp, 1973) between wrong and missing cables that share a place.
class Matching {
 public:
  Matching(const std::vector<Wrong>& wrong, const std::vector<Missing>& missing, Place first_port)
      : first_port_(first_port),
        next_(wrong.size()),
        to_(wrong.size(), -1),
        from_(missing.size(), -1),
        level_(wrong.size()) {
    std::map<Place, std::vector<Index>> at_place;
    for (std::size_t m = 0; m < missing.size(); ++m) {
      at_place[missing[m].e.a].push_back(static_cast<Index>(m));
      at_place[missing[m].e.b].push_back(static_cast<Index>(m));
    }
    for (std::size_t w = 0; w < wrong.size(); ++w)
      // The greater place first: an adapter tells which one it is. A cable of a host does not become one between
      // switches: each port of a host has one cable, so there are as many wrong as missing ones of either kind.
      for (const Place place : {wrong[w].e.b, wrong[w].e.a})
        if (const auto found = at_place.find(place); found != at_place.end())
          for (const Index m : found->second)
            if (of_member(wrong[w].e) == of_member(missing[at(m)].e)) next_[w].push_back(m);
    for (std::size_t w = 0; w < wrong.size(); ++w)
      for (const Index m : next_[w])
        if (from_[at(m)] < 0) {
          to_[w] = m, from_[at(m)] = static_cast<Index>(w);
          break;
        }
    while (layers())
      for (std::size_t w = 0; w < wrong.size(); ++w)
        if (to_[w] < 0) augment(static_cast<Index>(w));
  }
  Index of(std::size_t wrong) const { return to_[wrong]; }

 private:
  bool of_member(const Edge& e) const { return e.b >= first_port_; }
  bool layers() {
    std::queue<Index> queue;
    bool found = false;
    for (std::size_t w = 0; w < to_.size(); ++w) {
      level_[w] = to_[w] < 0 ? 0 : -1;
      if (to_[w] < 0) queue.push(static_cast<Index>(w));
    }
    for (; !queue.empty(); queue.pop())
      for (const Index m : next_[at(queue.front())]) {
        const Index w = from_[at(m)];
        if (w < 0)
          found = true;
        else if (level_[at(w)] < 0)
          level_[at(w)] = level_[at(queue.front())] + 1, queue.push(w);
      }
    return found;
  }
  // Depth is at most the number of layers; a stack of our own, for hostile inputs.
  bool augment(Index root) {
    struct Step {
      Index wrong;
      std::size_t next = 0;
    };
    std::vector<Step> way{{root}};
    while (!way.empty()) {
      Step& s = way.back();
      if (s.next == next_[at(s.wrong)].size()) {
        level_[at(s.wrong)] = -1;
        way.pop_back();
        continue;
      }
      const Index m = next_[at(s.wrong)][s.next++];
      const Index w = from_[at(m)];
      if (w >= 0) {
        if (level_[at(w)] == level_[at(s.wrong)] + 1) way.push_back({w});
        continue;
      }
      for (const Step& step : way) {
        const Index taken = next_[at(step.wrong)][step.next - 1];
        to_[at(step.wrong)] = taken, from_[at(taken)] = step.wrong;
      }
      return true;
    }
    return false;
  }

  Place first_port_;
  std::vector<std::vector<Index>> next_;
  std::vector<Index> to_, from_, level_;
};

class Comparer {
 public:
  Comparer(const SeenFabric& seen, const PlannedFabric& plan, const FabricMatch& match)
      : seen_(seen), plan_(plan), match_(match) {}

  FabricDifferences compare() {
    out_.planned_cables = static_cast<std::int64_t>(plan_.cables.size());
    devices();
    read_plan();
    read_links();
    for (auto& [e, cables] : planned_)
      for (const Index c : cables) {
        const PlannedCable& cable = plan_.cables[at(c)];
        if (listed_[at(cable.near)] || listed_[at(cable.far)])
          missing_.push_back({c, e});
        else
          out_.unseen.push_back(c);
      }
    for (std::size_t c = 0; c < plan_.cables.size(); ++c) {
      const PlannedCable& cable = plan_.cables[c];
      if ((!there_[at(cable.near)] || !there_[at(cable.far)]) && !listed_[at(cable.near)] && !listed_[at(cable.far)])
        out_.unseen.push_back(static_cast<Index>(c));
    }
    std::sort(out_.unseen.begin(), out_.unseen.end());
    out_.rates_unread =
        std::none_of(seen_.links.begin(), seen_.links.end(), [](const SeenLink& l) { return l.rate.value > 0; });
    std::sort(missing_.begin(), missing_.end(), [](const Missing& a, const Missing& b) { return a.cable < b.cable; });
    find_moves();
    pair_swaps();
    recognise();
    return std::move(out_);
  }

 private:
  void devices() {
    there_.assign(plan_.devices.size(), false);
    listed_.assign(plan_.devices.size(), false);
    std::vector<bool> linked(seen_.devices.size(), false);
    for (const SeenLink& l : seen_.links) linked[at(l.a)] = linked[at(l.b)] = true;
    for (std::size_t d = 0; d < seen_.devices.size(); ++d) {
      const Index p = match_.planned[d];
      if (p >= 0) {
        there_[at(p)] = true;
        if (seen_.devices[d].listed) listed_[at(p)] = true;
      }
      if (p < 0 && !seen_.devices[d].aggregation && linked[d]) out_.unplanned.push_back(static_cast<Index>(d));
    }
    // What nobody looks at is not missing.
    std::vector<bool> looked_at(plan_.devices.size(), false);
    for (const PlannedCable& c : plan_.cables)
      if (listed_[at(c.near)] || listed_[at(c.far)]) looked_at[at(c.near)] = looked_at[at(c.far)] = true;
    for (std::size_t p = 0; p < there_.size(); ++p)
      if (!there_[p] && looked_at[p]) out_.absent.push_back(static_cast<Index>(p));
  }

  Place port_place(Index cable) const { return static_cast<Place>(plan_.devices.size()) + cable; }
  bool of_member(const Edge& e) const { return e.b >= static_cast<Place>(plan_.devices.size()); }
  Place near_place(Index cable) const {
    const Index near = plan_.cables[at(cable)].near;
    return plan_.devices[at(near)].tier < 0 ? port_place(cable) : near;
  }

  void read_plan() {
    for (std::size_t c = 0; c < plan_.cables.size(); ++c) {
      const PlannedCable& cable = plan_.cables[c];
      if (there_[at(cable.near)] && there_[at(cable.far)])
        planned_[edge(near_place(static_cast<Index>(c)), cable.far)].push_back(static_cast<Index>(c));
    }
    for (auto& [e, cables] : planned_) std::reverse(cables.begin(), cables.end());  // taken from the back
  }

  void read_links() {
    // Those in planned ports first, so that of too many between two switches another one is the extra one.
    std::set<std::pair<Index, std::int64_t>> planned_ports;
    for (const PlannedCable& c : plan_.cables) {
      planned_ports.emplace(c.far, c.far_port);
      if (plan_.devices[at(c.near)].tier >= 0) planned_ports.emplace(c.near, c.near_port);
    }
    std::vector<std::size_t> order(seen_.links.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_partition(order.begin(), order.end(), [&](std::size_t l) {
      const SeenLink& k = seen_.links[l];
      return planned_ports.contains({match_.planned[at(k.a)], k.a_port}) ||
             (seen_.devices[at(k.b)].is_switch && planned_ports.contains({match_.planned[at(k.b)], k.b_port}));
    });
    for (const std::size_t l : order) {
      const SeenLink& link = seen_.links[l];
      const Index a = match_.planned[at(link.a)], port = match_.port[l];
      const bool between = seen_.devices[at(link.b)].is_switch;
      if (a < 0 || (between ? match_.planned[at(link.b)] : port) < 0) {
        if (a >= 0 && !between && match_.planned[at(link.b)] >= 0) out_.extra.push_back(static_cast<Index>(l));
        continue;
      }
      const Edge e = edge(a, between ? match_.planned[at(link.b)] : port_place(port));
      const auto found = planned_.find(e);
      if (found == planned_.end() || found->second.empty()) {
        wrong_.push_back({static_cast<Index>(l), e});
        continue;
      }
      ++(match_.guessed[at(link.b)] ? out_.unjudged : out_.right);
      slow(static_cast<Index>(l), found->second.back());
      found->second.pop_back();
    }
  }

  void slow(Index link, Index cable) {
    const BitsPerSecond planned = plan_.cables[at(cable)].rate, seen = seen_.links[at(link)].rate;
    if (seen.value > 0 && seen.value < 0.99 * planned.value) out_.slow.push_back({link, cable});
  }

  void find_moves() {
    out_.too_many = wrong_.size() > kMostWrong || missing_.size() > kMostWrong;
    if (out_.too_many) {
      for (const Wrong& w : wrong_) out_.extra.push_back(w.link);
      for (const Missing& m : missing_) out_.missing.push_back(m.cable);
      return;
    }
    const Matching matching(wrong_, missing_, static_cast<Place>(plan_.devices.size()));
    std::vector<bool> made(missing_.size(), false);
    std::vector<Index> left;
    for (std::size_t w = 0; w < wrong_.size(); ++w) {
      const Index m = matching.of(w);
      if (m < 0) {
        left.push_back(static_cast<Index>(w));
        continue;
      }
      made[at(m)] = true;
      const Index cable = missing_[at(m)].cable;
      const Place near = near_place(cable);
      const Edge& e = wrong_[w].e;
      const bool keeps_near = e.a == near || e.b == near;
      out_.moves.push_back({wrong_[w].link, cable, !keeps_near, keeps_near, -1});
      slow(wrong_[w].link, cable);
    }
    for (const Index w : left) {
      std::size_t m = 0;
      while (m < made.size() && (made[m] || of_member(missing_[m].e) != of_member(wrong_[at(w)].e))) ++m;
      if (m == made.size()) {
        out_.extra.push_back(wrong_[at(w)].link);
        continue;
      }
      made[m] = true;
      out_.moves.push_back({wrong_[at(w)].link, missing_[m].cable, true, true, -1});
    }
    for (std::size_t i = 0; i < made.size(); ++i)
      if (!made[i]) out_.missing.push_back(missing_[i].cable);
    std::sort(out_.moves.begin(), out_.moves.end(),
              [](const CableMove& a, const CableMove& b) { return a.link < b.link; });
    std::sort(out_.extra.begin(), out_.extra.end());
  }

  void recognise() {
    const std::int64_t links = std::count_if(seen_.links.begin(), seen_.links.end(), [&](const SeenLink& l) {
      return !seen_.devices[at(l.a)].aggregation && !seen_.devices[at(l.b)].aggregation;
    });
    const std::int64_t met = out_.right + out_.unjudged + static_cast<std::int64_t>(out_.moves.size());
    out_.unrecognised = 10 * met < std::min(out_.planned_cables, links);
  }

  // Two cables that take each other's place at one end.
  void pair_swaps() {
    std::map<std::pair<Place, Place>, std::vector<std::size_t>> open;  // from, to
    for (std::size_t i = 0; i < out_.moves.size(); ++i) {
      CableMove& move = out_.moves[i];
      if (move.near == move.far) continue;
      const Place to = move.near ? near_place(move.cable) : plan_.cables[at(move.cable)].far;
      const Place kept = move.near ? plan_.cables[at(move.cable)].far : near_place(move.cable);
      const SeenLink& link = seen_.links[at(move.link)];
      const Place a = match_.planned[at(link.a)];
      const Place b =
          seen_.devices[at(link.b)].is_switch ? match_.planned[at(link.b)] : port_place(match_.port[at(move.link)]);
      const Place from = a == kept ? b : a;
      auto& waiting = open[{to, from}];
      if (waiting.empty()) {
        open[{from, to}].push_back(i);
        continue;
      }
      CableMove& other = out_.moves[waiting.back()];
      waiting.pop_back();
      other.swapped_with = static_cast<Index>(i);
      move.swapped_with = static_cast<Index>(&other - out_.moves.data());
    }
  }

  const SeenFabric& seen_;
  const PlannedFabric& plan_;
  const FabricMatch& match_;
  FabricDifferences out_;
  std::vector<bool> there_, listed_;            // by planned device
  std::map<Edge, std::vector<Index>> planned_;  // cables that no link was found for yet
  std::vector<Wrong> wrong_;
  std::vector<Missing> missing_;
};

}  // namespace

std::int64_t FabricDifferences::ends_to_move() const {
  std::int64_t out = 0;
  for (const CableMove& m : moves) out += (m.near ? 1 : 0) + (m.far ? 1 : 0);
  return out;
}

FabricDifferences compare_fabric(const SeenFabric& seen, const PlannedFabric& plan, const FabricMatch& match) {
  return Comparer(seen, plan, match).compare();
}

}  // namespace clusterc
