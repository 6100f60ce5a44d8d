#include <gtest/gtest.h>

#include <cmath>
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
    const Problem p{.n = n, .of_a = {1, exact_bits(53, n)}, .of_b = {2, exact_bits(53, n)}};
    const Check check = exact(p, product(p));
    EXPECT_EQ(check.wrong, 0u) << n;
    EXPECT_EQ(check.checked, n * n);
  }
}

TEST(GemmVerify, EverySingleWrongElementIsFoundAndCounted) {
  const Problem p{.n = 9, .of_a = {3, exact_bits(53, 9)}, .of_b = {4, exact_bits(53, 9)}};
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
  const Problem p{.n = 5, .of_a = {3, 10}, .of_b = {4, 10}};
  std::vector<double> c = product(p);
  c[7] = std::numeric_limits<double>::quiet_NaN();
  c[8] = std::numeric_limits<double>::infinity();
  EXPECT_EQ(exact(p, c).wrong, 2u);
}

TEST(GemmVerify, TwoErrorsThatCancelInTheRowSumAreFound) {
  const Problem p{.n = 6, .of_a = {3, 10}, .of_b = {4, 10}};
  std::vector<double> c = product(p);
  c[2 + 0 * 6] += 8;
  c[2 + 3 * 6] -= 8;
  EXPECT_EQ(exact(p, c).wrong, 2u);
}

TEST(GemmVerify, SwappedOperandsAreFound) {
  const Problem p{.n = 8, .of_a = {3, 10}, .of_b = {4, 10}};
  const Problem swapped{.n = 8, .of_a = {4, 10}, .of_b = {3, 10}};
  EXPECT_GT(exact(p, product(swapped)).wrong, 32u);
}

TEST(GemmVerify, SampledCheckAllowsRoundingAndNothingElse) {
  const Problem p{.n = 16, .of_a = {5, 7}, .of_b = {6, 7}};
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
  const Problem columns{.n = 3, .of_a = {5, 7}, .of_b = {6, 7}},
      rows{.n = 3, .of_a = {5, 7}, .of_b = {6, 7}, .a_by_rows = true};
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
  const Problem p{.n = 1, .of_a = {seed, 3}, .of_b = {seed, 3}};
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

// The wrong products that a bound which grows as n let pass, at the order of the published rates. `term`: one of the
// product of row and column; its sum in the type of the sums.
struct Type {
  const char* name;
  unsigned bits, operand_digits, sum_digits;
  double accumulation, output, narrow;
};
constexpr Type kTypes[] = {{"fp32", 23, 24, 24, 0x1p-24, 0x1p-24, 0},
                           {"tf32", 10, 11, 24, 0x1p-23, 0x1p-24, 0},
                           {"fp16", 10, 11, 11, 0x1p-23, 0x1p-11, 0},
                           {"bf16", 7, 8, 8, 0x1p-23, 0x1p-8, 0},
                           {"fp8", 3, 4, 8, 0x1p-23, 0x1p-8, 5 * 0x1p-13}};
double shortened(double v, int bits) {
  int exponent = 0;
  const double fraction = std::frexp(v, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(fraction, bits)), exponent - bits);
}
std::uint64_t rejected(const Type& type, std::uint64_t samples,
                       const std::function<double(const Problem&, std::uint64_t i, std::uint64_t j)>& c) {
  const Problem p{.n = 16384, .of_a = {11, type.bits}, .of_b = {12, type.bits}};
  const double scale = std::ldexp(1.0, -static_cast<int>(type.bits));
  return verify_samples(
             p, {.scale = scale, .accumulation = type.accumulation, .output = type.output, .narrow = type.narrow},
             samples, 7, [&](std::uint64_t i, std::uint64_t j) { return c(p, i, j) * scale * scale; })
      .wrong;
}

TEST(GemmVerify, LostTermsAreOutsideABoundThatGrowsAsTheRoot) {
  for (const Type& type : kTypes) {
    const auto without = [&](std::uint64_t lost) {
      return rejected(type, 64, [&](const Problem& p, std::uint64_t i, std::uint64_t j) {
        double sum = 0;
        for (std::uint64_t k = lost; k < p.n; ++k)
          sum += static_cast<double>(p.a(i, k)) * static_cast<double>(p.b(k, j));
        return sum;
      });
    };
    EXPECT_EQ(without(0), 0u) << type.name;
    // An error of sqrt(32) / 3 = 1.9 against a bound of 0.1 to 0.4, with FP8's wide one 2.7: there 1 in 6 is outside.
    EXPECT_GE(without(32), type.narrow > 0 ? 3u : 48u) << type.name;
  }
}

TEST(GemmVerify, ShortenedOperandsOfFp32AreOutside) {
  const auto c = [](const Problem& p, std::uint64_t i, std::uint64_t j) {
    double sum = 0;
    for (std::uint64_t k = 0; k < p.n; ++k)
      sum += shortened(static_cast<double>(p.a(i, k)), 8) * shortened(static_cast<double>(p.b(k, j)), 8);
    return sum;
  };
  EXPECT_GT(rejected(kTypes[0], 64, c), 2u);
}

// A right product however its sums are made: in order, in 32 parts that are added up, as a tree, and with sums that are
// cut and not rounded after every 16 terms, as tensor cores do.
TEST(GemmVerify, RightProductsAreInsideInEveryOrder) {
  const auto terms = [](const Problem& p, std::uint64_t i, std::uint64_t j) {
    std::vector<float> out(p.n);
    const float scale = std::ldexp(1.0F, -2 * static_cast<int>(p.of_a.bits));
    for (std::uint64_t k = 0; k < p.n; ++k)
      out[k] = static_cast<float>(static_cast<double>(p.a(i, k)) * static_cast<double>(p.b(k, j))) * scale;
    return out;
  };
  const auto in_units = [](const Problem& p, float sum) {
    return std::ldexp(static_cast<double>(sum), 2 * static_cast<int>(p.of_a.bits));
  };
  for (const Type& type : {kTypes[0], kTypes[1], kTypes[2], kTypes[3]}) {
    const std::uint64_t in_order = rejected(type, 64, [&](const Problem& p, std::uint64_t i, std::uint64_t j) {
      float sum = 0;
      for (const float term : terms(p, i, j)) sum += term;
      return in_units(p, sum);
    });
    const std::uint64_t in_parts = rejected(type, 64, [&](const Problem& p, std::uint64_t i, std::uint64_t j) {
      const std::vector<float> all = terms(p, i, j);
      float sum = 0;
      for (std::size_t part = 0; part < 32; ++part) {
        float of_part = 0;
        for (std::size_t k = part; k < all.size(); k += 32) of_part += all[k];
        sum += of_part;
      }
      return in_units(p, sum);
    });
    const std::uint64_t as_a_tree = rejected(type, 64, [&](const Problem& p, std::uint64_t i, std::uint64_t j) {
      std::vector<float> all = terms(p, i, j);
      for (std::size_t half = all.size() / 2; half > 0; half /= 2)
        for (std::size_t k = 0; k < half; ++k) all[k] += all[k + half];
      return in_units(p, all.front());
    });
    EXPECT_EQ(in_order, 0u) << type.name;
    EXPECT_EQ(in_parts, 0u) << type.name;
    EXPECT_EQ(as_a_tree, 0u) << type.name;
    if (type.accumulation == 0x1p-24) continue;
    const std::uint64_t cut = rejected(type, 64, [&](const Problem& p, std::uint64_t i, std::uint64_t j) {
      const std::vector<float> all = terms(p, i, j);
      float sum = 0;
      for (std::size_t k = 0; k < all.size(); k += 16) {
        double wide = static_cast<double>(sum);
        for (std::size_t t = k; t < k + 16; ++t) wide += static_cast<double>(all[t]);
        sum = static_cast<float>(wide);
        if (std::fabs(static_cast<double>(sum)) > std::fabs(wide)) sum = std::nextafter(sum, 0.0F);
      }
      return in_units(p, sum);
    });
    EXPECT_EQ(cut, 0u) << type.name;
  }
}

// By hand for n = 16384: 8 sqrt(n/12) = 296 = 2^8.2, so 15 bits for sums of 24 digits and 44 for 53; 11 digits leave 2,
// and 8 none: then both are sparse with one in four, 8 sqrt(n)/4 = 256.
TEST(GemmVerify, ExactProblemsHaveTheBitsThatTheSumsHold) {
  const Problem like{.n = 16384, .of_a = {11, 23}, .of_b = {12, 23}};
  const auto of = [&](unsigned operand, unsigned sums) { return exact_problems(like, operand, sums); };
  EXPECT_EQ(of(24, 24)[0].of_a.bits, 15u);
  EXPECT_EQ(of(24, 24)[0].of_a.sparse, 0u);
  EXPECT_EQ(of(24, 24)[0].of_b.sparse, 2u);
  EXPECT_EQ(of(24, 24)[1].of_a.sparse, 2u);
  EXPECT_EQ(of(24, 24)[1].of_b.bits, 15u);
  EXPECT_EQ(of(53, 53)[0].of_a.bits, 44u);
  EXPECT_EQ(of(11, 24)[0].of_a.bits, 11u);  // TF32: as many as the operand has
  EXPECT_EQ(of(11, 11)[0].of_a.bits, 2u);
  EXPECT_EQ(of(8, 8)[0].of_a.sparse, 2u);
  EXPECT_EQ(of(8, 8)[0].of_b.sparse, 2u);
  EXPECT_EQ(exact_problems({.n = 32768, .of_a = {1, 7}, .of_b = {2, 7}}, 8, 8)[0].of_a.sparse, 3u);
}

// One in four numbers is no zero, and half of those are negative: 5 standard deviations of 10,000 draws.
TEST(GemmVerify, SparseNumbers) {
  int positive = 0, negative = 0;
  const Numbers sparse{.seed = 5, .bits = 0, .sparse = 2};
  for (std::uint64_t i = 0; i < 10000; ++i) positive += sparse.at(i) == 1, negative += sparse.at(i) == -1;
  EXPECT_NEAR(positive, 1250, 165);
  EXPECT_NEAR(negative, 1250, 165);
}

// Exact products whose sums are made in FP32, right to the last bit; with shortened operands or lost terms most rows
// are wrong.
TEST(GemmVerify, ExactProductsTellShortenedOperandsAndLostTerms) {
  const Problem like{.n = 64, .of_a = {11, 23}, .of_b = {12, 23}};
  for (const Type& type : kTypes) {
    for (const Problem& p : exact_problems(like, type.operand_digits, type.sum_digits)) {
      const auto wrong = [&](std::uint64_t lost, int bits) {
        std::vector<double> c(p.n * p.n);
        for (std::uint64_t i = 0; i < p.n; ++i) {
          for (std::uint64_t j = 0; j < p.n; ++j) {
            float sum = 0;
            for (std::uint64_t k = lost; k < p.n; ++k)
              sum += static_cast<float>(shortened(static_cast<double>(p.a(i, k)), bits) *
                                        shortened(static_cast<double>(p.b(k, j)), bits));
            c[i + j * p.n] = static_cast<double>(sum);
          }
        }
        return exact(p, c).wrong;
      };
      EXPECT_EQ(wrong(0, 53), 0u) << type.name;
      EXPECT_GT(wrong(4, 53), 60u) << type.name;
      if (type.bits == 23) {
        EXPECT_GT(wrong(0, 11), 60u) << "FP32 as TF32";
        EXPECT_GT(wrong(0, 8), 60u) << "FP32 as bfloat16";
      }
    }
  }
}

}  // namespace
}  // namespace clusterc::gemm
