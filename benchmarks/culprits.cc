// How many rounds it takes to name what is slow: the search for culprits (src/validate/culprits) on the planned fabric
// of a spec, with simulated faults and noise, beside other ways. benchmarks/culprits.py runs it and draws the result.
//
// usage: culprit_simulation SPEC GROUP SHARE_OF_FAULTS FIRST_SEED SEEDS
// Prints a JSON line for each seed.
#include <fmt/format.h>

#include <chrono>
#include <fstream>
#include <sstream>

#include "model/cluster.h"
#include "spec/sections.h"
#include "unit/validate/simulated_pairs.h"
#include "yaml/document.h"

namespace {

using namespace clusterc;
using test::SimulatedPairs;

constexpr double kBand = 0.95;

struct Bisection {
  std::size_t rounds = 0, named = 0, wrong = 0;
};

// Halves of a group that is slow run a collective each, all of one depth at once. A collective runs at the rate of its
// slowest member. Two nodes cannot be told apart: both are accused.
Bisection bisect(SimulatedPairs& network, std::int32_t nodes) {
  Bisection out;
  std::vector<std::pair<std::int32_t, std::int32_t>> groups = {{0, nodes}};
  while (!groups.empty()) {
    ++out.rounds;
    std::vector<std::pair<std::int32_t, std::int32_t>> next;
    for (const auto& [first, last] : groups) {
      double rate = 1;
      for (std::int32_t n = first; n < last; ++n) rate = std::min(rate, network.of_node(n));
      if (rate * network.noise() >= kBand) continue;
      if (last - first <= 2) {
        for (std::int32_t n = first; n < last; ++n) (network.of_node(n) < kBand ? out.named : out.wrong)++;
        continue;
      }
      const std::int32_t middle = first + (last - first + 1) / 2;
      next.emplace_back(first, middle);
      next.emplace_back(middle, last);
    }
    groups = std::move(next);
  }
  return out;
}

void simulate(const PairFabric& fabric, std::size_t faults, unsigned seed) {
  SimulatedPairs network(fabric, seed);
  network.add_faults(faults);
  CulpritSearch search(fabric);
  std::string after;
  const auto start = std::chrono::steady_clock::now();
  for (PairRound round = search.next(); !round.empty(); round = search.next()) {
    search.take(network.measure(round));
    const auto score = network.score(search.result().culprits);
    after += fmt::format("{}{}", after.empty() ? "" : ", ", network.faults().size() - score.missed);
  }
  const Decoded result = search.result();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  const auto score = network.score(result.culprits);
  for (const Found& c : result.culprits)
    if (SimulatedPairs::Score one = network.score({c}); one.wrong > 0)
      fmt::print(
          stderr,
          "seed {}: wrong: kind {} node {} rail {} leaf {} rack {} link {} value {:.3g} of {:.3g}, {} partners\n", seed,
          static_cast<int>(c.kind), c.node, c.rail, c.leaf, c.rack, c.link, c.value, c.peers, c.partners);
  for (const test::Fault& f : network.faults())
    if (network.misses(f, result.culprits))
      fmt::print(stderr, "seed {}: missed: kind {} node {} rail {} leaf {} rack {} link {} rate {:.2f}\n", seed,
                 static_cast<int>(f.kind), f.node, f.rail, f.leaf, f.rack, f.link, f.rate);
  const Bisection halves = bisect(network, fabric.nodes);
  std::size_t nodes = 0;
  for (std::int32_t n = 0; n < fabric.nodes; ++n) nodes += network.of_node(n) < kBand;
  fmt::print(
      "{{\"nodes\": {}, \"rails\": {}, \"routed\": {}, \"seed\": {}, \"faults\": {}, \"rounds\": {}, \"pairs\": {}, "
      "\"named_after\": [{}], \"missed\": {}, \"wrong\": {}, \"open\": {}, \"seconds\": {:.2f}, \"bisection\": "
      "{{\"rounds\": {}, \"slow_nodes\": {}, \"named\": {}, \"wrong\": {}}}}}\n",
      fabric.nodes, fabric.rails, fabric.route ? "true" : "false", seed, network.faults().size(), search.rounds(),
      search.tests(), after, score.missed, score.wrong, result.open.size(), took.count(), halves.rounds, nodes,
      halves.named, halves.wrong);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) {
    fmt::print(stderr, "usage: culprit_simulation SPEC GROUP SHARE_OF_FAULTS FIRST_SEED SEEDS\n");
    return 2;
  }
  Sources sources;
  Findings findings;
  Catalog catalog(sources, findings);
  std::ifstream in(argv[1], std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  const FileId file = sources.add(argv[1], text.str());
  const auto document = parse_yaml(sources, file, findings);
  auto spec = document ? read_spec(*document, sources, findings) : std::nullopt;
  const auto cluster = spec ? resolve_cluster(std::move(*spec), catalog, findings) : nullptr;
  const int group = cluster ? cluster->find_node_group(argv[2]) : -1;
  if (group < 0) {
    fmt::print(stderr, "{}: cannot be read, or has no nodes '{}'\n", argv[1], argv[2]);
    return 2;
  }
  const Plan plan = plan_cluster(*cluster);
  std::vector<std::int64_t> members(static_cast<std::size_t>(cluster->nodes[static_cast<std::size_t>(group)].count));
  for (std::size_t i = 0; i < members.size(); ++i) members[i] = static_cast<std::int64_t>(i);
  const PairFabric fabric = pair_fabric(plan, group, members);
  const auto faults = static_cast<std::size_t>(std::llround(std::stod(argv[3]) * fabric.nodes));
  if (fabric.route) {
    const LinkCoverage cover = link_coverage(fabric, pair_schedule(fabric, 4));
    fmt::print("{{\"links\": {}, \"covered\": {}}}\n", cover.planned, cover.covered);
  }
  for (int i = 0; i < std::stoi(argv[5]); ++i) simulate(fabric, faults, static_cast<unsigned>(std::stoi(argv[4]) + i));
}
