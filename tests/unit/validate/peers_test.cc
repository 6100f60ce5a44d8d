#include "validate/peers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace clusterc {
namespace {

Judged figure(int node, double value, Verdict verdict = Verdict::pass) {
  Judged j;
  j.test = "node/gpu/memory", j.metric = "memory.triad", j.node = "n" + std::to_string(node), j.device = "gpu0";
  j.verdict = verdict, j.value = value, j.data_verified = true, j.size = 1000;
  return j;
}

// 31 GPUs within 0.5 % of each other, and one.
std::vector<Judged> with_one(double value, Verdict verdict = Verdict::pass) {
  std::vector<Judged> out;
  for (int i = 0; i < 31; ++i) out.push_back(figure(i, 3.30e12 * (1 + 0.005 * ((i * 7) % 11 - 5) / 5)));
  out.push_back(figure(31, value, verdict));
  return out;
}

TEST(Peers, OneThatStandsOutIsDegradedAndNamed) {
  for (const Verdict verdict : {Verdict::pass, Verdict::unjudged}) {
    std::vector<Judged> all = with_one(3.05e12, verdict);
    judge_among_peers(all);
    EXPECT_EQ(all.back().verdict, Verdict::degraded);
    EXPECT_EQ(all.back().reason, "measured 3.05 TB/s, 7.6 % below the median 3.3 TB/s of its 31 peers");
    ASSERT_TRUE(all.back().among_peers);
    EXPECT_LT(all.back().among_peers->probability, 1e-9);
    for (std::size_t i = 0; i + 1 < all.size(); ++i) EXPECT_EQ(all[i].verdict, Verdict::pass) << all[i].reason;
  }
}

// What is certain and small, better than the others, or a fail already, stays what it is.
TEST(Peers, OnlyWhatIsWorseByMoreThanTheGapIsDegraded) {
  for (const double value : {3.22e12, 3.6e12}) {
    std::vector<Judged> all = with_one(value);
    judge_among_peers(all);
    EXPECT_EQ(all.back().verdict, Verdict::pass) << value;
  }
  std::vector<Judged> all = with_one(1e12, Verdict::fail);
  all.back().reason = "below the floor";
  judge_among_peers(all);
  EXPECT_EQ(all.back().verdict, Verdict::fail);
  EXPECT_EQ(all.back().reason, "below the floor");
  EXPECT_TRUE(all.back().among_peers);
}

TEST(Peers, OfATimeMoreIsWorse) {
  std::vector<Judged> all = with_one(3.6e12);
  for (Judged& j : all)
    j.metric = "mpi.allreduce.time", j.lower_is_better = true, j.dimension = Dimension::time, *j.value *= 1e-18;
  judge_among_peers(all);
  EXPECT_EQ(all.back().verdict, Verdict::degraded);
  EXPECT_NE(all.back().reason.find("9.1 % above the median"), std::string::npos) << all.back().reason;
}

// Others' work, wrong data, another size and another placement are no peers; three are too few.
TEST(Peers, OnlyEqualFiguresArePeers) {
  std::vector<Judged> all = with_one(3.05e12);
  all.back().busy = true;
  judge_among_peers(all);
  EXPECT_EQ(all.back().verdict, Verdict::pass);
  all = with_one(3.05e12), all.back().size = 999;
  judge_among_peers(all);
  EXPECT_EQ(all.back().verdict, Verdict::pass);
  all = with_one(3.05e12), all.back().device = "gpu0, in place";
  judge_among_peers(all);
  EXPECT_EQ(all.back().verdict, Verdict::pass);
  all = {figure(1, 3e12), figure(2, 3e12), figure(3, 1e12)};
  judge_among_peers(all);
  EXPECT_EQ(all.back().verdict, Verdict::pass);
  all.push_back(figure(4, 3e12));  // of four, three of them equal, it is one
  judge_among_peers(all);
  EXPECT_EQ(all[2].verdict, Verdict::degraded);
}

// A file system is measured on nodes of several groups: those with a slow port are held against each other only.
TEST(Peers, OtherHardwareIsNoPeer) {
  std::vector<Judged> all = with_one(3.3e12);
  for (int i = 0; i < 4; ++i) all.push_back(figure(100 + i, 1e11));
  std::vector<Judged> mixed = all;
  judge_among_peers(mixed);
  EXPECT_EQ(mixed.back().verdict, Verdict::degraded);  // as if all were alike
  judge_among_peers(all, [](const Judged& j) { return j.node.str().size() == 4 ? 1 : 0; });
  for (const Judged& j : all) EXPECT_EQ(j.verdict, Verdict::pass) << j.node << j.reason;
}

// A cluster whose figures scatter by 4 % has no outlier: of 200 runs of 64 nodes about two may name one.
TEST(Peers, HealthyScatterNamesNobody) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> scatter(1, 0.04);
  int named = 0;
  for (int run = 0; run < 200; ++run) {
    std::vector<Judged> all;
    for (int i = 0; i < 64; ++i) all.push_back(figure(i, 1e11 * scatter(random)));
    judge_among_peers(all);
    named += std::ranges::any_of(all, [](const Judged& j) { return j.verdict != Verdict::pass; });
  }
  EXPECT_LE(named, 6);
}

}  // namespace
}  // namespace clusterc
