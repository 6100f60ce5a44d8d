// A x = b in mixed precision on a P x Q grid of ranks, as HPL-MxP prescribes it (hpl-mxp.org/rules.md): LU without
// pivoting in FP32 whose products are of numbers of 16 bits with sums in FP32, then refinement to the accuracy of FP64
// with the factors as preconditioner:
//
//   r = b - A x in FP64, of elements made anew;  L U d = r in FP32;  x = x + d;  until HPL's own test passes.
//
// For each block column k, on a P x Q grid (2 x 2 here, block k on rank 0):
//
//   0 1    rank 0 factors the square on the diagonal and sends it along its row and its column of the grid;
//   2 3    0 and 2 make L below it, send it along their rows; 0 and 1 make U right of it, send it along their columns;
//          all subtract L U from what is below and right of it: first where block k + 1 will be factored, then, while
//          that is done, the rest.
//
// The matrix has uniform random elements, and sqrt(N) added on its diagonal. Their symmetric part has no eigenvalue
// further from 0 than about 0.41 sqrt(N) (Wigner: 2 sqrt(N / 24)), so that of A is positive definite, and such a matrix
// needs no pivoting (Golub and Van Loan, "Unsymmetric positive definite linear systems", Linear Algebra and its
// Applications 28, 1979). It is not dominated by its diagonal, which the rules leave to tests: there even a
// factorisation that forgot its updates would converge. Here it does so in twenty steps and more instead of a few.
#pragma once
#include <cmath>
#include <functional>
#include <memory>

#include "hpl/grid.h"
#include "hpl/mixed_part.h"
#include "hpl/pulse.h"
#include "hpl/residual.h"

namespace clusterc::hpl {

struct MixedPhases {  // seconds of this rank; a device updates by itself, and that overlaps the others
  double fill = 0, square = 0, panels = 0, update = 0, refinement = 0;
};

struct MixedSolution {
  std::vector<double> x;  // of my columns, the same on all ranks of a grid column
  double seconds =
      0;  // of this rank, from a common start, the making of the FP32 matrix included, to the test that passed
  MixedPhases phases;
  std::uint64_t messages = 0, damaged = 0;  // panels and squares that came over MPI, and those that arrived changed
  Index no_pivot = -1;                      // first column whose pivot is zero or no number; the same on all ranks
  unsigned steps = 0;                       // of refinement
  double left_by_factors = 0;               // ||b - A x|| / ||b|| after the first of them: how good the factors are
};

// Refinement hides wrong factors: it only takes longer. So what they leave of b is held to what rounding can make of
// them: of operands half their last place, and of sums, which grow by chance, as the square root of their number.
// README.md has what was seen.
inline double most_left(Precision precision, Index n) {
  return half_last_place(precision) + 0x1p-22 * std::sqrt(static_cast<double>(n));
}
// A matrix whose factors are as good needs two to seven.
inline constexpr unsigned kMostSteps = 12;

class MixedSolver {
 public:
  MixedSolver(const Problem&, Precision, const Grid&, std::shared_ptr<harness::Blas>, MixedPart&, Pulse&,
              std::function<void(double)> progress = {});
  ~MixedSolver();

  MixedSolution solve();
  Residual residual(const MixedSolution&);
  double gemm_seconds();  // one update of the whole matrix, all ranks at once; destroys it

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace clusterc::hpl
