// What the kernels of a device do to one element, number `i` of `count()`: a CUDA grid strides over the numbers, and
// the tests count through them. Matrices lie by rows (backend.h), panels by columns; in the mixed-precision mode all
// lies by columns.
#pragma once
#include "hpl/narrow.h"
#include "hpl/problem.h"

namespace clusterc::hpl {

struct RowMove {  // local rows: a device holds fewer than 2^31
  std::int32_t from, to;
};

// Rows of one array to rows of another, `columns` of each. As many as fit the arguments of a kernel beside the rest (4
// KB).
struct CopyRows {
  static constexpr int kMost = 256;
  const double* from = nullptr;
  double* to = nullptr;
  Index from_ld = 0, to_ld = 0, columns = 0;
  int rows = 0;
  RowMove moves[kMost] = {};
  CLUSTERC_BOTH Index count() const { return rows * columns; }
  CLUSTERC_BOTH void operator()(Index i) const {
    const RowMove& move = moves[i / columns];
    to[move.to * to_ld + i % columns] = from[move.from * from_ld + i % columns];
  }
};

// Rows [0, rows) of a block, in their order.
struct CopyBlock {
  const double* from = nullptr;
  double* to = nullptr;
  Index from_ld = 0, to_ld = 0, rows = 0, columns = 0;
  CLUSTERC_BOTH Index count() const { return rows * columns; }
  CLUSTERC_BOTH void operator()(Index i) const {
    to[i / columns * to_ld + i % columns] = from[i / columns * from_ld + i % columns];
  }
};

// A block by rows to one by columns.
struct ToColumns {
  const double* from = nullptr;
  double* to = nullptr;
  Index from_ld = 0, to_ld = 0, rows = 0, columns = 0;
  CLUSTERC_BOTH Index count() const { return rows * columns; }
  CLUSTERC_BOTH void operator()(Index i) const {
    to[i / columns + i % columns * to_ld] = from[i / columns * from_ld + i % columns];
  }
};

// The upper triangle, with the diagonal, of a square by columns to one by rows.
struct CopyUpper {
  const double* from = nullptr;
  double* to = nullptr;
  Index to_ld = 0, width = 0;
  CLUSTERC_BOTH Index count() const { return width * width; }
  CLUSTERC_BOTH void operator()(Index i) const {
    const Index row = i / width, column = i % width;
    if (column >= row) to[row * to_ld + column] = from[row + column * width];
  }
};

// Local rows [row, row + rows) of [A b].
struct FillMatrix {
  Problem problem = {};
  Axis row_axis = {}, column_axis = {};
  double* to = nullptr;
  Index ld = 0, row = 0, rows = 0, columns = 0;
  CLUSTERC_BOTH Index count() const { return rows * columns; }
  CLUSTERC_BOTH void operator()(Index i) const {
    const Index local = row + i / columns, column = i % columns;
    to[local * ld + column] = problem.element(row_axis.global(local), column_axis.global(column));
  }
};

// Numbers near 2^-20: a product of them leaves the matrix as it is to the eye.
struct FillSmall {
  double* to = nullptr;
  Index size = 0;
  std::uint64_t seed = 0;
  CLUSTERC_BOTH Index count() const { return size; }
  CLUSTERC_BOTH void operator()(Index i) const {
    to[i] = 0x1p-20 * harness::random_signed(seed, static_cast<std::uint64_t>(i));
  }
};

// Of each local row [row, row + rows), in kParts parts of its columns: sums of element * x and of |element|. Part p of
// row r: sums[2 (r kParts + p)] and the word behind it.
struct PartialProducts {
  static constexpr Index kParts = 256, kRows = 64;  // kRows at once
  Problem problem = {};
  Axis row_axis = {}, column_axis = {};
  const double* x = nullptr;
  double* sums = nullptr;
  Index row = 0, rows = 0, columns = 0;
  CLUSTERC_BOTH Index count() const { return rows * kParts; }
  CLUSTERC_BOTH void operator()(Index i) const {
    const Index global = row_axis.global(row + i / kParts), part = i % kParts;
    double sum = 0, size = 0;
    for (Index j = columns * part / kParts; j < columns * (part + 1) / kParts; ++j) {
      const double element = problem.element(global, column_axis.global(j));
      sum += element * x[j];
      size += element < 0 ? -element : element;
    }
    sums[2 * i] = sum;
    sums[2 * i + 1] = size;
  }
};

// Local columns [column, column + columns) of A, in FP32.
struct FillFloats {
  Problem problem = {};
  Axis row_axis = {}, column_axis = {};
  float* to = nullptr;
  Index ld = 0, rows = 0, column = 0, columns = 0;
  CLUSTERC_BOTH Index count() const { return rows * columns; }
  CLUSTERC_BOTH void operator()(Index i) const {
    const Index row = i % rows, local = column + i / rows;
    to[row + local * ld] = static_cast<float>(problem.element(row_axis.global(row), column_axis.global(local)));
  }
};

struct CopyFloats {
  const float* from = nullptr;
  float* to = nullptr;
  Index from_ld = 0, to_ld = 0, rows = 0, columns = 0;
  CLUSTERC_BOTH Index count() const { return rows * columns; }
  CLUSTERC_BOTH void operator()(Index i) const {
    to[i % rows + i / rows * to_ld] = from[i % rows + i / rows * from_ld];
  }
};

// Of that precision, multiplied with `scale` before.
struct RoundBlock {
  const float* from = nullptr;
  void* to = nullptr;
  Precision precision = Precision::fp32;
  float scale = 1;
  Index from_ld = 0, to_ld = 0, rows = 0, columns = 0;
  CLUSTERC_BOTH Index count() const { return rows * columns; }
  CLUSTERC_BOTH void operator()(Index i) const {
    store(to, precision, i % rows + i / rows * to_ld, scale * from[i % rows + i / rows * from_ld]);
  }
};

// Numbers near 2^-10, of that precision.
struct FillRounded {
  void* to = nullptr;
  Precision precision = Precision::fp32;
  Index size = 0;
  std::uint64_t seed = 0;
  CLUSTERC_BOTH Index count() const { return size; }
  CLUSTERC_BOTH void operator()(Index i) const {
    store(to, precision, i, 0x1p-10F * harness::random_signed_float(seed, static_cast<std::uint64_t>(i)));
  }
};

}  // namespace clusterc::hpl
