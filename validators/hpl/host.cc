// The host back end: the part of the matrix in this process's memory, the arithmetic by the machine's BLAS.
#include <algorithm>
#include <cstring>

#include "harness/loop.h"
#include "harness/machine.h"
#include "hpl/backend.h"

namespace clusterc::hpl {
namespace {

class HostPart final : public LocalPart {
 public:
  explicit HostPart(std::shared_ptr<harness::Blas> blas) : blas_(std::move(blas)) {}

  harness::Device device() const override {
    return {.backend = harness::Backend::host, .label = "ranks", .name = harness::cpu_model()};
  }

  double piece() const override { return 4e9; }  // tens of milliseconds on one core; smaller pieces cost DGEMM its rate

  void allocate(const Problem& problem, const Axis& rows, const Axis& columns, Index row_count,
                Index column_count) override {
    problem_ = problem;
    row_axis_ = rows;
    column_axis_ = columns;
    rows_ = row_count;
    columns_ = column_count;
    unknowns_ = columns.below(problem.n);
    ld_ = padded(std::max<Index>(columns_, 1));
    matrix_ = hpl::allocate(static_cast<std::size_t>(rows_ * ld_));
    u_ = hpl::allocate(static_cast<std::size_t>(problem.nb * ld_));
  }

  void fill(Index row, Index rows) override {
    for (Index i = row; i < row + rows; ++i) {
      const Index global = row_axis_.global(i);
      double* const to = matrix_.get() + i * ld_;
      for (Index j = 0; j < columns_; ++j) to[j] = problem_.element(global, column_axis_.global(j));
    }
  }

  void read_block(Index row, Index column, Index rows, Index columns, double* out, Index ld) override {
    // Squares of 8 x 8: a cache line of every row that is read, and of every column that is written.
    constexpr Index kSide = 8;
    for (Index i0 = 0; i0 < rows; i0 += kSide) {
      const Index i1 = std::min(i0 + kSide, rows);
      for (Index j0 = 0; j0 < columns; j0 += kSide) {
        const Index j1 = std::min(j0 + kSide, columns);
        for (Index j = j0; j < j1; ++j) {
          for (Index i = i0; i < i1; ++i)
            out[i + j * ld] = matrix_[static_cast<std::size_t>((row + i) * ld_ + column + j)];
        }
      }
    }
  }

  void load_panel(const Panel& panel) override { panel_ = &panel; }
  void write_upper(Index row, Index column) override {
    const Index width = panel_->width();
    for (Index i = 0; i < width; ++i) {
      for (Index j = i; j < width; ++j) *at(row + i, column + j) = panel_->top()[i + j * width];
    }
  }

  void gather(std::span<const Move> moves, Index column, Index columns) override {
    for (const Move& move : moves) copy(at(move.from, column), u_row(move.to, columns), columns);
  }
  void move_rows(std::span<const Move> moves, Index column, Index columns) override {
    for (const Move& move : moves) copy(at(move.from, column), at(move.to, column), columns);
  }
  void pack(std::span<const Index> rows, Index column, Index columns, double* out) override {
    for (const Index row : rows) {
      copy(at(row, column), out, columns);
      out += columns;
    }
  }
  void unpack_to_u(std::span<const Index> rows_of_u, Index, Index columns, const double* in) override {
    for (const Index row : rows_of_u) {
      copy(in, u_row(row, columns), columns);
      in += columns;
    }
  }
  void unpack_to_matrix(std::span<const Index> rows, Index column, Index columns, const double* in) override {
    for (const Index row : rows) {
      copy(in, at(row, column), columns);
      in += columns;
    }
  }

  // The BLAS counts by columns, so it sees the transposes: U^T := U^T L11^-T, C^T -= U^T L21^T.
  void update(Index top_row, Index first_row, Index column, Index columns) override {
    const int n = static_cast<int>(columns), width = static_cast<int>(panel_->width()),
              ldu = static_cast<int>(padded(columns)), ld = static_cast<int>(ld_);
    const double one = 1, minus = -1;
    if (n == 0) return;
    blas_->dtrsm("R", "L", "T", "U", &n, &width, &one, panel_->top(), &width, u_.get(), &ldu);
    if (top_row >= 0) {
      for (Index i = 0; i < width; ++i) copy(u_row(i, columns), at(top_row + i, column), columns);
    }
    if (const int rows = static_cast<int>(panel_->rows()); rows > 0) {
      const int ldl = static_cast<int>(panel_->ld());
      blas_->dgemm("N", "T", &n, &rows, &width, &minus, u_.get(), &ldu, panel_->below(), &ldl, &one,
                   at(first_row, column), &ld);
    }
  }

  void subtract_product(Index row, Index column, Index rows, Index columns, const double* x, double* sum) override {
    if (rows == 0 || columns == 0) return;
    const int m = static_cast<int>(columns), n = static_cast<int>(rows), ld = static_cast<int>(ld_), step = 1;
    const double one = 1, minus = -1;
    blas_->dgemv("T", &m, &n, &minus, at(row, column), &ld, x, &step, &one, sum, &step);
  }

  void products(Index row, Index rows, const double* x, double* product, double* magnitude) override {
    problem_.products(row_axis_, column_axis_, row, rows, unknowns_, x, product, magnitude);
  }

  double time_dgemm(Index width) override {
    if (rows_ == 0 || unknowns_ == 0) return 0;
    const int m = static_cast<int>(unknowns_), n = static_cast<int>(rows_), k = static_cast<int>(width),
              ldu = static_cast<int>(ld_), ld = static_cast<int>(ld_);
    const double one = 1, minus = -1;
    const Index ldl = padded(rows_);
    if (left_size_ < ldl * width) {
      left_ = hpl::allocate(static_cast<std::size_t>(ldl * width));
      left_size_ = ldl * width;
    }
    const int ldl_int = static_cast<int>(ldl);
    // Random operands near 1/2^20, so that the matrix neither grows nor is a constant.
    for (Index i = 0; i < ldl * width; ++i)
      left_[static_cast<std::size_t>(i)] =
          0x1p-20 * harness::random_signed(problem_.seed ^ 1, static_cast<std::uint64_t>(i));
    for (Index i = 0; i < width * ld_; ++i)
      u_[static_cast<std::size_t>(i)] =
          0x1p-20 * harness::random_signed(problem_.seed ^ 2, static_cast<std::uint64_t>(i));
    const double begin = harness::now_seconds();
    blas_->dgemm("N", "T", &m, &n, &k, &minus, u_.get(), &ldu, left_.get(), &ldl_int, &one, matrix_.get(), &ld);
    return harness::now_seconds() - begin;
  }

 private:
  double* at(Index row, Index column) { return matrix_.get() + row * ld_ + column; }
  double* u_row(Index row, Index columns) { return u_.get() + row * padded(columns); }
  static void copy(const double* from, double* to, Index count) {
    std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(double));
  }

  std::shared_ptr<harness::Blas> blas_;
  Problem problem_;
  Axis row_axis_, column_axis_;
  Index rows_ = 0, columns_ = 0, unknowns_ = 0, ld_ = 8, left_size_ = 0;
  Array matrix_, u_, left_;
  const Panel* panel_ = nullptr;
};

}  // namespace

std::unique_ptr<LocalPart> host_part(std::shared_ptr<harness::Blas> blas) {
  return std::make_unique<HostPart>(std::move(blas));
}

}  // namespace clusterc::hpl
