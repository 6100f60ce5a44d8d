#include "plan/hints.h"

#include <gtest/gtest.h>

#include "unit/plan/sample.h"

namespace clusterc {
namespace {
using test::known;

// Nodes with one port of 100 Gb/s on switches of 64 ports.
std::vector<std::string> of_nodes(std::int64_t nodes) {
  test::Sample s;
  s.nodes("n", "n[1-" + std::to_string(nodes) + "]", -1, 1, 1000, 10);
  s.network("lan", s.sn4600c, 100e9, -1);
  s.connect(0, 0, 1);
  return fabric_hints(plan_cluster(*s.cluster), 0);
}

// 66 ports are 2 too many for 64: leaves of 32 below and 32 above, 3 leaves, 2 spines with 48 of 64 ports in use, 96 links.
TEST(Hints, AFewPortsTooMany) {
  const auto hints = of_nodes(66);
  ASSERT_EQ(hints.size(), 1U);
  EXPECT_NE(hints[0].find("2 ports more than one"), std::string::npos) << hints[0];
  EXPECT_NE(hints[0].find("(66 of 64)"), std::string::npos) << hints[0];
  EXPECT_NE(hints[0].find("no 2 spines and no 96 links"), std::string::npos) << hints[0];
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
  EXPECT_NE(hints[0].find("2 ports more than two tiers reach (2050 of 2048): without them, 96 switches instead of"), std::string::npos) << hints[0];
  EXPECT_EQ(of_nodes(2252).size(), 1U);
  EXPECT_TRUE(of_nodes(2253).empty());
  EXPECT_TRUE(of_nodes(2048).empty());
}

}  // namespace
}  // namespace clusterc
