// A x = b by LU with partial pivoting on a P x Q grid of ranks, as HPL prescribes it: 2-D block-cyclic, right-looking, the next
// panel factored ahead of the rest of the update, back substitution included in the time.
//
//   for each block column j:                                     on 1 x 2, ranks a and b, panel j + 1 belongs to b:
//     all columns of ranks have panel j                          a: | update all with j ............ | update 3 ahead | factor 3 |
//     owners of j + 1: update it alone, factor it, send it       b: | update 2 ahead | factor 2 | update the rest with j | ...
//     update the rest with j, row exchanges included             (a receives panel 2 while it updates: nobody waits)
//
// Where a device updates by itself, the owners of j + 1 ask for the whole update first and factor meanwhile (device.cc).
#pragma once
#include <mpi.h>

#include <functional>
#include <memory>
#include <vector>

#include "hpl/backend.h"
#include "hpl/pulse.h"

namespace clusterc::hpl {

// The ranks of a grid, by rows of it: rank r stands in row r / Q, column r % Q.
struct Grid {
  MPI_Comm all = MPI_COMM_NULL;     // P x Q ranks; null on the ranks that stay outside
  MPI_Comm row = MPI_COMM_NULL;     // those of my grid row, by column
  MPI_Comm column = MPI_COMM_NULL;  // those of my grid column, by row
  int my_row = 0, my_column = 0, columns = 1;
  int rank_of(int row_index, int column_index) const { return row_index * columns + column_index; }
};
Grid make_grid(MPI_Comm, int rows, int columns);
void free_grid(Grid&);

struct Phases {  // seconds of this rank; a device that works alongside has its own for the update, and they overlap the others
  double panel = 0, broadcast = 0, exchange = 0, update = 0, back_substitution = 0;
};

struct Damage {
  std::uint64_t messages = 0, damaged = 0;  // panels that came over MPI, and those that arrived changed
  Index first_panel = -1;                   // where the first was
};

struct Solution {
  std::vector<double> x;       // of my columns, the same on all ranks of a grid column
  double seconds = 0;          // of this rank, from a common start to the last unknown that it knows
  Phases phases;
  Damage damage;
  Index no_pivot = -1;         // first column without a pivot; the same on all ranks
  double smallest_pivot = 0;   // magnitude, of all columns; the same on all ranks
};

struct Residual {
  double scaled = 0;           // ||Ax-b|| / (eps (||A|| ||x|| + ||b||) N), infinity norms, eps = 2^-53; passes below 16
  double norm_a = 0, norm_x = 0, norm_b = 0, norm_r = 0;
  std::uint64_t wrong_rows = 0;  // rows whose own |Ax-b| is not below 16 eps (||A|| ||x|| + ||b||) N
};
inline constexpr double kThreshold = 16;  // HPL

class Solver {
 public:
  // `progress` is told the share of the operations that are done, after each block column.
  Solver(const Problem&, const Grid&, std::shared_ptr<harness::Blas>, LocalPart&, Pulse&, std::function<void(double)> progress = {});
  ~Solver();

  void fill();                        // the matrix anew
  Solution solve();                   // destroys it
  Residual residual(const Solution&); // against elements made anew
  double dgemm_seconds();             // one update of the whole matrix with inner length nb, all ranks at once; destroys it

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace clusterc::hpl
