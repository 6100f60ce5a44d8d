// The one place where a kernel is handed to the CUDA runtime. Only launch() of harness/launch.h calls it. The emulation
// of tests/cuda_on_host has a header of the same name in its place.
#pragma once
#include <cuda_runtime.h>

#include <cstddef>

namespace clusterc::harness {

template <class... Parameters>
cudaError_t start_kernel(void (*kernel)(Parameters...), dim3 blocks, dim3 threads, std::size_t shared,
                         cudaStream_t stream, Parameters... arguments) {
  static_assert(sizeof...(Parameters) > 0, "a kernel without arguments has no results");
  void* addresses[] = {&arguments...};
  return cudaLaunchKernel(kernel, blocks, threads, addresses, shared, stream);
}

}  // namespace clusterc::harness
