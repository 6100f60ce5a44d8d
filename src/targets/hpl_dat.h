// HPL.dat, and what goes in: order, block and grid of a LINPACK run with a vendor's program.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace clusterc {

// netlib: xhpl and what takes its HPL.dat from the working folder; nvidia: hpl.sh of NVIDIA's HPC Benchmarks; amd:
// run_rochpl of rocHPL.
enum class LinpackProgram : std::uint8_t { netlib, nvidia, amd };

// Of the memory for the matrix, and NB.
struct LinpackSizes {
  double share;
  std::int64_t block;
};
LinpackSizes linpack_sizes(LinpackProgram);

struct LinpackInput {
  std::int64_t order = 0, block = 0, rows = 1, columns = 1;  // N, NB, P, Q
  bool operator==(const LinpackInput&) const = default;
};
// N fills `bytes` (all ranks together) and is a multiple of the block; P x Q = ranks, P <= Q, near a square.
LinpackInput linpack_input(double bytes, std::int64_t block, std::int64_t ranks);

// The file. HPL reads values from fixed lines, skips the first two, and takes the rest of each for a comment (HPL,
// TUNING).
std::string hpl_dat(const LinpackInput&, std::string_view second_line);

}  // namespace clusterc
