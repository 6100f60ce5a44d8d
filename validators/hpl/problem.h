// The system [A b]: N rows, N + 1 columns, each element a pure function of its place.
#pragma once
#include "harness/inputs.h"
#include "hpl/layout.h"

namespace clusterc::hpl {

// What the matrix is. The validator solves `random` only; the others show that a singular matrix is noticed.
enum class MatrixKind : std::uint8_t { random, zero, zero_column, equal_rows };

struct Problem {
  Index n = 0, nb = 1;
  int rows = 1, columns = 1;  // of the process grid: P, Q
  std::uint64_t seed = 1;
  MatrixKind kind = MatrixKind::random;
  double diagonal = 0;  // added to each element on it (mixed.h)

  // [-0.5, 0.5), as HPL's own generator has it; column n is b.
  CLUSTERC_BOTH double element(Index i, Index j) const {
    if (j < n) {
      if (kind == MatrixKind::zero || (kind == MatrixKind::zero_column && j == n / 2)) return 0;
      if (kind == MatrixKind::equal_rows && i == n - 1) i = 0;
    }
    return harness::random_unit(
               seed, static_cast<std::uint64_t>(i) + static_cast<std::uint64_t>(j) * static_cast<std::uint64_t>(n)) -
           0.5 + (i == j ? diagonal : 0);
  }

  // Of local rows [row, row + count), sums over the first `unknowns` local columns of element * x and of |element|.
  void products(const Axis& row_axis, const Axis& column_axis, Index row, Index count, Index unknowns, const double* x,
                double* product, double* magnitude) const {
    for (Index i = 0; i < count; ++i) {
      const Index global = row_axis.global(row + i);
      double sum = 0, size = 0;
      for (Index j = 0; j < unknowns; ++j) {
        const double value = element(global, column_axis.global(j));
        sum += value * x[j];
        size += value < 0 ? -value : value;
      }
      product[i] = sum;
      magnitude[i] = size;
    }
  }
};

// Operations that HPL counts (TOP500: 2/3 N^3 + 2 N^2 and lower terms; HPL's own program: this).
constexpr double operations(Index n) {
  const auto order = static_cast<double>(n);
  return order * order * (2.0 / 3.0 * order + 1.5);
}

}  // namespace clusterc::hpl
