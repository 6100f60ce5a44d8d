#include "plan/fabric/bgp.h"

#include <gtest/gtest.h>

namespace clusterc {
namespace {

Fabric fabric(std::vector<std::int64_t> counts, std::int64_t pods = 1) {
  Fabric f;
  for (std::int64_t n : counts) f.tiers.push_back({.count = n});
  f.pods = pods;
  return f;
}

TEST(Bgp, EachLeafHasANumberEachTierAboveShares) {
  EXPECT_EQ(bgp_numbers(fabric({})), 0);
  EXPECT_EQ(bgp_numbers(fabric({1})), 1);
  EXPECT_EQ(bgp_numbers(fabric({8, 4})), 9);                     // 8 leaves, one for the spines
  EXPECT_EQ(bgp_numbers(fabric({2048, 2048, 1024}, 32)), 2081);  // + 32 pods + the cores
}

// Two tiers: spines 0, leaves from 1 on. Three: cores 0; each pod of three leaves takes four numbers, its spines the
// first. A second plane begins where the first ends: 1 + 4 = 5 numbers each.
TEST(Bgp, NumbersFollowThePodsAndThePlanes) {
  const Fabric two = fabric({8, 4});
  EXPECT_EQ(bgp_number(two, {1, 3}), 0);
  EXPECT_EQ(bgp_number(two, {0, 0}), 1);
  EXPECT_EQ(bgp_number(two, {0, 7}), 8);
  Fabric three = fabric({8, 6, 4}, 3);  // the last pod has two leaves
  three.leaves_per_pod = 3;
  three.spines_per_pod = 2;
  EXPECT_EQ(bgp_numbers(three), 12);
  EXPECT_EQ(bgp_number(three, {2, 3}), 0);
  EXPECT_EQ(bgp_number(three, {1, 1}), 1);
  EXPECT_EQ(bgp_number(three, {0, 2}), 4);
  EXPECT_EQ(bgp_number(three, {1, 2}), 5);
  EXPECT_EQ(bgp_number(three, {0, 7}), 11);
  Fabric planes = fabric({8, 4});
  planes.planes = 2;
  EXPECT_EQ(bgp_numbers(planes), 10);
  EXPECT_EQ(bgp_number(planes, {1, 2}), 5);
  EXPECT_EQ(bgp_number(planes, {0, 4}), 6);
  EXPECT_EQ(bgp_number(fabric({3}), {0, 2}), 2);
}

TEST(Bgp, PrivateRangesAreThoseOfRfc6996) {
  EXPECT_EQ(kPrivateBgp16.last - kPrivateBgp16.first + 1, 1023);
  EXPECT_EQ(kPrivateBgp32.last - kPrivateBgp32.first + 1, 94967295);
}

}  // namespace
}  // namespace clusterc
