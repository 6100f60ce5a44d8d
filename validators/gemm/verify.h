// Is C really A times B? Two answers, both from inputs made again by the generator, none from the arrays that were
// multiplied.
//
// Exact: the inputs are whole numbers so small that every product and every partial sum is exact in the type, so C must
// be right to the last bit whatever order the library adds in. R. Freivalds' check (IFIP Congress 1977) covers every
// element at O(n^2): with a random vector x, C x must equal A (B x). In arithmetic modulo 2^64 with odd x, one wrong
// element in a row cannot hide, and several cancel with a probability near 2^-63.  Example, n = 1: A = 3, B = 5, x = 7:
// B x = 35, A (B x) = 105 = 15 * 7 = C x.
//
// Which whole numbers: one operand has as many bits as its type and the sums allow, the other is sparse: one number in
// four is 1 or -1, and all others are 0. So the first must be multiplied with all of its bits; then the two change
// places. Where the result holds few bits (16-bit types), both are sparse. That sums are exact is no certainty but
// beyond doubt: they stay within eight standard deviations with a probability of 1 - 2^-49 each.
//
// Sampled: where the inputs fill their mantissas and C is rounded, elements are drawn at random and compared with a dot
// product in higher precision. Roundings are as often up as down, so their sum grows as the root of their number:
// |error|
// <= lambda sqrt(k) u sum |a||b| (N. J. Higham and T. Mary, "A new approach to probabilistic rounding error analysis",
// SIAM J. Sci. Comput. 41, 2019, theorem 3.1 to first order in u), here with lambda = 4. For our operands, whose signs
// are random, that is far more than a right product needs, also where sums are truncated: a truncation is at most u of
// the partial sum, which itself grows as sqrt(k), and k of them are below k^1.5 u/3 for products of variance 1/9, where
// the bound is k^1.5 u. The deterministic bound (gamma_k, which grows as k) is sqrt(k) / 4 times as wide: it let the
// loss of 32 terms of 16,384 pass.
//
// FP8: the tensor cores of Hopper add products of 32 terms with 13 bits behind the point, whatever the library calls
// the type of the sums; it promotes what they have to FP32 now and then (cublasLt.h, CUBLASLT_MATMUL_DESC_FAST_ACCUM:
// "periodically"). The 13 bits and a promotion after 128 terms are DeepSeek-AI's (DeepSeek-V3 technical report,
// arXiv:2412.19437, 3.3.2: "around 14 bits", N_C = 128); cuBLAS's own interval is not published. Four additions of 32
// terms and the alignment of the products: |error| <= 5 * 2^-13 * sum |a||b| within each stretch, and so over all of
// them; `narrow` adds it to the bound.
#pragma once
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>

#include "harness/inputs.h"

namespace clusterc::gemm {

// Element `index` of an operand: a whole number, uniform in [-2^bits, 2^bits).
CLUSTERC_BOTH constexpr std::int64_t whole_number(std::uint64_t seed, std::uint64_t index, unsigned bits) {
  return static_cast<std::int64_t>(harness::random_bits(seed, index) >> (63 - bits)) - (std::int64_t{1} << bits);
}

// What an operand is made of.
struct Numbers {
  std::uint64_t seed = 0;
  unsigned bits = 0;    // whole numbers, uniform in [-2^bits, 2^bits)
  unsigned sparse = 0;  // above 0: one in 2^sparse is 1 or -1, and all others are 0
  CLUSTERC_BOTH constexpr std::int64_t at(std::uint64_t index) const {
    if (sparse == 0) return whole_number(seed, index, bits);
    const std::uint64_t drawn = harness::random_bits(seed, index);
    return drawn >> (64 - sparse) != 0 ? 0 : (drawn & 1) != 0 ? 1 : -1;
  }
};

struct Problem {
  std::uint64_t n = 0;  // all matrices are n x n, stored by columns
  Numbers of_a, of_b;
  bool a_by_rows = false;  // A is stored by rows: what 8-bit products of the library ask for
  CLUSTERC_BOTH constexpr std::int64_t a(std::uint64_t row, std::uint64_t column) const {
    return of_a.at(a_by_rows ? column + row * n : row + column * n);
  }
  CLUSTERC_BOTH constexpr std::int64_t b(std::uint64_t row, std::uint64_t column) const {
    return of_b.at(row + column * n);
  }
  // Element `column` of the vector of Freivalds' check: odd.
  CLUSTERC_BOTH constexpr std::uint64_t x(std::uint64_t column) const {
    return harness::random_bits(of_a.seed ^ of_b.seed, column) | 1;
  }
};

// The whole number that `value` is; false when it is none.
CLUSTERC_BOTH constexpr bool as_whole(double value, std::int64_t& out) {
  if (!(value <= 0x1p53 && value >= -0x1p53)) return false;
  out = static_cast<std::int64_t>(value);
  return static_cast<double>(out) == value;
}

// The two problems whose product is exact in a type of `operand_digits` significant bits with sums and a result of
// `sum_digits`: first A has the most bits, then B. `like`: order, seeds and layout.
std::array<Problem, 2> exact_problems(const Problem& like, unsigned operand_digits, unsigned sum_digits);

// The most bits with which sums of `k` products stay exact in a type of `digits` significant bits: 2 bits + ceil(log2
// k) <= digits.
unsigned exact_bits(unsigned digits, std::uint64_t k);

struct Check {
  std::uint64_t checked = 0, wrong = 0;
};

// `c(row, column)`: elements as they were computed, of operands that are exactly the problem's whole numbers.
Check verify_exact(const Problem&, const std::function<double(std::uint64_t row, std::uint64_t column)>& c);

struct Rounding {
  double scale;         // operands are whole numbers times this
  double accumulation;  // unit roundoff of the sums
  double output;        // unit roundoff of C's type
  double narrow = 0;    // of sum |a||b|, where sums are not held in the type of the accumulation all the way
};
Check verify_samples(const Problem&, const Rounding&, std::uint64_t samples, std::uint64_t seed,
                     const std::function<double(std::uint64_t row, std::uint64_t column)>& c);
// Also looks through all of C for elements that are not finite: what was never written is still the poison.
Check verify_sampled(const Problem&, const Rounding&, std::uint64_t samples, std::uint64_t seed,
                     const std::function<double(std::uint64_t row, std::uint64_t column)>& c);

}  // namespace clusterc::gemm
