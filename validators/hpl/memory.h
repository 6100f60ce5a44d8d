// Large arrays: aligned, on huge pages where the kernel has them (rows of a panel lie in as many pages as it has
// columns).
#pragma once
#include <sys/mman.h>

#include <cstdlib>
#include <memory>
#include <new>

namespace clusterc::hpl {

struct Free {
  void (*release)(void*) = std::free;
  void operator()(double* at) const { release(at); }
};
using Array = std::unique_ptr<double[], Free>;

// Not initialised. Throws bad_alloc.
inline Array allocate(std::size_t count) {
  constexpr std::size_t kHuge = 2u << 20;  // bytes of a huge page on x86-64 and of the usual ones on arm64
  const std::size_t bytes = (count * sizeof(double) + 63) / 64 * 64 + 64;
  const std::size_t alignment = bytes >= kHuge ? kHuge : 64;
  void* at = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (!at) throw std::bad_alloc();
  if (bytes >= kHuge) madvise(at, bytes, MADV_HUGEPAGE);  // a refusal costs speed only
  return Array(static_cast<double*>(at));
}

}  // namespace clusterc::hpl
