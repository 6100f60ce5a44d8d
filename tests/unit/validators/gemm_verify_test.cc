#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "gemm/verify.h"

namespace clusterc::gemm {
namespace {

// A naive product, its own loop order, as the thing that is checked.
std::vector<double> product(const Problem& p) {
  std::vector<double> c(p.n * p.n);
  for (std::uint64_t i = 0; i < p.n; ++i) {
    for (std::uint64_t j = 0; j < p.n; ++j) {
      double sum = 0;
      for (std::uint64_t k = p.n; k-- > 0;) sum += static_cast<double>(p.a(i, k)) * static_cast<double>(p.b(k, j));
      c[i + j * p.n] = sum;
    }
  }
  return c;
}
Check exact(const Problem& p, const std::vector<double>& c) {
  return verify_exact(p, [&](std::uint64_t i, std::uint64_t j) { return c[i + j * p.n]; });
}

// double: 2 bits + ceil(log2 4096) = 2*20 + 12 <= 53. float: 2*6 + 12 <= 24. One more bit would not fit: 2*21 + 12
// = 54.
TEST(GemmVerify, BitsKeepSumsExact) {
  EXPECT_EQ(exact_bits(53, 4096), 20u);
  EXPECT_EQ(exact_bits(24, 4096), 6u);
  EXPECT_EQ(exact_bits(24, 5000), 5u);  // ceil(log2 5000) = 13
  EXPECT_EQ(exact_bits(53, 1), 26u);
}

TEST(GemmVerify, ARightProductPasses) {
  for (const std::uint64_t n : {1, 2, 7, 33}) {
    const Problem p{.n = n, .bits = exact_bits(53, n), .seed_a = 1, .seed_b = 2};
    const Check check = exact(p, product(p));
    EXPECT_EQ(check.wrong, 0u) << n;
    EXPECT_EQ(check.checked, n * n);
  }
}

TEST(GemmVerify, EverySingleWrongElementIsFoundAndCounted) {
  const Problem p{.n = 9, .bits = exact_bits(53, 9), .seed_a = 3, .seed_b = 4};
  const std::vector<double> right = product(p);
  for (std::size_t at = 0; at < right.size(); ++at) {
    std::vector<double> c = right;
    c[at] += 1;  // the smallest whole error
    EXPECT_EQ(exact(p, c).wrong, 1u) << at;
    c[at] = right[at] + 0.5;  // and one that leaves the whole numbers; 9 * 2^48 < 2^52, so a half is representable
    EXPECT_EQ(exact(p, c).wrong, 1u) << at;
  }
}

TEST(GemmVerify, PoisonThatWasLeftIsFound) {
  const Problem p{.n = 5, .bits = 10, .seed_a = 3, .seed_b = 4};
  std::vector<double> c = product(p);
  c[7] = std::numeric_limits<double>::quiet_NaN();
  c[8] = std::numeric_limits<double>::infinity();
  EXPECT_EQ(exact(p, c).wrong, 2u);
}

TEST(GemmVerify, TwoErrorsThatCancelInTheRowSumAreFound) {
  const Problem p{.n = 6, .bits = 10, .seed_a = 3, .seed_b = 4};
  std::vector<double> c = product(p);
  c[2 + 0 * 6] += 8;
  c[2 + 3 * 6] -= 8;
  EXPECT_EQ(exact(p, c).wrong, 2u);
}

TEST(GemmVerify, SwappedOperandsAreFound) {
  const Problem p{.n = 8, .bits = 10, .seed_a = 3, .seed_b = 4};
  const Problem swapped{.n = 8, .bits = 10, .seed_a = 4, .seed_b = 3};
  EXPECT_GT(exact(p, product(swapped)).wrong, 32u);
}

TEST(GemmVerify, SampledCheckAllowsRoundingAndNothingElse) {
  const Problem p{.n = 16, .bits = 7, .seed_a = 5, .seed_b = 6};
  const double scale = 0x1p-7;
  std::vector<double> c = product(p);
  for (double& element : c) element *= scale * scale;
  const Rounding bf16{.scale = scale, .accumulation = 0x1p-23, .output = 0x1p-8};
  const auto wrong = [&](const std::vector<double>& of) {
    return verify_sampled(p, bf16, 4096, 9, [&](std::uint64_t i, std::uint64_t j) { return of[i + j * 16]; }).wrong;
  };
  EXPECT_EQ(wrong(c), 0u);
  std::vector<double> rounded = c, off = c, lost = c;
  for (double& element : rounded) element *= 1 + 0x1p-9;  // half of what rounding to bf16 may do
  EXPECT_EQ(wrong(rounded), 0u);
  off[100] *= 1.01;  // 2^-8 is 0.0039; 4,096 draws from 256 elements miss one with a probability of 1e-7
  EXPECT_GT(wrong(off), 0u);
  lost[3] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_GT(wrong(lost), 0u);
}

// By hand: A stored by rows: its element (1, 0) of order 3 is the fourth of the memory, (0, 2) the third.
TEST(GemmVerify, AByRows) {
  const Problem columns{.n = 3, .bits = 7, .seed_a = 5, .seed_b = 6},
      rows{.n = 3, .bits = 7, .seed_a = 5, .seed_b = 6, .a_by_rows = true};
  EXPECT_EQ(rows.a(1, 0), whole_number(5, 3, 7));
  EXPECT_EQ(rows.a(0, 2), whole_number(5, 2, 7));
  EXPECT_EQ(rows.a(1, 2), columns.a(2, 1));
  EXPECT_EQ(rows.b(1, 2), columns.b(1, 2));
  EXPECT_EQ(exact(rows, product(rows)).wrong, 0u);
  EXPECT_GT(exact(columns, product(rows)).wrong, 0u);
}

// One product of one element each, by hand: |a b| = 1 x 2^-6 units for a and b of +-1, and 5 x 2^-13 of it may be
// missing beside the rounding of the result.
TEST(GemmVerify, NarrowSumsAreAllowedTheirBitsAndNoMore) {
  std::uint64_t seed = 1;  // one of which both numbers are -8: |a b| is 64 units, exact in every type
  const auto number = [&](std::uint64_t s) { return whole_number(s, 0, 3); };
  while (number(seed) != -8) ++seed;
  const Problem p{.n = 1, .bits = 3, .seed_a = seed, .seed_b = seed};
  const auto wrong = [&](double c, double narrow) {
    return verify_sampled(p, {.scale = 0x1p-3, .accumulation = 0x1p-30, .output = 0x1p-30, .narrow = narrow}, 1, 9,
                          [&](std::uint64_t, std::uint64_t) { return c; })
        .wrong;
  };
  EXPECT_EQ(wrong(1, 0), 0u);
  EXPECT_EQ(wrong(1 - 4.9 * 0x1p-13, 5 * 0x1p-13), 0u);
  EXPECT_EQ(wrong(1 - 5.1 * 0x1p-13, 5 * 0x1p-13), 1u);
  EXPECT_EQ(wrong(1 - 4.9 * 0x1p-13, 0), 1u);
}

}  // namespace
}  // namespace clusterc::gemm
