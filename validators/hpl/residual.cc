#include "hpl/residual.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mpi/job.h"

namespace clusterc::hpl {
using mpi::check;

constexpr Index kRows = 64;  // checked between two signs of life

Residual residual_of(const Problem& p, const Grid& grid, const Products& products, const std::vector<double>& x,
                     Pulse& pulse, std::vector<double>* keep) {
  const Axis rows{.nb = p.nb, .parts = p.rows, .me = grid.my_row};
  const Index row_count = rows.below(p.n);
  pulse.at(Phase::residual);
  // Sums over my columns, then over the grid row; every rank of the row has them afterwards.
  std::vector<double> sums(static_cast<std::size_t>(2 * row_count));
  for (Index row = 0; row < row_count; row += kRows) {
    products(row, std::min(kRows, row_count - row), x.data(), sums.data() + row, sums.data() + row_count + row);
    pulse.beat();
  }
  constexpr Index kChunk = 1 << 24;  // elements of one all-reduce
  for (Index at = 0; at < 2 * row_count; at += kChunk) {
    check(MPI_Allreduce(MPI_IN_PLACE, sums.data() + at, static_cast<int>(std::min(kChunk, 2 * row_count - at)),
                        MPI_DOUBLE, MPI_SUM, grid.row),
          "MPI_Allreduce");
  }
  // A NaN must not vanish in a maximum: it counts as infinite.
  double norms[4] = {};  // A, x, b, r
  const auto raise = [](double& norm, double value) {
    norm = std::max(norm, std::isnan(value) ? std::numeric_limits<double>::infinity() : std::fabs(value));
  };
  std::vector<double> r(static_cast<std::size_t>(row_count));
  for (Index i = 0; i < row_count; ++i) {
    const double b = p.element(rows.global(i), p.n);
    r[static_cast<std::size_t>(i)] = b - sums[static_cast<std::size_t>(i)];
    raise(norms[0], sums[static_cast<std::size_t>(row_count + i)]);
    raise(norms[2], b);
    raise(norms[3], r[static_cast<std::size_t>(i)]);
  }
  for (const double value : x) raise(norms[1], value);
  check(MPI_Allreduce(MPI_IN_PLACE, norms, 4, MPI_DOUBLE, MPI_MAX, grid.all), "MPI_Allreduce");
  Residual out{.norm_a = norms[0], .norm_x = norms[1], .norm_b = norms[2], .norm_r = norms[3]};
  const double unit = 0x1p-53 * (out.norm_a * out.norm_x + out.norm_b) * static_cast<double>(p.n);
  // A zero right-hand side of a zero matrix: 0 / 0 is no pass either.
  out.scaled = out.norm_r / unit;
  std::uint64_t wrong = 0;
  for (const double value : r) wrong += !(std::fabs(value) < kThreshold * unit) || !std::isfinite(unit);
  if (keep) *keep = std::move(r);
  if (grid.my_column != 0) wrong = 0;  // each grid row counts once
  check(MPI_Allreduce(&wrong, &out.wrong_rows, 1, MPI_UINT64_T, MPI_SUM, grid.all), "MPI_Allreduce");
  return out;
}

}  // namespace clusterc::hpl
