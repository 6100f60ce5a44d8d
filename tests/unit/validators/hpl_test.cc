// The parts of hpl that need no MPI: who owns what, sizes, one panel, its exchanges, its checksum.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "hpl/kernels.h"
#include "hpl/panel.h"
#include "hpl/sizes.h"
#include "skipping.h"

namespace clusterc::hpl {
namespace {

TEST(HplLayout, EveryIndexHasOneOwnerAndItsPlace) {
  for (const Index n : {1, 7, 10, 64, 101}) {
    for (const Index nb : {1, 3, 8, 128}) {
      for (const int parts : {1, 2, 3, 8}) {
        std::vector<Index> next(static_cast<std::size_t>(parts));
        for (Index g = 0; g < n; ++g) {
          const int owner = Axis{.nb = nb, .parts = parts}.owner(g);
          const Axis axis{.nb = nb, .parts = parts, .me = owner};
          const Index place = next[static_cast<std::size_t>(owner)]++;
          EXPECT_EQ(axis.below(g), place);
          EXPECT_EQ(axis.global(place), g);
        }
        for (int me = 0; me < parts; ++me)
          EXPECT_EQ((Axis{.nb = nb, .parts = parts, .me = me}.below(n)), next[static_cast<std::size_t>(me)]);
      }
    }
  }
}

TEST(HplSizes, GridsAreFlatAndNearSquare) {
  const auto shape = [](unsigned ranks, std::optional<unsigned> p = {}, std::optional<unsigned> q = {}) {
    const auto s = grid_shape(ranks, p, q);
    return s ? std::pair(s->rows, s->columns) : std::pair(0u, 0u);
  };
  EXPECT_EQ(shape(1), std::pair(1u, 1u));
  EXPECT_EQ(shape(2), std::pair(1u, 2u));
  EXPECT_EQ(shape(8), std::pair(2u, 4u));
  EXPECT_EQ(shape(12), std::pair(3u, 4u));
  EXPECT_EQ(shape(7), std::pair(1u, 7u));
  EXPECT_EQ(shape(8, 4), std::pair(4u, 2u));
  EXPECT_EQ(shape(7, 2, 3), std::pair(2u, 3u));  // one idle
  EXPECT_EQ(shape(7, {}, 2), std::pair(3u, 2u));
  EXPECT_EQ(shape(3, 2, 2), std::pair(0u, 0u));
  EXPECT_EQ(shape(3, 4), std::pair(0u, 0u));
}

// 8 GB for one rank: sqrt(8e9 / 8) = 31,622 without the work space, which is 3 panels of 192 columns (1.8 %): 31,622 (1
// - 0.009) = 31,334.
TEST(HplSizes, TheOrderFillsTheMemoryInWholeBlocks) {
  const Index n = order_for_memory(8e9, 192, {1, 1});
  EXPECT_EQ(n % 192, 0);
  EXPECT_NEAR(static_cast<double>(n), 31334, 300);
  EXPECT_LE(bytes_of_rank(n, 192, {1, 1}), 8e9);
  EXPECT_GT(bytes_of_rank(n + 192, 192, {1, 1}), 8e9);
  // Four ranks with as much each: twice the order.
  EXPECT_NEAR(static_cast<double>(order_for_memory(8e9, 192, {2, 2})), 62668, 900);
}

// 2/3 N^3 operations at 60 GFLOP/s for 10 s: N = (1.5 * 6e11)^(1/3) = 9,655.
TEST(HplSizes, TheOrderFollowsTheTime) { EXPECT_NEAR(static_cast<double>(order_for_time(10, 100e9, 1)), 9655, 1); }

TEST(HplKernels, SubtractsColumnsAndFindsTheFirstLargest) {
  constexpr Index kRows = 1037, kColumns = 7, kLd = 1040;
  std::vector<double> x(kLd * kColumns), y(kRows), want(kRows), u = {1, -2, 3, 0.5, -0.25, 4, -8};
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = std::floor(64 * harness::random_signed(1, i));  // whole numbers: exact in any order
  for (std::size_t i = 0; i < kRows; ++i) {
    y[i] = std::floor(64 * harness::random_signed(2, i));
    want[i] = y[i];
    for (std::size_t c = 0; c < kColumns; ++c) want[i] -= x[c * kLd + i] * u[c];
  }
  const Largest found = subtract_columns(y.data(), x.data(), kLd, u.data(), kColumns, kRows);
  EXPECT_EQ(y, want);
  const auto largest = std::ranges::max_element(want, {}, [](double v) { return std::fabs(v); });
  EXPECT_EQ(found.at, largest - want.begin());
  EXPECT_EQ(found.magnitude, std::fabs(*largest));
  EXPECT_EQ(subtract_columns(y.data(), x.data(), kLd, u.data(), kColumns, 0).at, -1);
}

// 3 x 2, by hand:  1 2      pivot 4 (row 1)   4 2   then 2 - 1/4 * 2 = 1.5, 3 - 2/4 * 2 = 2: pivot row 2
//                  4 2                        .25 1.5
//                  2 3                        .5  2
TEST(HplPanel, FactorsByHandAndTellsItsExchanges) {
  try {
    const harness::Blas blas(1);
    Panel panel;
    panel.shape(0, 2, 1);
    std::fill(panel.message(), panel.message() + panel.length(), 0.0);
    const double top[] = {1, 4, 2, 2};
    std::copy(std::begin(top), std::end(top), panel.top());
    panel.below()[0] = 2;
    panel.below()[panel.ld()] = 3;
    factor_panel(panel, {.nb = 2}, blas, nullptr);
    EXPECT_EQ(panel.pivot(0), 1);
    EXPECT_EQ(panel.pivot(1), 2);
    EXPECT_EQ((std::vector<double>(panel.top(), panel.top() + 4)), (std::vector<double>{4, 0.5, 2, 2}));
    EXPECT_EQ(panel.below()[0], 0.25);
    EXPECT_EQ(panel.below()[panel.ld()], 0.75);
    EXPECT_EQ(panel.no_pivot(), -1);
    EXPECT_EQ(panel.smallest_pivot(), 2);
    // Row 0 now holds row 1, row 1 holds row 2, row 2 holds row 0.
    const Permutation moved = permutation_of(panel);
    EXPECT_EQ(moved.source, (std::vector<Index>{1, 2}));
    EXPECT_EQ(moved.displaced, (std::vector<std::pair<Index, Index>>{{2, 0}}));
  } catch (const harness::CouldNotRun& e) {
    CLUSTERC_MISSING(e.what());
  }
}

TEST(HplPanel, AnyChangedBitBreaksTheSeal) {
  Panel panel;
  panel.shape(0, 3, 5);
  for (Index i = 0; i < panel.length(); ++i)
    panel.message()[i] = harness::random_signed(7, static_cast<std::uint64_t>(i));
  panel.seal();
  EXPECT_TRUE(panel.intact());
  auto* const bytes = reinterpret_cast<std::uint8_t*>(panel.message());
  for (Index bit = 0; bit < panel.length() * 64; ++bit) {
    bytes[bit / 8] ^= static_cast<std::uint8_t>(1 << bit % 8);
    EXPECT_FALSE(panel.intact()) << bit;
    bytes[bit / 8] ^= static_cast<std::uint8_t>(1 << bit % 8);
  }
  EXPECT_TRUE(panel.intact());
}

}  // namespace
}  // namespace clusterc::hpl
