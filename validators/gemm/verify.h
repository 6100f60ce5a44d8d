// Is C really A times B? Two answers, both from inputs made again by the generator, none from the arrays that were
// multiplied.
//
// Exact: the inputs are whole numbers so small that every product and every partial sum is exact in the type, so C must
// be right to the last bit whatever order the library adds in. R. Freivalds' check (IFIP Congress 1977) covers every
// element at O(n^2): with a random vector x, C x must equal A (B x). In arithmetic modulo 2^64 with odd x, one wrong
// element in a row cannot hide, and several cancel with a probability near 2^-63.  Example, n = 1: A = 3, B = 5, x = 7:
// B x = 35, A (B x) = 105 = 15 * 7 = C x.
//
// Sampled: where the inputs fill their mantissas and C is rounded, elements are drawn at random and compared with a dot
// product in higher precision, within the rounding that any order of summation may cause (N. J. Higham, "Accuracy and
// stability of numerical algorithms", 2nd ed., 2002, section 3.1: |error| <= gamma_k * sum |a||b|, gamma_k = k u / (1 -
// k u)).
//
// FP8: the tensor cores of Hopper add products of 32 terms with 13 bits behind the point, whatever the library calls
// the type of the sums; it promotes what they have to FP32 now and then (cublasLt.h, CUBLASLT_MATMUL_DESC_FAST_ACCUM:
// "periodically"). The 13 bits and a promotion after 128 terms are DeepSeek-AI's (DeepSeek-V3 technical report,
// arXiv:2412.19437, 3.3.2: "around 14 bits", N_C = 128); cuBLAS's own interval is not published. Four additions of 32
// terms and the alignment of the products: |error| <= 5 * 2^-13 * sum |a||b| within each stretch, and so over all of
// them; `narrow` adds it to gamma_k.
#pragma once
#include <cmath>
#include <cstdint>
#include <functional>

#include "harness/inputs.h"

namespace clusterc::gemm {

// Element `index` of an operand: a whole number, uniform in [-2^bits, 2^bits).
CLUSTERC_BOTH constexpr std::int64_t whole_number(std::uint64_t seed, std::uint64_t index, unsigned bits) {
  return static_cast<std::int64_t>(harness::random_bits(seed, index) >> (63 - bits)) - (std::int64_t{1} << bits);
}

struct Problem {
  std::uint64_t n = 0;  // all matrices are n x n, stored by columns
  unsigned bits = 0;    // of the operands' whole numbers
  std::uint64_t seed_a = 0, seed_b = 0;
  bool a_by_rows = false;  // A is stored by rows: what 8-bit products of the library ask for
  std::int64_t a(std::uint64_t row, std::uint64_t column) const {
    return whole_number(seed_a, a_by_rows ? column + row * n : row + column * n, bits);
  }
  std::int64_t b(std::uint64_t row, std::uint64_t column) const { return whole_number(seed_b, row + column * n, bits); }
};

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
// Also looks through all of C for elements that are not finite: what was never written is still the poison.
Check verify_sampled(const Problem&, const Rounding&, std::uint64_t samples, std::uint64_t seed,
                     const std::function<double(std::uint64_t row, std::uint64_t column)>& c);

}  // namespace clusterc::gemm
