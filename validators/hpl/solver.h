// A x = b by LU with partial pivoting on a P x Q grid of ranks, as HPL prescribes it: 2-D block-cyclic, right-looking,
// the next panel factored ahead of the rest of the update, back substitution included in the time.
//
//   for each block column j:                                     on 1 x 2, ranks a and b, panel j + 1 belongs to b:
//     all columns of ranks have panel j                          a: | update all with j ............ | update 3 ahead |
//     factor 3 | owners of j + 1: update it alone, factor it, send it       b: | update 2 ahead | factor 2 | update the
//     rest with j | ... update the rest with j, row exchanges included             (a receives panel 2 while it
//     updates: nobody waits)
//
// Where a device updates by itself, the owners of j + 1 ask for the whole update first and factor meanwhile
// (device.cc).
#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "hpl/backend.h"
#include "hpl/grid.h"
#include "hpl/pulse.h"
#include "hpl/residual.h"

namespace clusterc::hpl {

struct Phases {  // seconds of this rank; a device that works alongside has its own for the update, and they overlap the
                 // others
  double panel = 0, broadcast = 0, exchange = 0, update = 0, back_substitution = 0;
};

struct Damage {
  std::uint64_t messages = 0, damaged = 0;  // panels that came over MPI, and those that arrived changed
  Index first_panel = -1;                   // where the first was
};

struct Solution {
  std::vector<double> x;  // of my columns, the same on all ranks of a grid column
  double seconds = 0;     // of this rank, from a common start to the last unknown that it knows
  Phases phases;
  Damage damage;
  Index no_pivot = -1;        // first column without a pivot; the same on all ranks
  double smallest_pivot = 0;  // magnitude, of all columns; the same on all ranks
};

class Solver {
 public:
  // `progress` is told the share of the operations that are done, after each block column.
  Solver(const Problem&, const Grid&, std::shared_ptr<harness::Blas>, LocalPart&, Pulse&,
         std::function<void(double)> progress = {});
  ~Solver();

  void fill();                         // the matrix anew
  Solution solve();                    // destroys it
  Residual residual(const Solution&);  // against elements made anew
  double dgemm_seconds();  // one update of the whole matrix with inner length nb, all ranks at once; destroys it

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace clusterc::hpl
