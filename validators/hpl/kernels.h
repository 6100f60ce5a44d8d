// The two loops of a panel that no BLAS has: they go through whole columns, so they run as wide as the processor can.
#pragma once
#include "hpl/layout.h"

namespace clusterc::hpl {

struct Largest {
  double magnitude = -1;  // no comparison finds a NaN larger
  Index at = -1;          // the first of equals
};

// y -= x_0 u_0 + ... + x_{k-1} u_{k-1} over `count` rows, x_i the column at x + i ld; the largest magnitude of what y
// became.
Largest subtract_columns(double* y, const double* x, Index ld, const double* u, Index k, Index count);
void scale(double* y, double factor, Index count);
std::uint64_t sum_words(const double* at, Index count);  // as 64-bit integers, modulo 2^64

}  // namespace clusterc::hpl
