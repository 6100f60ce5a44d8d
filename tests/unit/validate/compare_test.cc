#include "validate/compare.h"

#include <gtest/gtest.h>

namespace clusterc {
namespace {

// n nodes whose figures are `rate` x (1 + a little of their own), with repetitions within half a percent.
Report report(int nodes, double rate, bool quantiles = true) {
  Report r;
  r.cluster = "c";
  for (int i = 0; i < nodes; ++i) {
    Judged j;
    j.test = "node/m/memory", j.metric = "memory.triad", j.node = "n" + std::to_string(i), j.device = "host";
    j.verdict = Verdict::pass, j.data_verified = true, j.size = 8, j.samples = 9;
    j.value = 1e11 * rate * (1 + 0.001 * i);
    if (quantiles) j.p05 = *j.value * 0.995, j.p95 = *j.value * 1.005;
    r.verdicts.push_back(j);
  }
  return r;
}

TEST(Compare, AllNodesSlowerIsMoreThanNoise) {
  const Comparison c = compare_reports(report(8, 1), "s", report(8, 0.96), "s");
  ASSERT_EQ(c.metrics.size(), 1u);
  EXPECT_EQ(c.metrics[0].pairs, 8u);
  EXPECT_NEAR(c.metrics[0].gain, -0.04, 1e-9);
  EXPECT_NEAR(*c.metrics[0].probability, 2.0 / 256, 1e-12);
  EXPECT_EQ(c.metrics[0].change, Change::worse);
  EXPECT_EQ(c.figures.size(), 8u);  // each alone, too: 4 % is more than the gap, and the intervals are apart
  EXPECT_TRUE(c.got_worse());
  EXPECT_EQ(compare_reports(report(8, 0.96), "s", report(8, 1), "s").metrics[0].change, Change::better);
}

TEST(Compare, FewPairsAndMissingQuantilesSayNothing) {
  const Comparison c = compare_reports(report(5, 1, false), "s", report(5, 0.5, false), "s");
  EXPECT_FALSE(c.metrics[0].probability);
  EXPECT_EQ(c.metrics[0].change, Change::unknown);
  EXPECT_TRUE(c.figures.empty());
  EXPECT_FALSE(c.got_worse());
}

TEST(Compare, OneNodeThatGotWorseIsNamed) {
  Report now = report(8, 1);
  now.verdicts[3].verdict = Verdict::fail;
  *now.verdicts[3].value *= 0.8, now.verdicts[3].p05 *= 0.8, now.verdicts[3].p95 *= 0.8;
  const Comparison c = compare_reports(report(8, 1), "s", now, "s");
  EXPECT_EQ(c.metrics[0].change, Change::same);
  ASSERT_EQ(c.figures.size(), 1u);
  EXPECT_EQ(c.figures[0].node, "n3");
  EXPECT_NEAR(c.figures[0].gain, -0.2, 1e-9);
  EXPECT_EQ(c.figures[0].change, Change::worse);
  EXPECT_EQ(c.figures[0].verdict_before, Verdict::pass);
}

// Of a time half as much is twice as good.
TEST(Compare, OfATimeLessIsBetter) {
  Report before = report(6, 1), now = report(6, 0.5);
  for (Report* r : {&before, &now})
    for (Judged& j : r->verdicts) j.lower_is_better = true;
  const Comparison c = compare_reports(before, "s", now, "s");
  EXPECT_NEAR(c.metrics[0].gain, 1, 1e-9);
  EXPECT_EQ(c.metrics[0].change, Change::better);
}

TEST(Compare, WhatIsNotTheSameIsSaid) {
  Report before = report(6, 1), now = report(7, 1);
  before.verdicts.push_back(before.verdicts[0]);
  before.verdicts.back().node = "gone";
  now.program_version = "2";
  const Comparison c = compare_reports(before, "s", now, "t");
  EXPECT_EQ(c.differs, (std::vector<std::string>{"spec", "version of clusterc"}));
  EXPECT_EQ(c.pairs, 6u);
  EXPECT_EQ(c.only_before, 1u);
  EXPECT_EQ(c.only_now, 1u);
}

}  // namespace
}  // namespace clusterc
