#include "memory/kernels.h"

namespace clusterc::memory {
namespace {

[[gnu::always_inline]] inline void body(Kernel kernel, double* __restrict z, const double* __restrict x,
                                        const double* __restrict y, double q, std::size_t begin, std::size_t end) {
  switch (kernel) {
    case Kernel::copy:
      for (std::size_t i = begin; i < end; ++i) z[i] = x[i];
      break;
    case Kernel::scale:
      for (std::size_t i = begin; i < end; ++i) z[i] = q * x[i];
      break;
    case Kernel::add:
      for (std::size_t i = begin; i < end; ++i) z[i] = x[i] + y[i];
      break;
    case Kernel::triad:
      for (std::size_t i = begin; i < end; ++i) z[i] = x[i] + q * y[i];
      break;
  }
}

void baseline(Kernel k, double* z, const double* x, const double* y, double q, std::size_t begin, std::size_t end) {
  body(k, z, x, y, q, begin, end);
}
#if defined(__x86_64__)
[[gnu::target("avx2,fma")]] void avx2(Kernel k, double* z, const double* x, const double* y, double q,
                                      std::size_t begin, std::size_t end) {
  body(k, z, x, y, q, begin, end);
}
[[gnu::target("avx512f,prefer-vector-width=512")]] void avx512(Kernel k, double* z, const double* x, const double* y,
                                                               double q, std::size_t begin, std::size_t end) {
  body(k, z, x, y, q, begin, end);
}
#endif

}  // namespace

KernelSet kernels_of_this_processor() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return {avx512, "avx512f"};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return {avx2, "avx2"};
#endif
  return {baseline, "baseline"};
}

}  // namespace clusterc::memory
