// HPL's test of a solution, against elements that are made anew.
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "hpl/grid.h"
#include "hpl/problem.h"
#include "hpl/pulse.h"

namespace clusterc::hpl {

struct Residual {
  double scaled = 0;  // ||Ax-b|| / (eps (||A|| ||x|| + ||b||) N), infinity norms, eps = 2^-53; passes below 16
  double norm_a = 0, norm_x = 0, norm_b = 0, norm_r = 0;
  std::uint64_t wrong_rows = 0;  // rows whose own |Ax-b| is not below 16 eps (||A|| ||x|| + ||b||) N
};
inline constexpr double kThreshold = 16;  // HPL

// Of local rows [row, row + rows): sums over my columns of element * x and of |element|.
using Products = std::function<void(Index row, Index rows, const double* x, double* product, double* magnitude)>;

// `x`: of my columns. `keep`, where it is not null, becomes b - A x of my rows, the same on all ranks of a grid row.
Residual residual_of(const Problem&, const Grid&, const Products&, const std::vector<double>& x, Pulse&,
                     std::vector<double>* keep = nullptr);

}  // namespace clusterc::hpl
