#include "validate/culprits/decode.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "base/index.h"
#include "validate/culprits/middle.h"
#include "validate/culprits/uplinks.h"

namespace clusterc {
namespace {

// A leaf, a rack's rail or a node is the culprit where so large a share of its parts are suspects.
constexpr double kMostOf = 0.75;
constexpr std::size_t kFewestOfRack = 3, kFewestOfLeaf = 4, kFewestRails = 2, kEvidence = 8;
// Fewer measurements of a kind are compared with those of all kinds.
constexpr std::size_t kFewestPeers = 6;

class Decoder {
 public:
  Decoder(const PairFabric& f, std::span<const PairValue> values, const DecodeOptions& options)
      : f_(f), values_(values), options_(options), ports_(2 * f.nodes * f.rails) {}
  Decoded run();

 private:
  struct Slow {
    std::size_t value;                // place in values_
    std::vector<std::int32_t> parts;  // suspects on its path
    bool explained = false;
  };

  std::int32_t sends(std::int32_t node, std::int32_t rail) const { return 2 * (node * f_.rails + rail); }
  std::int32_t receives(std::int32_t node, std::int32_t rail) const { return sends(node, rail) + 1; }
  std::int32_t node_of(std::int32_t part) const { return part / 2 / f_.rails; }
  std::int32_t rail_of(std::int32_t part) const { return part / 2 % f_.rails; }
  bool is_port(std::int32_t part) const { return part < ports_; }
  void path(const PairPath&, std::vector<std::int32_t>& parts);

  void compare_with_peers();
  void find_suspects();
  void choose_groups();
  void choose_singles();
  void choose(std::int32_t part, std::size_t found) { chosen_[at(part)] = static_cast<std::int32_t>(found); }
  void try_group(Found found, const std::vector<std::int32_t>& parts, std::size_t fewest);
  void explain();
  void prove();
  void prove_one(std::size_t found, const std::vector<std::size_t>& slow);
  void finish();

  const PairFabric& f_;
  std::span<const PairValue> values_;
  const DecodeOptions& options_;
  std::int32_t ports_;
  std::vector<std::int32_t> links_;  // scratch
  std::vector<double> ratio_;        // by value
  std::vector<float> best_;          // by part; below 0: no measurement
  std::vector<bool> suspect_;        // by part
  std::vector<Slow> slow_;
  std::vector<std::vector<std::size_t>> slow_of_;  // by part: places in slow_, of suspects
  std::vector<std::int32_t> chosen_;               // by part: place in found_; -1
  std::vector<Found> found_;
  std::vector<std::vector<std::int32_t>> parts_of_;  // by found
  Decoded out_;
};

void Decoder::path(const PairPath& p, std::vector<std::int32_t>& parts) {
  parts.assign({sends(p.from, p.rail), receives(p.to, p.rail)});
  if (!f_.route) return;
  f_.route(p, links_);
  for (const std::int32_t link : links_) parts.push_back(ports_ + link);
}

void Decoder::compare_with_peers() {
  std::vector<double> all, of[3];
  for (const PairValue& v : values_)
    if (v.value > 0) {
      all.push_back(v.value);
      of[f_.hops(v.path)].push_back(v.value);
    }
  for (int hops = 0; hops < 3; ++hops) {
    std::vector<double>& peers = of[hops].size() >= kFewestPeers ? of[hops] : all;
    if (peers.empty()) continue;
    const double median = middle(peers);
    std::vector<double> apart;
    for (const double v : peers) apart.push_back(std::abs(std::log(v / median)));
    // 1.4826 makes the median absolute deviation of a normal distribution its standard deviation.
    const double sigma = 1.4826 * middle(apart),
                 band = std::min(options_.at_most, std::max(options_.band, options_.sigmas * sigma));
    out_.median[hops] = median;
    out_.sigma[hops] = sigma;
    out_.limit[hops] = median * (1 - band);
    if (options_.floor) {
      out_.all_slow |= !of[hops].empty() && median < *options_.floor;
      out_.limit[hops] = std::max(out_.limit[hops], std::min(*options_.floor, median));
    }
  }
  ratio_.reserve(values_.size());
  for (const PairValue& v : values_) {
    const double median = out_.median[f_.hops(v.path)];
    ratio_.push_back(median > 0 ? v.value / median : 0);
  }
}

// Good beats slow: one measurement that is fast enough clears all on its path.
void Decoder::find_suspects() {
  const auto parts = at(ports_ + f_.links);
  best_.assign(parts, -1);
  std::vector<bool> good(parts);
  std::vector<std::int32_t> on_path;
  std::vector<std::size_t> slow;
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const bool is_slow = values_[i].value < out_.limit[f_.hops(values_[i].path)] || values_[i].value <= 0;
    if (is_slow) slow.push_back(i);
    path(values_[i].path, on_path);
    for (const std::int32_t part : on_path) {
      best_[at(part)] = std::max(best_[at(part)], static_cast<float>(ratio_[i]));
      if (!is_slow) good[at(part)] = true;
    }
  }
  suspect_.assign(parts, false);
  slow_of_.resize(parts);
  for (const std::size_t i : slow) {
    path(values_[i].path, on_path);
    Slow one{.value = i, .parts = {}};
    for (const std::int32_t part : on_path)
      if (!good[at(part)]) {
        suspect_[at(part)] = true;
        one.parts.push_back(part);
        slow_of_[at(part)].push_back(slow_.size());
      }
    slow_.push_back(std::move(one));
  }
  out_.measurements = static_cast<std::int64_t>(values_.size());
  out_.slow = static_cast<std::int64_t>(slow.size());
  chosen_.assign(parts, -1);
}

void Decoder::try_group(Found found, const std::vector<std::int32_t>& parts, std::size_t fewest) {
  std::vector<std::int32_t> mine;
  std::set<std::int32_t> among;  // nodes; of one node its rails
  std::size_t tested = 0;
  for (const std::int32_t part : parts) {
    if (chosen_[at(part)] >= 0 || best_[at(part)] < 0) continue;
    ++tested;
    among.insert(found.kind == CulpritKind::node ? rail_of(part) : node_of(part));
    if (suspect_[at(part)]) mine.push_back(part);
  }
  if (among.size() < fewest || static_cast<double>(mine.size()) < kMostOf * static_cast<double>(tested)) return;
  for (const std::int32_t part : mine) choose(part, found_.size());
  std::set<std::int32_t> members;
  for (const std::int32_t part : mine) members.insert(part / 2);
  found.members = static_cast<std::int32_t>(members.size());
  found_.push_back(std::move(found));
  parts_of_.push_back(std::move(mine));
}

// What is largest comes first: a slow leaf makes its nodes slow where all their rails end on it.
void Decoder::choose_groups() {
  const auto group = [](CulpritKind kind, std::int32_t node) {
    Found found;
    found.kind = kind;
    found.node = node;
    return found;
  };
  std::map<std::int32_t, std::vector<std::int32_t>> by_leaf;
  std::map<std::pair<std::int32_t, std::int32_t>, std::vector<std::int32_t>> by_rack;
  std::vector<std::vector<std::int32_t>> by_node(at(f_.nodes));
  std::set<std::int32_t> touched;  // leaves with a suspect: of the others nothing need be looked at
  for (std::int32_t part = 0; part < ports_; ++part)
    if (suspect_[at(part)]) touched.insert(f_.leaf_of(node_of(part), rail_of(part)));
  for (std::int32_t part = 0; part < ports_; ++part) {
    const std::int32_t node = node_of(part), leaf = f_.leaf_of(node, rail_of(part));
    if (!touched.contains(leaf)) continue;
    by_leaf[leaf].push_back(part);
    if (f_.rack[at(node)] >= 0) by_rack[{f_.rack[at(node)], leaf}].push_back(part);
  }
  for (std::int32_t part = 0; part < ports_; ++part) by_node[at(node_of(part))].push_back(part);
  for (const auto& [leaf, parts] : by_leaf) {
    Found found = group(CulpritKind::leaf, -1);
    found.leaf = leaf;
    found.rail = rail_of(parts.front());
    try_group(std::move(found), parts, kFewestOfLeaf);
  }
  for (std::int32_t node = 0; node < f_.nodes; ++node)
    try_group(group(CulpritKind::node, node), by_node[at(node)], kFewestRails);
  for (const auto& [key, parts] : by_rack) {
    Found found = group(CulpritKind::rack_rail, -1);
    std::tie(found.rack, found.leaf) = key;
    found.rail = rail_of(parts.front());
    try_group(std::move(found), parts, kFewestOfRack);
  }
}

void Decoder::explain() {
  for (Slow& s : slow_)
    s.explained = std::ranges::any_of(s.parts, [&](std::int32_t part) { return chosen_[at(part)] >= 0; });
}

// Suspects that a slow measurement has alone; then, of what is left, who explains most.
void Decoder::choose_singles() {
  const auto take = [&](std::int32_t part, bool ambiguous) {
    Found found;
    found.ambiguous = ambiguous;
    if (is_port(part)) {
      found.node = node_of(part);
      found.rail = rail_of(part);
      // The other direction of the same port, or of the same cable, is the same culprit.
      const std::int32_t other = part ^ 1;
      if (chosen_[at(other)] >= 0 && found_[at(chosen_[at(other)])].kind == CulpritKind::port) {
        parts_of_[at(chosen_[at(other)])].push_back(part);
        return choose(part, at(chosen_[at(other)]));
      }
    } else {
      found.kind = CulpritKind::link;
      found.link = part - ports_;
      const std::int32_t other = ports_ + (found.link ^ 1);
      if (chosen_[at(other)] >= 0) {
        parts_of_[at(chosen_[at(other)])].push_back(part);
        return choose(part, at(chosen_[at(other)]));
      }
    }
    choose(part, found_.size());
    found_.push_back(found);
    parts_of_.push_back({part});
  };
  explain();
  std::set<std::int32_t> alone;
  for (const Slow& s : slow_)
    if (!s.explained && s.parts.size() == 1) alone.insert(s.parts.front());
  for (const std::int32_t part : alone) take(part, false);
  for (;;) {
    explain();
    std::map<std::int32_t, std::int64_t> explains;  // ports before links: they come first
    for (const Slow& s : slow_)
      if (!s.explained)
        for (const std::int32_t part : s.parts) ++explains[part];
    const auto most = std::ranges::max_element(explains, {}, [](const auto& entry) { return entry.second; });
    if (most == explains.end()) return;
    take(most->first, true);
  }
}

void Decoder::prove_one(std::size_t number, const std::vector<std::size_t>& slow) {
  Found& found = found_[number];
  std::set<std::int64_t> partners;
  std::vector<double> values, peers;
  for (const std::size_t i : slow) {
    const PairPath& p = values_[slow_[i].value].path;
    // What another culprit explains as well proves nothing.
    if (std::ranges::any_of(slow_[i].parts, [&](std::int32_t part) {
          return chosen_[at(part)] >= 0 && at(chosen_[at(part)]) != number;
        }))
      continue;
    const bool from = chosen_[at(sends(p.from, p.rail))] == static_cast<std::int32_t>(number),
               to = chosen_[at(receives(p.to, p.rail))] == static_cast<std::int32_t>(number);
    if (from && to) continue;  // both ends belong to it
    const std::int64_t partner = found.kind == CulpritKind::link ? std::int64_t{p.from} * f_.nodes + p.to
                                 : to                            ? p.from
                                                                 : p.to;
    const double value = values_[slow_[i].value].value;
    values.push_back(value);
    peers.push_back(out_.median[f_.hops(p)]);
    if (partners.insert(partner).second && found.evidence.size() < kEvidence)
      found.evidence.push_back(values_[slow_[i].value]);
  }
  found.partners = found.ambiguous ? 0 : static_cast<std::int32_t>(partners.size());
  if (!values.empty()) {
    found.value = middle(values);
    found.peers = middle(peers);
  }
  found.dead = found.value <= 0;
  if (found.kind == CulpritKind::port)
    for (const std::int32_t part : parts_of_[number]) (part % 2 == 0 ? found.sends : found.receives) = true;
}

void Decoder::prove() {
  for (std::size_t i = 0; i < found_.size(); ++i) {
    std::set<std::size_t> slow;
    for (const std::int32_t part : parts_of_[i]) slow.insert(slow_of_[at(part)].begin(), slow_of_[at(part)].end());
    prove_one(i, {slow.begin(), slow.end()});
  }
}

void Decoder::finish() {
  for (const Slow& s : slow_) out_.unexplained += s.parts.empty();
  const double passing = static_cast<double>(out_.unexplained + 1) / static_cast<double>(out_.measurements + 1),
               parts = static_cast<double>(ports_ + f_.links);
  for (Found& found : found_) {
    found.confidence = std::clamp(1 - parts * std::pow(passing, found.partners), 0.0, 0.9999);
    (found.partners >= options_.partners ? out_.culprits : out_.open).push_back(found);
  }
  out_.good.assign(at(f_.nodes), true);
  out_.suspect = suspect_;
  for (std::int32_t part = 0; part < ports_; ++part) {
    if (!suspect_[at(part)]) continue;
    out_.good[at(node_of(part))] = false;
    if (chosen_[at(part)] < 0)
      out_.untested.push_back(part % 2 == 0 ? PairPath{node_of(part), -1, rail_of(part)}
                                            : PairPath{-1, node_of(part), rail_of(part)});
  }
  for (std::int32_t part = ports_; part < ports_ + f_.links; ++part)
    if (suspect_[at(part)] && chosen_[at(part)] < 0)
      out_.hidden_links.push_back(values_[slow_[slow_of_[at(part)].front()].value].path);
  if (!f_.route)
    for (Found& found : slow_uplinks(f_, values_, ratio_, suspect_)) {
      found.peers = out_.median[1] > 0 ? out_.median[1] : out_.median[2];
      found.value *= found.peers;
      out_.culprits.push_back(std::move(found));
    }
}

Decoded Decoder::run() {
  compare_with_peers();
  if (out_.median[0] <= 0 && out_.median[1] <= 0 && out_.median[2] <= 0) {
    out_.good.assign(at(f_.nodes), false);
    return std::move(out_);
  }
  find_suspects();
  choose_groups();
  choose_singles();
  prove();
  finish();
  return std::move(out_);
}

}  // namespace

Decoded decode(const PairFabric& f, std::span<const PairValue> values, const DecodeOptions& options) {
  return Decoder(f, values, options).run();
}

}  // namespace clusterc
