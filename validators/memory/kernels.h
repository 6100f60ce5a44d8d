// The four loops on a slice, with the widest vectors that the processor has. Ordinary stores only: kernels.cc is
// compiled so that no loop becomes a call of memcpy, which would store past the caches and count less traffic.
#pragma once
#include <cstddef>
#include <string_view>

#include "memory/backend.h"

namespace clusterc::memory {

using KernelFunction = void (*)(Kernel, double* z, const double* x, const double* y, double q, std::size_t begin,
                                std::size_t end);

struct KernelSet {
  KernelFunction run;
  std::string_view vectors;  // "avx512f", "avx2", "baseline"
};
KernelSet kernels_of_this_processor();

}  // namespace clusterc::memory
