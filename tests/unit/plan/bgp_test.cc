#include "plan/bgp.h"

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
  EXPECT_EQ(bgp_numbers(fabric({8, 4})), 9);                        // 8 leaves, one for the spines
  EXPECT_EQ(bgp_numbers(fabric({2048, 2048, 1024}, 32)), 2081);     // + 32 pods + the cores
}

TEST(Bgp, PrivateRangesAreThoseOfRfc6996) {
  EXPECT_EQ(kPrivateBgp16.last - kPrivateBgp16.first + 1, 1023);
  EXPECT_EQ(kPrivateBgp32.last - kPrivateBgp32.first + 1, 94967295);
}

}  // namespace
}  // namespace clusterc
