// The search for culprits as a dialogue of lines, so that a script can measure: tests/soak/culprit_hosts.py.
//
// usage: culprit_dialogue LEAVES NODES_PER_LEAF
// Prints `round A-B C-D …`; reads `FROM TO VALUE` for each transfer, then `.`. When the search is over, prints
// `nodes`; reads `NODE VALUE`, then `.`, twice for each figure that nodes measure alone, and an empty line. Then it
// prints `culprit node N` or `culprit port N` for each, `open …` for what it could not confirm, and ends.
#include <fmt/format.h>

#include <iostream>
#include <sstream>
#include <string>

#include "unit/validate/simulated_pairs.h"
#include "validate/culprits/peers.h"

namespace {

using namespace clusterc;

bool read_line(std::istringstream& fields) {
  std::string line;
  if (!std::getline(std::cin, line) || line.empty() || line == ".") return false;
  fields = std::istringstream(line);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const PairFabric fabric = test::small_fabric(std::stoi(argv[1]), std::stoi(argv[2]), 1, false);
  // As many rounds as eight nodes have: four and two, or six and two where all uplinks are judged together.
  CulpritSearch search(fabric, {.base = 4, .most = 6});
  std::istringstream fields;
  for (PairRound round = search.next(); !round.empty(); round = search.next()) {
    std::string line = "round";
    for (const auto& [a, b] : round) line += fmt::format(" {}-{}", a, b);
    std::cout << line << std::endl;
    std::vector<PairValue> values;
    while (read_line(fields)) {
      PairValue v;
      if (fields >> v.path.from >> v.path.to >> v.value) values.push_back(v);
    }
    search.take(std::move(values));
  }
  Decoded result = search.result();
  std::cout << "nodes" << std::endl;
  // Each figure comes twice: who is slow both times is slow.
  while (std::cin.peek() != '\n' && std::cin.peek() != EOF) {
    std::vector<PeerOutlier> slow[2];
    for (std::vector<PeerOutlier>& one : slow) {
      std::vector<NodeValue> values;
      while (read_line(fields)) {
        NodeValue v;
        if (fields >> v.node >> v.value) values.push_back(v);
      }
      one = slow_among_peers(values);
    }
    std::erase_if(slow[0], [&](const PeerOutlier& o) {
      return std::ranges::find(slow[1], o.node, &PeerOutlier::node) == slow[1].end();
    });
    blame_nodes(result.culprits, slow[0]);
  }
  for (const Found& c : result.culprits)
    fmt::print("culprit {} {} {:.4g} of {:.4g}, {} partners\n", c.kind == CulpritKind::node ? "node" : "port", c.node,
               c.value, c.peers, c.partners);
  for (const Found& c : result.open)
    fmt::print("open {} {} {:.4g} of {:.4g}\n", static_cast<int>(c.kind), c.node, c.value, c.peers);
}
