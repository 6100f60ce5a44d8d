// The square on the diagonal in the mixed-precision mode.
#pragma once
#include "harness/blas.h"
#include "hpl/layout.h"

namespace clusterc::hpl {

// Columns `ld` apart, into its factors without pivoting, in FP32. The first column whose pivot is zero or no number;
// -1: none.
Index factor_square(float* a, Index width, Index ld, const harness::Blas&);

}  // namespace clusterc::hpl
