// Who measures with whom in the pair stage: rounds in which every node has at most one partner, so that all pairs of a
// round measure at the same time.
#pragma once
#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace clusterc {

struct Round {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;  // places in the list of nodes; no place twice
};

// The first `most` rounds of a round-robin tournament of `nodes` (the circle method): no pair comes twice. All rounds
// together, n - 1 for an even number of nodes and n for an odd one, have every pair once. Of an odd number one node
// rests in each round, another one each time.
std::vector<Round> rounds(std::size_t nodes, std::size_t most);

// Two rounds of neighbours in the order of the nodes: 0 with 1, 2 with 3 …, then 1 with 2, 3 with 4 …
std::vector<Round> neighbour_rounds(std::size_t nodes);

struct PairOutcome {
  std::string first, second;  // nodes
  bool good = true;           // neither of them had a figure that failed
};
// Nodes that no partner came through with: each pair in which they measured was bad. A node with a good pair is not
// blamed, so of a bad node and its partners only the bad one is named where they had other partners as well.
std::set<std::string> blamed_nodes(const std::vector<PairOutcome>&);

}  // namespace clusterc
