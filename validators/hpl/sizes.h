// The sizes of a run that nobody gave: grid, order.
#pragma once
#include <optional>
#include <string>

#include "harness/options.h"
#include "hpl/layout.h"

namespace clusterc::hpl {

struct GridShape {
  unsigned rows = 1, columns = 1;
};
// P x Q for so many ranks. HPL's own advice is flat grids, P <= Q, near a square (netlib HPL FAQ, "What process grid
// ratio P x Q should I use?"): of neither given, P is the largest divisor of the ranks up to their root. nullopt: more
// than there are.
std::optional<GridShape> grid_shape(unsigned ranks, std::optional<unsigned> rows, std::optional<unsigned> columns);

// Of the available memory, for the matrix and its work space: HPL's advice (netlib HPL FAQ, "What problem size N should
// I use?").
inline constexpr double kMemoryShare = 0.80;

// What a rank allocates: its part of [A b], U, two panels, and with several rows the rows on their way.
double bytes_of_rank(Index n, Index nb, GridShape);
// The same in the memory of a device: [A b], U and packed rows, two panels, a block on its way to the host.
double bytes_of_device(Index n, Index nb, GridShape);
// In mixed precision, on a host or a device: A in FP32, two left and two upper panels (counted as FP32), two squares,
// vectors.
double bytes_of_mixed(Index n, Index nb, GridShape);
// Of a GPU's free memory: nothing else runs there, and the library wants work space of its own.
inline constexpr double kDeviceMemoryShare = 0.90;
// The largest order, in whole blocks where there is one, whose rank takes no more than `bytes`, as `bytes_of` reckons.
Index order_for_memory(double bytes, Index nb, GridShape, double (*bytes_of)(Index, Index, GridShape) = bytes_of_rank);
// The order that takes about `seconds` at a share of the given DGEMM rate that small systems reach.
Index order_for_time(double seconds, double dgemm_rate, Index nb);

// What is wrong with the options for so many ranks; empty: nothing.
std::string wrong_shape(const harness::Options&, unsigned ranks);

}  // namespace clusterc::hpl
