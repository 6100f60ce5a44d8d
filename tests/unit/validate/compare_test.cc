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

// Seven of 13 pairs are equal, the other six are better: p = 2 / 2^6, and the median of all is 0.
TEST(Compare, TheSideIsThatOfThePairsThatChanged) {
  const Report before = report(13, 1);
  for (const double rate : {1.5, 0.5}) {
    Report now = before;
    for (std::size_t i = 0; i < 6; ++i) *now.verdicts[i].value *= rate;
    const Comparison c = compare_reports(before, "s", now, "s");
    ASSERT_EQ(c.metrics.size(), 1u);
    EXPECT_EQ(c.metrics[0].gain, 0);
    EXPECT_NEAR(*c.metrics[0].probability, 2.0 / 64, 1e-12);
    EXPECT_EQ(c.metrics[0].change, rate > 1 ? Change::better : Change::worse);
  }
}

// A figure that passed and is gone, or is wrong, got worse, although there is nothing to compare.
TEST(Compare, AVerdictThatGotWorseIsSaid) {
  Report now = report(6, 1);
  now.verdicts[2].verdict = Verdict::fail, now.verdicts[2].data_verified = false;
  now.verdicts[4] = {.test = "node/m/memory", .metric = "memory.triad", .node = "n4", .verdict = Verdict::error};
  const Comparison c = compare_reports(report(6, 1), "s", now, "s");
  ASSERT_EQ(c.figures.size(), 2u);
  EXPECT_EQ(c.figures[0].node, "n2");
  EXPECT_EQ(c.figures[1].node, "n4");
  EXPECT_EQ(c.figures[1].device, "host");
  EXPECT_EQ(c.figures[1].verdict_now, Verdict::error);
  EXPECT_EQ(c.verdicts_worse(), 2u);
  EXPECT_TRUE(c.got_worse());
  EXPECT_EQ(compare_reports(now, "s", report(6, 1), "s").verdicts_worse(), 0u);
}

// With another --max-size the figures are of other messages: the verdicts are a pair, the figures are not.
TEST(Compare, FiguresOfOtherSizesAreNotCompared) {
  Report now = report(6, 0.5);
  for (Judged& j : now.verdicts) j.size = 4;
  const Comparison c = compare_reports(report(6, 1), "s", now, "s");
  EXPECT_EQ(c.pairs, 6u);
  EXPECT_TRUE(c.metrics.empty());
  EXPECT_FALSE(c.got_worse());
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
