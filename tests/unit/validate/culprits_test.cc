// The search for culprits on small networks with simulated faults and noise.
#include <gtest/gtest.h>

#include "unit/model/examples.h"
#include "unit/validate/simulated_pairs.h"
#include "validate/culprits/named.h"
#include "validate/culprits/pair_records.h"
#include "validate/culprits/peers.h"

namespace clusterc::test {
namespace {

// Every culprit, once the search is over.
Decoded search_all(const PairFabric& f, SimulatedPairs& network, std::size_t* rounds = nullptr) {
  CulpritSearch search(f);
  for (PairRound round = search.next(); !round.empty(); round = search.next()) search.take(network.measure(round));
  if (rounds) *rounds = search.rounds();
  return search.result();
}

TEST(PairSchedule, NobodyTwiceInARoundAndNoPairTwice) {
  for (const auto& [units, per_leaf] : {std::pair{1, 8}, {2, 4}, {3, 5}, {12, 8}, {4, 1}}) {
    const PairFabric f = small_fabric(units, per_leaf, 2, true);
    std::set<NodePair> met;
    for (const PairRound& round : pair_schedule(f, 4)) {
      std::set<std::int32_t> seen;
      for (const auto& [a, b] : round) {
        EXPECT_LT(a, b);
        EXPECT_TRUE(seen.insert(a).second);
        EXPECT_TRUE(seen.insert(b).second);
        EXPECT_TRUE(met.insert({a, b}).second) << units << " x " << per_leaf << ": " << a << "-" << b << " again";
      }
    }
  }
}

TEST(PairSchedule, WithinALeafFirstThenAcross) {
  const PairFabric f = small_fabric(2, 2, 1, false);
  const std::vector<PairRound> rounds = pair_schedule(f, 3);
  ASSERT_EQ(rounds.size(), 3u);
  EXPECT_EQ(rounds[0], (PairRound{{0, 1}, {2, 3}}));
  EXPECT_EQ(rounds[1], (PairRound{{0, 2}, {1, 3}}));
  EXPECT_EQ(rounds[2], (PairRound{{0, 3}, {1, 2}}));
}

TEST(PairSchedule, EveryLinkIsTakenAndNoneTwice) {
  const PairFabric f = small_fabric(12, 8, 2, true);
  const std::vector<PairRound> rounds = pair_schedule(f, 4);
  const LinkCoverage cover = link_coverage(f, rounds);
  EXPECT_EQ(cover.planned, 2u * 12 * 2 * 8);  // both directions of 8 uplinks of 24 leaves
  EXPECT_EQ(cover.covered, cover.planned);
  std::vector<std::int32_t> links;
  for (const PairRound& round : rounds) {
    std::set<std::int32_t> taken;
    for (const auto& [a, b] : round)
      for (const PairPath& p : {PairPath{a, b, 0}, PairPath{b, a, 0}}) {
        f.route(p, links);
        for (const std::int32_t link : links) EXPECT_TRUE(taken.insert(link).second);
      }
  }
}

TEST(Culprits, HealthyNetworksAccuseNobody) {
  for (const bool routed : {true, false})
    for (unsigned seed = 1; seed <= 10; ++seed) {
      const PairFabric f = small_fabric(16, 8, 4, routed);
      SimulatedPairs network(f, seed);
      const Decoded found = search_all(f, network);
      EXPECT_TRUE(found.culprits.empty()) << seed;
      EXPECT_NEAR(found.median[1], kRateAcross, 0.003 * kRateAcross);
    }
}

TEST(Culprits, EachKindOfFaultIsNamedAndNobodyElse) {
  for (const FaultKind kind : {FaultKind::port_both, FaultKind::port_one_way, FaultKind::port_dead,
                               FaultKind::node_slow, FaultKind::node_dead, FaultKind::link, FaultKind::rack_rail})
    for (unsigned seed = 1; seed <= 5; ++seed) {
      const PairFabric f = small_fabric(16, 8, 4, true);
      SimulatedPairs network(f, seed);
      while (!network.add(kind)) {
      }
      std::size_t rounds = 0;
      const Decoded found = search_all(f, network, &rounds);
      const SimulatedPairs::Score score = network.score(found.culprits);
      EXPECT_EQ(score.missed, 0u) << static_cast<int>(kind) << ", seed " << seed;
      EXPECT_EQ(score.wrong, 0u) << static_cast<int>(kind) << ", seed " << seed;
      EXPECT_LE(rounds, 6u);
      for (const Found& c : found.culprits) {
        EXPECT_GE(c.partners, 3) << "one that raised the suspicion and two others";
        EXPECT_GT(c.confidence, 0.99);
        EXPECT_GE(c.evidence.size(), 3u);
      }
    }
}

TEST(Culprits, ASlowUplinkShowsInTheMedianOfItsLeaf) {
  const PairFabric f = small_fabric(16, 16, 2, false);
  SimulatedPairs network(f, 3);
  while (!network.add(FaultKind::link)) {
  }
  const Decoded found = search_all(f, network);
  ASSERT_EQ(found.culprits.size(), 1u);
  EXPECT_EQ(found.culprits[0].kind, CulpritKind::uplinks);
  EXPECT_EQ(network.score(found.culprits).missed, 0u);
}

TEST(Culprits, OneGoodMeasurementClearsAPort) {
  // 0-1 slow both ways, 0-2 good: 1 is the suspect, 0 is not.
  const PairFabric f = small_fabric(1, 8, 1, false);
  std::vector<PairValue> values;
  const auto add = [&](std::int32_t a, std::int32_t b, double v) {
    values.push_back({.path = {a, b, 0}, .value = v});
    values.push_back({.path = {b, a, 0}, .value = v});
  };
  add(0, 1, 10), add(0, 2, 100), add(3, 4, 100), add(5, 6, 100), add(2, 3, 100), add(1, 4, 10), add(1, 6, 10);
  const Decoded found = decode(f, values);
  ASSERT_EQ(found.culprits.size(), 1u);
  EXPECT_EQ(found.culprits[0].node, 1);
  EXPECT_EQ(found.culprits[0].partners, 3);
  EXPECT_TRUE(found.culprits[0].sends && found.culprits[0].receives);
  EXPECT_DOUBLE_EQ(found.culprits[0].value, 10);
  EXPECT_DOUBLE_EQ(found.culprits[0].peers, 100);
}

TEST(Culprits, WithTwoPartnersItStaysOpen) {
  const PairFabric f = small_fabric(1, 8, 1, false);
  std::vector<PairValue> values;
  for (const auto& [a, b, v] : {std::tuple{0, 1, 10.0}, {2, 3, 100.0}, {4, 5, 100.0}, {0, 2, 100.0}, {1, 3, 10.0}})
    values.push_back({.path = {a, b, 0}, .value = v}), values.push_back({.path = {b, a, 0}, .value = v});
  const Decoded found = decode(f, values);
  EXPECT_TRUE(found.culprits.empty());
  ASSERT_EQ(found.open.size(), 1u);
  EXPECT_EQ(found.open[0].node, 1);
}

TEST(Culprits, WhereAllIsSlowNoPartIsAccused) {
  const PairFabric f = small_fabric(4, 4, 1, false);
  SimulatedPairs network(f, 1);
  CulpritSearch search(f, {.base = 4, .most = 6, .decode = {.floor = 2 * kRate}});
  for (PairRound round = search.next(); !round.empty(); round = search.next()) search.take(network.measure(round));
  EXPECT_TRUE(search.result().all_slow);
  EXPECT_EQ(search.rounds(), 4u) << "no round confirms what is everybody's";
}

TEST(Culprits, OnePercentOfFaultsOnAThousandPorts) {
  std::size_t missed = 0, wrong = 0;
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const PairFabric f = small_fabric(32, 8, 4, true);
    SimulatedPairs network(f, seed);
    network.add_faults(3);
    std::size_t rounds = 0;
    const SimulatedPairs::Score score = network.score(search_all(f, network, &rounds).culprits);
    missed += score.missed, wrong += score.wrong;
    EXPECT_LE(rounds, 6u);
  }
  EXPECT_EQ(missed, 0u);
  EXPECT_EQ(wrong, 0u);
}

TEST(Culprits, RecordsOfTheFabricValidatorBecomeValues) {
  const PairFabric f = small_fabric(1, 4, 2, false);
  const auto write = [](const char* device, double value) {
    return R"({"record":"measurement","metric":"rdma.write","unit":"B/s","host":"h","device":{"label":")" +
           std::string(device) + R"(","backend":"host"},"value":)" + std::to_string(value) +
           R"(,"quantiles":{"p05":1,"p95":2},"count":5,"warmup":0,"size_bytes":65536,"wrong":0,"checked":1,"data_verified":true,"busy":false,"better":"higher"})";
  };
  const std::vector<std::string> hosts = {"n0", "n1", "n2", "n3"};
  const std::vector<TaskOutput> tasks = {{.node = "n0", .lines = {write("link0", 10), write("link1", 11)}},
                                         {.node = "n1", .lines = {write("link0", 20), write("link7", 99)}}};
  const std::vector<PairValue> values = pair_values(f, hosts, tasks);
  ASSERT_EQ(values.size(), 4u) << "the pair n2, n3 was not started";
  EXPECT_EQ(values[0].path.from, 0);
  EXPECT_EQ(values[0].path.to, 1);
  EXPECT_DOUBLE_EQ(values[0].value, 10);
  EXPECT_DOUBLE_EQ(values[1].value, 11);
  EXPECT_DOUBLE_EQ(values[2].value, 20);
  EXPECT_DOUBLE_EQ(values[3].value, 0) << "nothing came through on rail 1 of n1";
  EXPECT_EQ(hosts_of(f, {{0, 2}, {1, 3}}), (std::vector<std::string>{"n0", "n2", "n1", "n3"}));
}

TEST(Culprits, ANodeThatIsSlowAloneIsTheCulpritInPlaceOfItsPort) {
  std::vector<Found> culprits(2);
  culprits[0].node = 3;
  culprits[1].node = 5;
  const std::vector<NodeValue> memory = {{0, 100}, {1, 101}, {2, 99}, {3, 40}, {4, 100}, {5, 100}, {6, 0}};
  const std::vector<PeerOutlier> outliers = slow_among_peers(memory);
  ASSERT_EQ(outliers.size(), 2u);
  EXPECT_EQ(outliers[0].node, 3);
  EXPECT_DOUBLE_EQ(outliers[0].peers, 100);
  EXPECT_EQ(outliers[1].node, 6) << "it did not answer";
  blame_nodes(culprits, outliers);
  ASSERT_EQ(culprits.size(), 3u);
  EXPECT_EQ(culprits[0].node, 5);
  EXPECT_EQ(culprits[0].kind, CulpritKind::port);
  EXPECT_EQ(culprits[1].node, 3);
  EXPECT_EQ(culprits[1].kind, CulpritKind::node);
  EXPECT_TRUE(slow_among_peers(std::vector<NodeValue>{{0, 100}, {1, 100}, {2, 1}}).empty()) << "three are too few";
}

// The planned SuperPOD: 127 nodes, 8 rails, 32 leaves, InfiniBand.
TEST(Culprits, APlannedFabricNamesCableSwitchPortAndPlace) {
  Resolved resolved;
  resolved.example("superpod");
  ASSERT_TRUE(resolved.cluster);
  const Plan plan = plan_cluster(*resolved.cluster);
  std::vector<std::int64_t> members(127);
  for (std::size_t i = 0; i < members.size(); ++i) members[i] = static_cast<std::int64_t>(i);
  const PairFabric f = pair_fabric(plan, 0, members);
  ASSERT_EQ(f.nodes, 127);
  ASSERT_EQ(f.rails, 8);
  ASSERT_TRUE(f.route) << "InfiniBand routes by destination";
  SimulatedPairs network(f, 7);
  while (!network.add(FaultKind::port_both)) {
  }
  const Fault& fault = network.faults().front();
  const Decoded found = search_all(f, network);
  ASSERT_EQ(found.culprits.size(), 1u);
  const NamingHelp help = {
      .serial = [](const std::string& node) { return "serial of " + node; },
      .command = [](const std::string& a, const std::string& b,
                    const std::string& port) { return "clusterc-fabric --hosts " + a + "," + b + " --port " + port; }};
  const NamedCulprit named = name_culprits(plan, 0, members, f, found.culprits, help).front();
  const std::string node = f.node_name(fault.node), rail = std::to_string(fault.rail + 1);
  EXPECT_EQ(named.node, node);
  EXPECT_EQ(named.what, "rail " + rail + " of " + node + ": adapter, cable or switch port");
  EXPECT_EQ(named.adapter, "compute/" + rail);
  EXPECT_EQ(named.object, "node/gpu/" + node.substr(3));
  // Unit and rail of the leaf: 32 nodes to a unit.
  EXPECT_EQ(named.switch_port.find("port/leaf/compute/u" + std::to_string(fault.node / 32 + 1) + "/r" + rail + "/"), 0u)
      << named.switch_port;
  EXPECT_EQ(named.cable.find("cable/"), 0u);
  EXPECT_EQ(named.rack, f.rack_name(fault.rack));
  EXPECT_GT(named.unit, 0);
  EXPECT_EQ(named.serial, "serial of " + node);
  EXPECT_EQ(named.evidence.size(), found.culprits[0].evidence.size());
  EXPECT_NE(named.command.find(node), std::string::npos);
  EXPECT_NE(named.command.find("--port compute/" + rail), std::string::npos) << named.command;
}

}  // namespace
}  // namespace clusterc::test
