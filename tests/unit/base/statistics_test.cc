#include "base/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace clusterc {
namespace {

TEST(Statistics, MedianAndScaleByHand) {
  EXPECT_EQ(median_of({3, 1, 2}), 2);
  EXPECT_EQ(median_of({4, 1, 3, 2}), 2.5);
  // Distances from the median 3: 2 1 0 1 97, their median 1; the factor of five values is 1.206.
  const RobustCentre centre = robust_centre({1, 2, 3, 4, 100});
  EXPECT_EQ(centre.median, 3);
  EXPECT_NEAR(centre.sigma, 1.4826 * 1.206, 1e-12);
  EXPECT_EQ(robust_centre({5, 5, 5, 1}).sigma, 0);
}

// One degree of freedom: 1/2 - atan(t)/pi. Two: 1/2 - t / (2 sqrt(2 + t^2)). Many: the normal distribution.
TEST(Statistics, TailOfStudentsT) {
  EXPECT_NEAR(student_tail(1, 1), 0.25, 1e-12);
  EXPECT_NEAR(student_tail(-1, 1), 0.75, 1e-12);
  EXPECT_NEAR(student_tail(2, 2), 0.5 - 2 / (2 * std::sqrt(6.0)), 1e-12);
  EXPECT_NEAR(student_tail(2.2281388520, 10), 0.025, 1e-9);  // the two-sided 5 % of every table
  EXPECT_NEAR(student_tail(5, 1e7), std::erfc(5 / std::sqrt(2.0)) / 2, 1e-11);
}

// The example of Benjamini and Hochberg 1995, section 3.2: of 15 hypotheses four are rejected at 5 %.
TEST(Statistics, FalseDiscoveriesAsPublished) {
  const std::vector<double> p{0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
                              0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000};
  const std::vector<bool> rejected = rejected_at(p, 0.05);
  for (std::size_t i = 0; i < p.size(); ++i) EXPECT_EQ(rejected[i], i < 4) << p[i];
  // One below its own step takes those before it along, although they are above theirs: 0.04 > 0.05 / 2.
  EXPECT_EQ(rejected_at(std::vector<double>{0.04, 0.045}, 0.05), (std::vector<bool>{true, true}));
}

TEST(Statistics, SignedRankByHand) {
  // All six positive: 2 of the 64 ways to set the signs.
  EXPECT_NEAR(signed_rank({1, 2, 3, 4, 5, 6})->probability, 2.0 / 64, 1e-12);
  // The negative rank is 4: {}, 1, 2, 3, 4, 1+2, 1+3 sum up to at most 4, so 2 x 7 of 16.
  EXPECT_NEAR(signed_rank({1, 2, 3, -4})->probability, 14.0 / 16, 1e-12);
  EXPECT_NEAR(signed_rank({1, 1, 1, 0})->probability, 2.0 / 8, 1e-12);  // ties share a rank, 0 is left out
  EXPECT_EQ(signed_rank({1, 1, 1, 0})->pairs, 3u);
  EXPECT_FALSE(signed_rank({0, 0}));
  EXPECT_TRUE(signed_rank({0, 0, 0, 1, 2})->positive);
  EXPECT_FALSE(signed_rank({1, 2, 3, -4, -5})->positive);  // 1 + 2 + 3 against 4 + 5
  // 60 pairs, positive ranks 1..60 but for the largest ten: the normal approximation, W = 555, mean 915, variance
  // 60 x 61 x 121 / 24 = 18452.5.
  std::vector<double> many;
  for (int i = 1; i <= 60; ++i) many.push_back(i > 50 ? -i : i);
  EXPECT_NEAR(signed_rank(many)->probability, std::erfc((360 - 0.5) / std::sqrt(18452.5) / std::sqrt(2.0)), 1e-12);
}

// Of healthy normal values the smallest is called improbable (p <= rate / n) in no more runs than the rate says.
TEST(Statistics, HealthyValuesAreNotCalledImprobable) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  for (const std::size_t n : {4u, 8u, 32u, 256u}) {
    constexpr int kRuns = 2000;
    constexpr double kRate = 0.05;
    int called = 0;
    for (int run = 0; run < kRuns; ++run) {
      std::vector<double> values(n);
      for (double& v : values) v = normal(random);
      const RobustCentre centre = robust_centre(values);
      const double off = (centre.median - *std::min_element(values.begin(), values.end())) / centre.sigma;
      called += robust_tail(off, n) <= kRate / static_cast<double>(n);
    }
    EXPECT_LE(called, kRate * kRuns * 1.3) << n;  // 100 expected at most; 130 is three standard deviations above
  }
}

}  // namespace
}  // namespace clusterc
