#include "hpl/sizes.h"

#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "hpl/device_work.h"

namespace clusterc::hpl {

std::optional<GridShape> grid_shape(unsigned ranks, std::optional<unsigned> rows, std::optional<unsigned> columns) {
  GridShape shape;
  if (rows && columns)
    shape = {*rows, *columns};
  else if (rows)
    shape = {*rows, ranks / *rows};
  else if (columns)
    shape = {ranks / *columns, *columns};
  else {
    for (unsigned p = 1; p * p <= ranks; ++p) {
      if (ranks % p == 0) shape = {p, ranks / p};
    }
  }
  if (shape.rows == 0 || shape.columns == 0 || std::uint64_t{shape.rows} * shape.columns > ranks) return std::nullopt;
  return shape;
}

double bytes_of_rank(Index n, Index nb, GridShape shape) {
  // The rank with the most has at most one block more than its share, in both directions.
  const auto block = static_cast<double>(nb), order = static_cast<double>(n);
  const double rows = std::min(order, std::ceil(order / block / shape.rows) * block);
  const double columns = std::min(order + 1, std::ceil((order + 1) / block / shape.columns) * block);
  const double width = std::min(block, order);
  const double exchange = shape.rows > 1 ? 2 * width * columns : 0;
  return 8 * (rows * columns + width * columns + 2 * width * (rows + width) + exchange + 8 * rows);
}

double bytes_of_device(Index n, Index nb, GridShape shape) {
  const auto block = static_cast<double>(nb), order = static_cast<double>(n);
  const double line = 16;  // of padding, at most, in elements (layout.h)
  const double rows = std::min(order, std::ceil(order / block / shape.rows) * block);
  const double columns = std::min(order + 1, std::ceil((order + 1) / block / shape.columns) * block) + line;
  return 8 * (rows * columns + (shape.rows > 1 ? 2 : 1) * block * columns + 3 * block * (rows + line + block) +
              columns + rows + 2 * PartialProducts::kParts * PartialProducts::kRows);
}

double bytes_of_mixed(Index n, Index nb, GridShape shape) {
  const auto block = static_cast<double>(nb), order = static_cast<double>(n);
  const double line = 16;
  const double rows = std::min(order, std::ceil(order / block / shape.rows) * block) + line;
  const double columns = std::min(order, std::ceil(order / block / shape.columns) * block);
  const double width = std::min(block, order);
  return 4 * (rows * columns + 2 * width * rows + 2 * (width + line) * columns + 2 * width * width + width + rows) +
         8 * (columns + 2 * PartialProducts::kParts * PartialProducts::kRows);
}

Index order_for_memory(double bytes, Index nb, GridShape shape, double (*bytes_of)(Index, Index, GridShape)) {
  // Both grow with n: halve the interval. 2^31 rows is more than any machine's memory.
  Index low = 1, high = Index{1} << 31;
  while (high - low > 1) {
    const Index middle = low + (high - low) / 2;
    (bytes_of(middle, nb, shape) <= bytes ? low : high) = middle;
  }
  return low >= nb ? low / nb * nb : low;
}

Index order_for_time(double seconds, double dgemm_rate, Index nb) {
  constexpr double kShare = 0.6;  // small systems reach 0.5 to 0.8 of DGEMM (benchmarks/results/hpl)
  const double order = std::cbrt(1.5 * seconds * dgemm_rate * kShare);
  return std::max<Index>(
      1, order >= static_cast<double>(nb) ? static_cast<Index>(order) / nb * nb : static_cast<Index>(order));
}

std::string wrong_shape(const harness::Options& options, unsigned ranks) {
  if (options.has("--precision") && options.choices("--precision", kPrecisionNames).size() != 1)
    return "'--precision' takes one of them: HPL and HPL-MxP are two runs";
  const auto rows = options.count("--rows"), columns = options.count("--columns");
  if (!grid_shape(ranks, rows, columns)) {
    return format("a grid of {} x {} needs more than the {} rank{} of this job", rows ? format("{}", *rows) : "P",
                  columns ? format("{}", *columns) : "Q", ranks, ranks == 1 ? "" : "s");
  }
  return {};
}

}  // namespace clusterc::hpl
