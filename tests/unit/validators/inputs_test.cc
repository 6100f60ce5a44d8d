#include "harness/inputs.h"

#include <gtest/gtest.h>

namespace clusterc::harness {
namespace {

// The first five numbers of SplitMix64 with seed 1234567 as published with the generator's test vectors
// (rosettacode.org, "Pseudo-random numbers/Splitmix64").
TEST(Inputs, RandomBitsAreSplitMix64) {
  EXPECT_EQ(random_bits(1234567, 0), 6457827717110365317u);
  EXPECT_EQ(random_bits(1234567, 1), 3203168211198807973u);
  EXPECT_EQ(random_bits(1234567, 2), 9817491932198370423u);
  EXPECT_EQ(random_bits(1234567, 3), 4593380528125082431u);
  EXPECT_EQ(random_bits(1234567, 4), 16408922859458223821u);
}

TEST(Inputs, ValuesFillTheirIntervalsAndAreExact) {
  double low = 1, high = 0, sum = 0;
  for (std::uint64_t i = 0; i < 100000; ++i) {
    const double u = random_unit(1, i);
    ASSERT_GE(u, 0);
    ASSERT_LT(u, 1);
    low = std::min(low, u);
    high = std::max(high, u);
    sum += u;
    const float f = random_signed_float(1, i);
    ASSERT_GE(f, -1);
    ASSERT_LT(f, 1);
    ASSERT_EQ(f * 0x1p23f, static_cast<float>(static_cast<int>(f * 0x1p23f)));  // a multiple of 2^-23
  }
  // The mean of 100,000 uniform numbers has a standard deviation of 1/sqrt(12 * 1e5) = 0.00091; the bound is five of
  // them.
  EXPECT_NEAR(sum / 1e5, 0.5, 0.0046);
  EXPECT_LT(low, 0.001);
  EXPECT_GT(high, 0.999);
}

TEST(Inputs, StreamsDiffer) {
  EXPECT_NE(stream_seed(1, 0), stream_seed(1, 1));
  EXPECT_NE(stream_seed(1, 0), stream_seed(2, 0));
}

}  // namespace
}  // namespace clusterc::harness
