#include "hpl/mixed.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "harness/fault.h"
#include "harness/loop.h"
#include "hpl/kernels.h"
#include "hpl/square.h"
#include "mpi/job.h"

namespace clusterc::hpl {
using namespace harness;
using mpi::check;

class MixedSolver::Impl {
 public:
  Impl(const Problem& problem, Precision precision, const Grid& grid, std::shared_ptr<Blas> blas, MixedPart& part,
       Pulse& pulse, std::function<void(double)> progress)
      : p_(problem),
        precision_(precision),
        grid_(grid),
        blas_(std::move(blas)),
        part_(part),
        pulse_(pulse),
        progress_(std::move(progress)),
        rows_{.nb = p_.nb, .parts = p_.rows, .me = grid.my_row},
        columns_{.nb = p_.nb, .parts = p_.columns, .me = grid.my_column},
        row_count_(rows_.below(p_.n)),
        column_count_(columns_.below(p_.n)),
        blocks_((p_.n + p_.nb - 1) / p_.nb),
        // Elements of L are near 1 / sqrt(N), which 16 bits of FP16 hold to all their places only above 2^-14.
        scale_(static_cast<float>(std::exp2(std::floor(std::log2(static_cast<double>(p_.n)) / 2)))) {
    part_.allocate(p_, precision_, rows_, columns_, row_count_, column_count_);
    const Index width = std::min(p_.nb, p_.n);
    square_ = part_.host_memory(static_cast<std::size_t>(square_length(width)));
    if (p_.columns > 1) left_ = part_.host_memory(static_cast<std::size_t>(panel_length(row_count_, width)));
    if (p_.rows > 1) upper_ = part_.host_memory(static_cast<std::size_t>(panel_length(width, column_count_)));
  }

  MixedSolution solve() {
    MixedSolution s;
    pulse_.at(Phase::start);
    check(MPI_Barrier(grid_.all), "MPI_Barrier");
    const double begin = now_seconds();
    pulse_.at(Phase::fill);
    for (Index column = 0; column < column_count_; column += kColumns) {
      part_.fill(column, std::min(kColumns, column_count_ - column));
      pulse_.beat();
    }
    s.phases.fill = now_seconds() - begin;
    factor(0, s);
    exchange(0, s);
    for (Index k = 0; k < blocks_; ++k) step(k, s);
    s.phases.update = part_.take_update_seconds();
    const double factored = now_seconds();
    Index none = s.no_pivot < 0 ? p_.n : s.no_pivot;
    check(MPI_Allreduce(MPI_IN_PLACE, &none, 1, MPI_INT64_T, MPI_MIN, grid_.all), "MPI_Allreduce");
    s.no_pivot = none < p_.n ? none : -1;
    if (s.no_pivot < 0)
      refine(s);
    else
      s.x.assign(static_cast<std::size_t>(column_count_), 0.0);
    const double end = now_seconds();
    s.phases.refinement = end - factored;
    s.seconds = end - begin;
    return s;
  }

  Residual residual(const MixedSolution& s) { return residual_of(p_, grid_, products(), s.x, pulse_); }

  double gemm_seconds() {
    pulse_.at(Phase::dgemm);
    check(MPI_Barrier(grid_.all), "MPI_Barrier");
    const double seconds = part_.time_gemm(p_.nb);
    pulse_.beat();
    return seconds;
  }

 private:
  static constexpr Index kColumns = 64;  // filled between two signs of life

  Index begin_of(Index block) const { return block * p_.nb; }
  Index end_of(Index block) const { return std::min(p_.n, (block + 1) * p_.nb); }
  Index width_of(Index block) const { return end_of(block) - begin_of(block); }
  int column_of(Index block) const { return columns_.owner(begin_of(block)); }
  int row_of(Index block) const { return rows_.owner(begin_of(block)); }
  bool owns_column(Index block) const { return column_of(block) == grid_.my_column; }
  bool owns_row(Index block) const { return row_of(block) == grid_.my_row; }

  // Of a message, in doubles: first column without a pivot | floats | checksum.
  static Index square_length(Index width) { return 1 + (width * width + 1) / 2 + 1; }
  // Columns a whole number of cache lines apart | checksum.
  Index panel_length(Index rows, Index columns) const { return padded(rows) * columns * bytes_of(precision_) / 8 + 1; }

  // `count` doubles, the last of them a checksum, from a member of a grid row or column to its others.
  void broadcast(double* message, Index count, MPI_Comm comm, int root, int me, int size, Index step, int peer,
                 MixedSolution& s) {
    if (size == 1) return;
    if (me == root) message[count - 1] = std::bit_cast<double>(sum_words(message, count - 1));
    pulse_.at(Phase::panel_broadcast, step, me == root ? -1 : peer);
    constexpr Index kChunk = 1 << 23;  // 64 MiB
    for (Index at = 0; at < count; at += kChunk) {
      check(MPI_Bcast(message + at, static_cast<int>(std::min(kChunk, count - at)), MPI_DOUBLE, root, comm),
            "MPI_Bcast of a panel");
      pulse_.beat();
    }
    if (me == root) return;
    if (++s.messages == 1 && grid_.my_row == p_.rows - 1 && grid_.my_column == p_.columns - 1)
      fault_flip_bit(message + 1, 0);
    if (std::bit_cast<std::uint64_t>(message[count - 1]) != sum_words(message, count - 1)) ++s.damaged;
  }
  void along_row(double* message, Index count, Index k, MixedSolution& s) {
    broadcast(message, count, grid_.row, column_of(k), grid_.my_column, p_.columns, k,
              grid_.rank_of(grid_.my_row, column_of(k)), s);
  }
  void along_column(double* message, Index count, Index k, MixedSolution& s) {
    broadcast(message, count, grid_.column, row_of(k), grid_.my_row, p_.rows, k,
              grid_.rank_of(row_of(k), grid_.my_column), s);
  }

  // The square of block k, and the panels beside it, by those who have them.
  void factor(Index k, MixedSolution& s) {
    if (!owns_row(k) && !owns_column(k)) return;
    const double begin = now_seconds();
    const Index width = width_of(k), row = rows_.below(begin_of(k)), column = columns_.below(begin_of(k)),
                length = square_length(width);
    auto* const square = reinterpret_cast<float*>(square_.get() + 1);
    part_.finish_loads();
    if (owns_row(k) && owns_column(k)) {
      pulse_.at(Phase::panel, k);
      square_[static_cast<std::size_t>(length - 2)] = 0;  // half of it may be nobody's
      part_.read_square(row, column, width, square);
      const Index none = factor_square(square, width, width, *blas_);
      square_[0] = static_cast<double>(none < 0 ? none : begin_of(k) + none);
      if (k == 0 && p_.rows * p_.columns == 1)
        fault_flip_bit(square, 2);  // 2^-7 of its first element; where messages are sent, one of those is damaged
    }
    if (owns_row(k)) along_row(square_.get(), length, k, s);
    if (owns_column(k)) along_column(square_.get(), length, k, s);
    if (square_[0] >= 0 && s.no_pivot < 0) s.no_pivot = static_cast<Index>(square_[0]);
    part_.load_triangles(square, width);
    if (owns_row(k) && owns_column(k)) part_.keep_triangles(row, column);
    const Index under = rows_.below(end_of(k)), beside = columns_.below(end_of(k));
    if (owns_column(k))
      part_.make_left({.row = under, .rows = row_count_ - under, .column = column, .columns = width}, scale_);
    if (owns_row(k)) part_.make_upper({.row = row, .rows = width, .column = beside, .columns = column_count_ - beside});
    s.phases.square += now_seconds() - begin;
  }

  // The panels of block k, to all who multiply with them.
  void exchange(Index k, MixedSolution& s) {
    const double begin = now_seconds();
    const Index width = width_of(k), under = rows_.below(end_of(k)), beside = columns_.below(end_of(k)),
                rows = row_count_ - under, columns = column_count_ - beside;
    part_.finish_loads();
    if (rows > 0 && p_.columns > 1) {
      if (owns_column(k)) part_.read_left(rows, width, left_.get());
      along_row(left_.get(), panel_length(rows, width), k, s);
      if (!owns_column(k)) part_.load_left(left_.get(), rows, width);
    }
    if (columns > 0 && p_.rows > 1) {
      if (owns_row(k)) part_.read_upper(width, columns, upper_.get());
      along_column(upper_.get(), panel_length(width, columns), k, s);
      if (!owns_row(k)) part_.load_upper(upper_.get(), width, columns);
    }
    part_.turn(under, beside, width, scale_);
    s.phases.panels += now_seconds() - begin;
  }

  void step(Index k, MixedSolution& s) {
    const bool another = k + 1 < blocks_;
    Index row = rows_.below(end_of(k)), column = columns_.below(end_of(k));
    pulse_.at(Phase::update, k);
    if (another) {
      const Index width = width_of(k + 1);
      if (owns_column(k + 1)) {
        part_.update({.row = row, .rows = row_count_ - row, .column = column, .columns = width});
        column += width;
      }
      if (owns_row(k + 1)) {
        part_.update({.row = row, .rows = width, .column = column, .columns = column_count_ - column});
        row += width;
      }
      part_.mark();
    }
    // A device has a third of the rest to do while the next square is factored; its panels are made before the other
    // two, and travel meanwhile.
    const Index rest = column_count_ - column, some = rest / 3;
    update({.row = row, .rows = row_count_ - row, .column = column, .columns = some}, width_of(k));
    if (another) factor(k + 1, s);
    pulse_.at(Phase::update, k);
    update({.row = row, .rows = row_count_ - row, .column = column + some, .columns = rest - some}, width_of(k));
    if (another) exchange(k + 1, s);
    if (progress_) {
      const double left = static_cast<double>(p_.n - end_of(k)) / static_cast<double>(p_.n);
      progress_(1 - left * left * left);
    }
  }

  // In pieces, a sign of life after each.
  void update(const Block& block, Index width) {
    if (block.empty()) return;
    const double work =
        2.0 * static_cast<double>(block.rows) * static_cast<double>(block.columns) * static_cast<double>(width);
    const Index pieces = std::clamp<Index>(static_cast<Index>(work / part_.piece() + 0.5), 1, block.columns);
    for (Index piece = 0; piece < pieces; ++piece) {
      const Index from = block.columns * piece / pieces, to = block.columns * (piece + 1) / pieces;
      part_.update({.row = block.row, .rows = block.rows, .column = block.column + from, .columns = to - from});
      pulse_.beat();
    }
  }

  Products products() {
    return [this](Index row, Index rows, const double* x, double* product, double* magnitude) {
      part_.products(row, rows, x, product, magnitude);
    };
  }

  void refine(MixedSolution& s) {
    s.x.assign(static_cast<std::size_t>(column_count_), 0.0);
    std::vector<double> r(static_cast<std::size_t>(row_count_));  // of x = 0: b
    double norm_b = 0;
    for (Index i = 0; i < row_count_; ++i) {
      r[static_cast<std::size_t>(i)] = p_.element(rows_.global(i), p_.n);
      norm_b = std::max(norm_b, std::fabs(r[static_cast<std::size_t>(i)]));
    }
    check(MPI_Allreduce(MPI_IN_PLACE, &norm_b, 1, MPI_DOUBLE, MPI_MAX, grid_.all), "MPI_Allreduce");
    Residual now{.norm_r = norm_b};
    while (s.steps < kMostSteps && now.norm_r > 0) {
      const std::vector<double> d = correction(r, now.norm_r);
      for (std::size_t i = 0; i < d.size(); ++i) s.x[i] += now.norm_r * d[i];
      now = residual_of(p_, grid_, products(), s.x, pulse_, &r);
      if (++s.steps == 1) s.left_by_factors = now.norm_r / norm_b;
      if (now.scaled < kThreshold || !std::isfinite(now.norm_r)) break;
    }
  }

  // L U d = r / norm, so that FP32 holds all of it. `r` is of my rows, the same on all ranks of a grid row; d of my
  // columns, as x is.
  std::vector<double> correction(const std::vector<double>& r, double norm) {
    std::vector<double> d(static_cast<std::size_t>(column_count_)), sum(static_cast<std::size_t>(row_count_)),
        next(sum.size());
    if (grid_.my_column == 0) {
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = r[i] / norm;
    }
    auto* const square = reinterpret_cast<float*>(square_.get() + 1);
    part_.finish_loads();
    // What L d' = r leaves at the owner of a square is the right-hand side of U d = d'.
    for (Index k = 0; k < blocks_; ++k) {
      block_of(k, sum, d, [&](double* x, Index width) {
        for (Index l = 0; l < width; ++l) {
          for (Index i = l + 1; i < width; ++i) x[i] -= static_cast<double>(square[i + l * width]) * x[l];
        }
        std::copy(x, x + width, next.data() + rows_.below(begin_of(k)));
      });
      const Index under = rows_.below(end_of(k));
      if (owns_column(k))
        subtract(
            {.row = under, .rows = row_count_ - under, .column = columns_.below(begin_of(k)), .columns = width_of(k)},
            d, sum);
    }
    for (Index k = blocks_ - 1; k >= 0; --k) {
      block_of(k, next, d, [&](double* x, Index width) {
        for (Index l = width - 1; l >= 0; --l) {
          x[l] /= static_cast<double>(square[l + l * width]);
          for (Index i = 0; i < l; ++i) x[i] -= static_cast<double>(square[i + l * width]) * x[l];
        }
      });
      if (owns_column(k))
        subtract(
            {.row = 0, .rows = rows_.below(begin_of(k)), .column = columns_.below(begin_of(k)), .columns = width_of(k)},
            d, next);
    }
    return d;
  }

  // Adds up what the ranks of the grid row have for block k, solves with its square, and gives the unknowns to those of
  // the grid column.
  template <class Solve>
  void block_of(Index k, std::vector<double>& sum, std::vector<double>& d, const Solve& solve) {
    const Index width = width_of(k), row = rows_.below(begin_of(k)), column = columns_.below(begin_of(k));
    const int count = static_cast<int>(width);
    double* const mine = sum.data() + row;
    double* const unknowns = d.data() + column;
    pulse_.at(Phase::back_substitution, k);
    if (owns_row(k))
      check(MPI_Reduce(owns_column(k) ? MPI_IN_PLACE : mine, owns_column(k) ? mine : nullptr, count, MPI_DOUBLE,
                       MPI_SUM, column_of(k), grid_.row),
            "MPI_Reduce of sums");
    if (!owns_column(k)) return;
    if (owns_row(k)) {
      part_.read_square(row, column, width, reinterpret_cast<float*>(square_.get() + 1));
      std::copy(mine, mine + width, unknowns);
      solve(unknowns, width);
    }
    check(MPI_Bcast(unknowns, count, MPI_DOUBLE, row_of(k), grid_.column), "MPI_Bcast of unknowns");
  }
  void subtract(const Block& block, const std::vector<double>& d, std::vector<double>& sum) {
    if (!block.empty()) part_.subtract_product(block, d.data() + block.column, sum.data() + block.row);
  }

  const Problem p_;
  const Precision precision_;
  const Grid& grid_;
  const std::shared_ptr<Blas> blas_;
  MixedPart& part_;
  Pulse& pulse_;
  const std::function<void(double)> progress_;
  const Axis rows_, columns_;
  const Index row_count_, column_count_, blocks_;
  const float scale_;
  Array square_, left_, upper_;  // messages
};

MixedSolver::MixedSolver(const Problem& problem, Precision precision, const Grid& grid, std::shared_ptr<Blas> blas,
                         MixedPart& part, Pulse& pulse, std::function<void(double)> progress)
    : impl_(std::make_unique<Impl>(problem, precision, grid, std::move(blas), part, pulse, std::move(progress))) {}
MixedSolver::~MixedSolver() = default;
MixedSolution MixedSolver::solve() { return impl_->solve(); }
Residual MixedSolver::residual(const MixedSolution& s) { return impl_->residual(s); }
double MixedSolver::gemm_seconds() { return impl_->gemm_seconds(); }

}  // namespace clusterc::hpl
