#include "plan/fit.h"

#include <gtest/gtest.h>

namespace clusterc {
namespace {

// Errors that appear at a count and stay; those from 1 on say their count, or not.
struct At {
  std::string rule;
  std::int64_t from;
  bool counts = true;
  std::int64_t until = 1LL << 60;
};
FitProbe probe_of(std::vector<At> limits, int* asked = nullptr) {
  return [=](std::int64_t n) {
    if (asked) ++*asked;
    std::vector<FitError> out;
    for (const At& l : limits)
      if (n >= l.from && n <= l.until)
        out.push_back({l.rule, l.rule, l.counts ? l.rule + " at " + std::to_string(n) : l.rule});
    return out;
  };
}
FitOutcome found(std::vector<At> limits, std::int64_t start = 10, std::int64_t most = 1000) {
  return find_fit(probe_of(limits), probe_of(limits), start, most, 3);
}

TEST(Fit, FindsTheLastCountBeforeTheFirstError) {
  for (const std::int64_t limit : {2, 3, 10, 11, 12, 57, 999, 1000}) {
    const FitOutcome o = found({{"power", limit}});
    EXPECT_EQ(o.largest, limit - 1);
    ASSERT_EQ(o.first.size(), 1u) << limit;
    EXPECT_EQ(o.first[0].at, limit);
    EXPECT_EQ(o.first[0].error.message, "power at " + std::to_string(limit));
  }
}

TEST(Fit, NamesTheNextLimitsInOrder) {
  const FitOutcome o = found({{"cooling", 70}, {"power", 50}, {"ports", 61}, {"far", 500}});
  EXPECT_EQ(o.largest, 49);
  ASSERT_EQ(o.next.size(), 2u);  // what lies within twice the count
  EXPECT_EQ(o.next[0].error.rule, "ports");
  EXPECT_EQ(o.next[0].at, 61);
  EXPECT_EQ(o.next[1].error.rule, "cooling");
  EXPECT_EQ(o.next[1].at, 70);
}

// The lab's feeds: from 7 on the loss of one is told, from 15 on the normal load in its place.
TEST(Fit, NamesALimitThatAnotherOneReplacesFurtherOn) {
  const FitOutcome o = found({{"cooling", 5}, {"feed loss", 7, true, 14}, {"normal load", 15}}, 4);
  EXPECT_EQ(o.largest, 4);
  ASSERT_EQ(o.next.size(), 2u);
  EXPECT_EQ(o.next[0].error.rule, "feed loss");
  EXPECT_EQ(o.next[0].at, 7);
  EXPECT_EQ(o.next[1].error.rule, "normal load");
  EXPECT_EQ(o.next[1].at, 15);
}

TEST(Fit, ErrorsAtEveryCountDoNotLimit) {
  const FitOutcome o = found({{"typo", 1, false}, {"power", 20}});
  EXPECT_EQ(o.largest, 19);
  ASSERT_EQ(o.standing.size(), 1u);
  EXPECT_EQ(o.standing[0].rule, "typo");
}

TEST(Fit, AnErrorThatGoesAwayWithGrowthDoesNotLimit) {
  const FitOutcome o = found({{"workload", 1, true, 7}, {"power", 20}});
  EXPECT_EQ(o.largest, 19);
}

TEST(Fit, NotEvenOne) {
  const FitOutcome o = found({{"rack", 1}});
  EXPECT_EQ(o.largest, 0);
  ASSERT_EQ(o.first.size(), 1u);
  EXPECT_EQ(o.first[0].at, 1);
}

TEST(Fit, NothingStopsIt) {
  const FitOutcome o = found({});
  EXPECT_FALSE(o.limited);
  EXPECT_EQ(o.largest, 1000);
}

TEST(Fit, AsksEachCountOnceAndFew) {
  int asked = 0;
  const FitProbe probe = probe_of({{"power", 777}}, &asked);
  const FitOutcome o = find_fit(probe, probe, 100, 131072, 3);
  EXPECT_EQ(o.largest, 776);
  EXPECT_LT(asked, 20);  // 1, 2, then doubling and halving: 3 + 10, and one beyond
}

}  // namespace
}  // namespace clusterc
