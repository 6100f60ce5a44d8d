#include "validate/rounds.h"

#include <algorithm>
#include <map>

namespace clusterc {

std::vector<Round> rounds(std::size_t nodes, std::size_t most) {
  std::vector<Round> out;
  if (nodes < 2) return out;
  const std::size_t seats = nodes + nodes % 2,
                    turns = seats - 1;  // of an odd number, whoever meets the empty seat rests
  for (std::size_t turn = 0; turn < std::min(turns, most); ++turn) {
    Round round;
    const auto add = [&](std::size_t a, std::size_t b) {
      if (a < nodes && b < nodes) round.pairs.emplace_back(std::min(a, b), std::max(a, b));
    };
    add(turn % turns, seats - 1);
    for (std::size_t i = 1; i < seats / 2; ++i) add((turn + i) % turns, (turn + turns - i) % turns);
    std::sort(round.pairs.begin(), round.pairs.end());
    out.push_back(std::move(round));
  }
  return out;
}

std::vector<Round> neighbour_rounds(std::size_t nodes) {
  std::vector<Round> out;
  for (const std::size_t begin : {std::size_t{0}, std::size_t{1}}) {
    Round round;
    for (std::size_t i = begin; i + 1 < nodes; i += 2) round.pairs.emplace_back(i, i + 1);
    if (!round.pairs.empty()) out.push_back(std::move(round));
  }
  return out;
}

std::set<std::string> blamed_nodes(const std::vector<PairOutcome>& outcomes) {
  std::map<std::string, bool> has_good_pair;
  for (const PairOutcome& pair : outcomes)
    for (const std::string& node : {pair.first, pair.second}) has_good_pair[node] |= pair.good;
  std::set<std::string> out;
  for (const auto& [node, good] : has_good_pair)
    if (!good) out.insert(node);
  return out;
}

}  // namespace clusterc
