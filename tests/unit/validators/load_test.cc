#include "harness/load.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace clusterc::harness {
namespace {

constexpr std::string_view kStat =
    "cpu  999 999 999 999 999 999 999 999 0 0\n"
    "cpu0 10 1 4 70 5 3 2 5 7 0\n"
    "cpu1 20 0 0 80 0 0 0 0 0 0\n"
    "cpu12 1 1 1 1 1 1 1 1 1 1\n"
    "intr 123\n";

// cpu0: user 10 + nice 1 + system 4 + steal 5 = 20 busy; all eight columns = 100. Guest time is part of user.
TEST(Load, CountsUserNiceSystemAndStealOfTheAllowedProcessors) {
  const ProcessorTimes one = parse_proc_stat(kStat, {0});
  EXPECT_EQ(one.busy, 20u);
  EXPECT_EQ(one.total, 100u);
  const ProcessorTimes two = parse_proc_stat(kStat, {0, 1});
  EXPECT_EQ(two.busy, 40u);
  EXPECT_EQ(two.total, 200u);
}

// 200 ticks of 10 ms are 2 s of two processors in a window of 1 s. 150 busy ticks = 1.5 s; 1 s was ours: (1.5 - 1) / 2
// = 0.25.
TEST(Load, OtherShareIsWhatWasNotOurs) {
  EXPECT_DOUBLE_EQ(*other_share({0, 0}, {150, 200}, 100, 1.0), 0.25);
  EXPECT_DOUBLE_EQ(*other_share({0, 0}, {150, 200}, 100, 1.5), 0);
  EXPECT_DOUBLE_EQ(*other_share({0, 0}, {150, 200}, 100, 9), 0);  // never below nothing
  EXPECT_FALSE(other_share({5, 9}, {5, 9}, 100, 0));              // no time passed
}

// Our own spinning is not "other work"; told that it was not ours, the meter sees it.
TEST(Load, OwnWorkIsNotOtherWork) {
  LoadMeter meter;
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(600);
  std::atomic<std::uint64_t> spin{0};
  while (std::chrono::steady_clock::now() < end) ++spin;
  const auto as_ours = meter.share();
  const auto as_foreign = meter.share(0.0);
  ASSERT_TRUE(as_ours && as_foreign);
  EXPECT_LT(*as_ours, *as_foreign);
  EXPECT_GT(*as_foreign - *as_ours, 0);
}

TEST(Load, TooShortAWindowTellsNothing) {
  LoadMeter meter;
  EXPECT_FALSE(meter.share());
}

}  // namespace
}  // namespace clusterc::harness
