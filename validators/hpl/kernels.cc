#include "hpl/kernels.h"

#include <algorithm>
#include <cstring>

namespace clusterc::hpl {
namespace {

// Eight doubles: one AVX-512 register, two of AVX2, four of SSE2 or NEON; the compiler splits them.
using Vector = double __attribute__((vector_size(64)));
using Words = std::uint64_t __attribute__((vector_size(64)));
constexpr Index kLanes = 8;
constexpr Index kRows = 512;  // of y at a time: 4 KiB stay in the first-level cache while the columns pass

#define CLUSTERC_INLINE inline __attribute__((always_inline))

CLUSTERC_INLINE Vector load(const double* at) {
  Vector v;
  std::memcpy(&v, at, sizeof v);
  return v;
}
CLUSTERC_INLINE void store(double* at, Vector v) { std::memcpy(at, &v, sizeof v); }

// y[0..n) -= the sum over four columns; n is a multiple of kLanes.
CLUSTERC_INLINE void four_columns(double* y, const double* x, Index ld, const double* u, Index n) {
  const double *x0 = x, *x1 = x + ld, *x2 = x + 2 * ld, *x3 = x + 3 * ld;
  const double u0 = u[0], u1 = u[1], u2 = u[2], u3 = u[3];
  for (Index i = 0; i < n; i += kLanes) {
    Vector sum = load(y + i);
    sum -= load(x0 + i) * u0;
    sum -= load(x1 + i) * u1;
    sum -= load(x2 + i) * u2;
    sum -= load(x3 + i) * u3;
    store(y + i, sum);
  }
}
CLUSTERC_INLINE void one_column(double* y, const double* x, double u, Index n) {
  for (Index i = 0; i < n; i += kLanes) store(y + i, load(y + i) - load(x + i) * u);
}

CLUSTERC_INLINE Largest subtract(double* y, const double* x, Index ld, const double* u, Index k, Index count) {
  Largest best;
  for (Index begin = 0; begin < count; begin += kRows) {
    const Index n = std::min(kRows, count - begin), whole = n / kLanes * kLanes;
    double* const part = y + begin;
    Index c = 0;
    for (; c + 4 <= k; c += 4) four_columns(part, x + c * ld + begin, ld, u + c, whole);
    for (; c < k; ++c) one_column(part, x + c * ld + begin, u[c], whole);
    for (Index i = whole; i < n; ++i) {
      for (c = 0; c < k; ++c) part[i] -= x[c * ld + begin + i] * u[c];
    }
    Vector most = {-1, -1, -1, -1, -1, -1, -1, -1};
    for (Index i = 0; i < whole; i += kLanes) {
      Vector v = load(part + i);
      v = v < 0 ? -v : v;
      most = v > most ? v : most;
    }
    double largest = -1;
    for (Index lane = 0; lane < kLanes; ++lane) largest = most[lane] > largest ? most[lane] : largest;
    for (Index i = whole; i < n; ++i) largest = std::abs(part[i]) > largest ? std::abs(part[i]) : largest;
    if (!(largest > best.magnitude)) continue;
    best.magnitude = largest;
    for (Index i = 0; i < n; ++i) {
      if (std::abs(part[i]) == largest) {
        best.at = begin + i;
        break;
      }
    }
  }
  return best;
}

CLUSTERC_INLINE std::uint64_t words(const double* at, Index count) {
  Words sum = {};
  Index i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    Words w;
    std::memcpy(&w, at + i, sizeof w);
    sum += w;
  }
  std::uint64_t total = 0;
  for (Index lane = 0; lane < kLanes; ++lane) total += sum[lane];
  for (; i < count; ++i) {
    std::uint64_t w = 0;
    std::memcpy(&w, at + i, sizeof w);
    total += w;
  }
  return total;
}

#if defined(__x86_64__)
__attribute__((target("avx512f,avx512dq,avx2,fma"))) Largest subtract_512(double* y, const double* x, Index ld,
                                                                          const double* u, Index k, Index count) {
  return subtract(y, x, ld, u, k, count);
}
__attribute__((target("avx2,fma"))) Largest subtract_256(double* y, const double* x, Index ld, const double* u, Index k,
                                                         Index count) {
  return subtract(y, x, ld, u, k, count);
}
__attribute__((target("avx2"))) std::uint64_t words_256(const double* at, Index count) { return words(at, count); }
#endif

}  // namespace

Largest subtract_columns(double* y, const double* x, Index ld, const double* u, Index k, Index count) {
#if defined(__x86_64__)
  static const bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
  static const bool half = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (wide) return subtract_512(y, x, ld, u, k, count);
  if (half) return subtract_256(y, x, ld, u, k, count);
#endif
  return subtract(y, x, ld, u, k, count);
}

void scale(double* y, double factor, Index count) {
  for (Index i = 0; i < count; ++i) y[i] *= factor;
}

std::uint64_t sum_words(const double* at, Index count) {
#if defined(__x86_64__)
  static const bool half = __builtin_cpu_supports("avx2");
  if (half) return words_256(at, count);
#endif
  return words(at, count);
}

}  // namespace clusterc::hpl
