#include "mpi/reduction.h"

#include <gtest/gtest.h>

#include <cmath>

namespace clusterc::mpi {
namespace {

// float32 is exact up to 2^24. Two ranks: 24 - ceil(log2 2) - 1 = 22 bits each; 1,000 ranks: 24 - 10 - 1 = 13.
TEST(Reduction, SummandsAreSmallEnoughForExactSums) {
  EXPECT_EQ(magnitude_bits<float>(1), 23u);
  EXPECT_EQ(magnitude_bits<float>(2), 22u);
  EXPECT_EQ(magnitude_bits<float>(1000), 13u);
  EXPECT_EQ(magnitude_bits<std::int32_t>(2), 29u);
  EXPECT_GE(magnitude_bits<float>(1u << 30), 1u);
}

TEST(Reduction, SummandsFillTheirRange) {
  float low = 0, high = 0;
  for (std::uint64_t i = 0; i < 10000; ++i) {
    const float value = summand<float>(1, 0, i, 4);
    ASSERT_EQ(value, std::floor(value));
    low = std::min(low, value);
    high = std::max(high, value);
  }
  EXPECT_EQ(low, -15);  // (-2^4, 2^4)
  EXPECT_EQ(high, 15);
}

// The order of the summation does not matter: forwards, backwards and in pairs give the same bits.
TEST(Reduction, TheSumIsExactInAnyOrder) {
  constexpr unsigned kRanks = 37;
  const unsigned bits = magnitude_bits<float>(kRanks);
  for (std::uint64_t i = 0; i < 1000; ++i) {
    float forwards = 0, backwards = 0, even = 0, odd = 0;
    for (unsigned r = 0; r < kRanks; ++r) {
      forwards += summand<float>(7, r, i, bits);
      backwards += summand<float>(7, kRanks - 1 - r, i, bits);
      (r % 2 == 0 ? even : odd) += summand<float>(7, r, i, bits);
    }
    const float want = expected_sum<float>(7, kRanks, i, bits);
    ASSERT_EQ(forwards, want);
    ASSERT_EQ(backwards, want);
    ASSERT_EQ(even + odd, want);
  }
}

TEST(Reduction, PoisonIsNoSum) {
  EXPECT_TRUE(std::isnan(poison<float>()));
  // Two ranks' int32 sums stay within 2 * 2^29 = 2^30, the poison is -2^31.
  EXPECT_EQ(poison<std::int32_t>(), std::numeric_limits<std::int32_t>::min());
}

// nccl-tests, doc/PERFORMANCE.md: 2(n-1)/n.
TEST(Reduction, BusFactor) {
  EXPECT_DOUBLE_EQ(bus_factor(2), 1);
  EXPECT_DOUBLE_EQ(bus_factor(8), 1.75);
}

}  // namespace
}  // namespace clusterc::mpi
