#include "plan/hints.h"

#include <gtest/gtest.h>

#include "spec/network.h"
#include "unit/plan/sample.h"

namespace clusterc {
namespace {
using test::known;

// Those of a few ports too many.
std::vector<std::string> few_of(const std::vector<std::string>& hints) {
  std::vector<std::string> out;
  for (const std::string& h : hints)
    if (h.find("too many for one ") != std::string::npos || h.find("too many for two tiers") != std::string::npos)
      out.push_back(h);
  return out;
}

// Nodes with one port of 100 Gb/s on switches of 64 ports.
std::vector<std::string> all_of_nodes(std::int64_t nodes) {
  test::Sample s;
  s.nodes("n", "n[1-" + std::to_string(nodes) + "]", -1, 1, 1000, 10);
  s.network("lan", s.sn4600c, 100e9, -1);
  s.connect(0, 0, 1);
  return fabric_hints(plan_cluster(*s.cluster), 0);
}

std::vector<std::string> of_nodes(std::int64_t nodes) { return few_of(all_of_nodes(nodes)); }

// 66 ports are 2 too many for 64: leaves of 32 below and 32 above, 3 leaves, 2 spines with 48 of 64 ports in use, 96
// links.
TEST(Hints, AFewPortsTooMany) {
  const auto hints = of_nodes(66);
  ASSERT_EQ(hints.size(), 1U);
  EXPECT_NE(hints[0].find("2 ports too many for one"), std::string::npos) << hints[0];
  EXPECT_NE(hints[0].find("(66 needed, 64 available)"), std::string::npos) << hints[0];
  EXPECT_NE(hints[0].find("the 2 spines and the 96 links"), std::string::npos) << hints[0];
}
TEST(Hints, NothingWhereAllFit) { EXPECT_TRUE(of_nodes(64).empty()); }
// A tenth of 64 is 6.
TEST(Hints, NothingWhereManyMoreAreAsked) {
  EXPECT_EQ(of_nodes(70).size(), 1U);
  EXPECT_TRUE(of_nodes(71).empty());
}

// Two tiers of 64 ports: 64 leaves of 32 ports, 32 spines: 2,048 ports, 96 switches. A tenth of 2,048 is 204.
TEST(Hints, AFewPortsForAThirdTier) {
  const auto hints = of_nodes(2050);
  ASSERT_EQ(hints.size(), 1U);
  EXPECT_NE(hints[0].find(
                "2 ports too many for two tiers (2050 needed, 2048 available): without them, 96 switches instead of"),
            std::string::npos)
      << hints[0];
  EXPECT_EQ(of_nodes(2252).size(), 1U);
  EXPECT_TRUE(of_nodes(2253).empty());
  EXPECT_TRUE(of_nodes(2048).empty());
}

// Nodes with eight rails of 400 Gb/s on switches of 64 ports, in units of so many (0: as many as are best).
std::vector<std::string> all_of_rails(std::int64_t nodes, std::int64_t unit) {
  test::Sample s;
  NodeGroupModel& g = s.nodes("n", "n[1-" + std::to_string(nodes) + "]", -1, 1, 1000, 10);
  if (unit > 0) s.spec_of(g).scalable_unit = known(unit);
  s.network("ib", s.qm9700, 400e9, -1);
  s.network_specs.back()->topology = known(NetworkTopology::rail_optimised);
  s.connect(0, 0, 8);
  return fabric_hints(plan_cluster(*s.cluster), 0);
}

std::vector<std::string> of_rails(std::int64_t nodes, std::int64_t unit) { return few_of(all_of_rails(nodes, unit)); }

// A spine of 64 ports joins 64 leaves, 8 units of 8 rails. Units of 30 nodes: 8 x 30 = 240 nodes, 1,920 ports, 64
// leaves and 30 spines, although a leaf could turn 32 down.
TEST(Hints, AThirdTierCountsWholeUnits) {
  const auto hints = of_rails(260, 30);
  ASSERT_EQ(hints.size(), 1U);
  EXPECT_NE(hints[0].find(
                "160 ports too many for two tiers (2080 needed, 1920 available): without them, 94 switches instead of"),
            std::string::npos)
      << hints[0];
  ASSERT_EQ(of_rails(256, 30).size(), 1U);
  EXPECT_NE(of_rails(256, 30)[0].find("128 ports too many for two tiers (2048 needed, 1920 available)"),
            std::string::npos);
  EXPECT_TRUE(of_rails(240, 30).empty());
  EXPECT_EQ(of_rails(264, 30).size(), 1U);  // 192 ports, a tenth of 1,920
  EXPECT_TRUE(of_rails(265, 30).empty());
}
// Without units of the spec's: 8 x 32 = 256 nodes, 2,048 ports, 64 leaves and 32 spines.
TEST(Hints, AThirdTierOfRails) {
  EXPECT_TRUE(of_rails(256, 0).empty());
  const auto hints = of_rails(257, 0);
  ASSERT_EQ(hints.size(), 1U);
  EXPECT_NE(hints[0].find(
                "8 ports too many for two tiers (2056 needed, 2048 available): without them, 96 switches instead of"),
            std::string::npos)
      << hints[0];
}

// Three leaves of 32 up are 96 links, whatever is plugged in. A tenth of 96 is 9.6.
TEST(Hints, UplinksThatNothingFills) {
  const auto hints = all_of_nodes(71);
  ASSERT_EQ(hints.size(), 1U);
  EXPECT_NE(hints[0].find("25 of the 96 links between leaves and spines are more than 71 end ports need:"),
            std::string::npos)
      << hints[0];
  EXPECT_EQ(all_of_nodes(86).size(), 1U);
  EXPECT_TRUE(all_of_nodes(87).empty());
}
// What is asked counts and not what was wired: to 1.5 to one 38 down and 26 up (1.46); 105 ports need 70 of 78 links
// (72 as wired), 106 need 71. A tenth of 78 is 7.8.
TEST(Hints, UplinksThatNothingFillsAsAsked) {
  const auto of = [](std::int64_t nodes) {
    test::Sample s;
    s.nodes("n", "n[1-" + std::to_string(nodes) + "]", -1, 1, 1000, 10);
    s.network("lan", s.sn4600c, 100e9, -1);
    s.network_spec(0).oversubscription = known(1.5);
    s.connect(0, 0, 1);
    const Plan plan = plan_cluster(*s.cluster);
    EXPECT_EQ(plan.fabrics[0].leaf_spine_cables, 78);
    return fabric_hints(plan, 0).size();
  };
  EXPECT_EQ(of(105), 1U);
  EXPECT_EQ(of(106), 0U);
}
// Units of 7: 15 x 8 rails are 120 leaves, more than a spine has ports: 28 spines and 14 cores. Units of 26: 32 leaves
// with 26 up, 2 to each of 13 spines.
TEST(Hints, UnitsMadeSmall) {
  const auto hints = all_of_rails(100, 7);
  ASSERT_GE(hints.size(), 1U);
  EXPECT_NE(hints[0].find("units of 7 nodes (`scalable_unit`) need 162 switches; without `scalable_unit`, 45"),
            std::string::npos)
      << hints[0];
  EXPECT_TRUE(all_of_rails(96, 32).empty());
}

// 64 nodes of 8 rails: two units of 32, 16 leaves and 8 spines. Four systems with a port on each rail are 68 slots:
// three units, 24 leaves, which share 12 spines with two links each to 24 down and 24 up.
TEST(Hints, StorageOnRails) {
  const auto of = [](std::int64_t systems) {
    test::Sample s;
    s.nodes("n", "n[1-64]", -1, 1, 1000, 10);
    s.network("ib", s.qm9700, 400e9, -1);
    s.network_specs.back()->topology = known(NetworkTopology::rail_optimised);
    s.connect(0, 0, 8);
    if (systems > 0) s.storage("fast", systems, -1), s.connect_storage(0, 0, 8);
    return fabric_hints(plan_cluster(*s.cluster), 0);
  };
  const auto hints = of(4);
  ASSERT_EQ(hints.size(), 1U);
  EXPECT_NE(hints[0].find("with 32 ports of storage, the fabric has 36 switches instead of 24, in units of 24 nodes"),
            std::string::npos)
      << hints[0];
  EXPECT_TRUE(of(0).empty());
}

// 128 nodes on eight rails fill 16 spines of 64 ports: 32 leaves with two links to each. A leaf more has no port there;
// 32 spines with one link from each leaf do.
TEST(Hints, LeavesOfTheirOwnOverFullSpines) {
  test::Sample s;
  s.nodes("gpu", "g[001-128]", -1, 8, 10200, 130);
  s.nodes("login", "l[01-20]", -1, 1, 500, 15);
  s.spec_of(s.cluster->nodes[0]).scalable_unit = known<std::int64_t>(32);
  s.network("compute", s.qm9700, 400e9, -1);
  s.network_spec(0).topology = known(NetworkTopology::rail_optimised);
  OwnLeaves own;
  own.oversubscription = known(4.0);
  s.network_spec(0).leaves.entries.push_back({"service", {}, own});
  s.connect(0, 0, 8);
  s.connect(0, 1, 1);
  s.cluster->networks[0].ends[1].leaves = 0;
  const auto hints = fabric_hints(plan_cluster(*s.cluster), 0);
  ASSERT_EQ(hints.size(), 1U);
  EXPECT_NE(hints[0].find("with 1 leaf for some members (`leaves`), the fabric has 32 spines instead of 16"),
            std::string::npos)
      << hints[0];
}

}  // namespace
}  // namespace clusterc
