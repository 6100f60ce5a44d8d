#include "harness/statistics.h"

#include <gtest/gtest.h>

namespace clusterc::harness {
namespace {

// By hand, definition 7: 1..5, position (5-1)*0.05 = 0.2 -> 1 + 0.2*(2-1) = 1.2; (5-1)*0.95 = 3.8 -> 4 + 0.8 = 4.8.
TEST(Statistics, QuantilesInterpolateBetweenOrderStatistics) {
  const Summary s = summarise({5, 3, 1, 4, 2});
  EXPECT_EQ(s.count, 5u);
  EXPECT_DOUBLE_EQ(s.median, 3);
  EXPECT_DOUBLE_EQ(s.p05, 1.2);
  EXPECT_DOUBLE_EQ(s.p95, 4.8);
  EXPECT_DOUBLE_EQ(s.min, 1);
  EXPECT_DOUBLE_EQ(s.max, 5);
}

TEST(Statistics, MedianOfAnEvenNumberIsTheMiddleOfTwo) { EXPECT_DOUBLE_EQ(summarise({4, 1, 3, 2}).median, 2.5); }

TEST(Statistics, OneSampleIsAllOfItsQuantiles) {
  const Summary s = summarise({7});
  EXPECT_DOUBLE_EQ(s.p05, 7);
  EXPECT_DOUBLE_EQ(s.p95, 7);
}

TEST(Statistics, OneOutlierDoesNotMoveTheMedian) { EXPECT_DOUBLE_EQ(summarise({1, 1, 1, 1, 1000}).median, 1); }

TEST(Statistics, RatesAreWorkOverTime) {
  const double seconds[] = {0.5, 2};
  EXPECT_EQ(rates(seconds, 10), (std::vector<double>{20, 5}));
}

}  // namespace
}  // namespace clusterc::harness
