#include "hpl/square.h"

#include <cmath>

namespace clusterc::hpl {

Index factor_square(float* a, Index width, Index ld, const harness::Blas& blas) {
  constexpr Index kLeaf = 16;  // below it the calls of the BLAS cost more than they bring
  if (width <= kLeaf) {
    for (Index j = 0; j < width; ++j) {
      const float pivot = a[j + j * ld];
      if (!(std::fabs(pivot) > 0)) return j;
      for (Index i = j + 1; i < width; ++i) a[i + j * ld] /= pivot;
      for (Index c = j + 1; c < width; ++c) {
        for (Index i = j + 1; i < width; ++i) a[i + c * ld] -= a[i + j * ld] * a[j + c * ld];
      }
    }
    return -1;
  }
  const Index first = (width / 2 + kLeaf - 1) / kLeaf * kLeaf;
  float *const right = a + first * ld, *const below = a + first, *const rest = a + first + first * ld;
  if (const Index none = factor_square(a, first, ld, blas); none >= 0) return none;
  const int n = static_cast<int>(first), other = static_cast<int>(width - first), apart = static_cast<int>(ld);
  const float one = 1, minus = -1;
  blas.strsm("L", "L", "N", "U", &n, &other, &one, a, &apart, right, &apart);
  blas.strsm("R", "U", "N", "N", &other, &n, &one, a, &apart, below, &apart);
  blas.sgemm("N", "N", &other, &other, &n, &minus, below, &apart, right, &apart, &one, rest, &apart);
  const Index none = factor_square(rest, width - first, ld, blas);
  return none >= 0 ? first + none : -1;
}

}  // namespace clusterc::hpl
