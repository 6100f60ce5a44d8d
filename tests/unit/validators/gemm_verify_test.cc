#include "gemm/verify.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

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

// double: 2 bits + ceil(log2 4096) = 2*20 + 12 <= 53. float: 2*6 + 12 <= 24. One more bit would not fit: 2*21 + 12 = 54.
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

}  // namespace
}  // namespace clusterc::gemm
