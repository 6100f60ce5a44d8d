// The launch of a kernel as a function call: launch({.blocks = 64, .threads = 256}, "filling the inputs", fill, at, n).
// Device code has no `<<<>>>`, so that a C++ compiler reads it too (tests/cuda_on_host).
#pragma once
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "harness/cuda_support.h"
#include "harness/start_kernel.h"

namespace clusterc::harness {

// Blocks of a grid, threads of a block. Work of the default stream unless a stream is named.
struct Grid {
  std::uint64_t blocks = 0;
  unsigned threads = 0;
  std::size_t shared = 0;  // bytes of dynamic shared memory
  cudaStream_t stream = nullptr;
};

// The limits of every GPU that we build for (CUDA C++ Programming Guide, "Technical Specifications per Compute
// Capability"): blocks in x, threads of a block, shared memory of a block without an opt-in, bytes of arguments of a
// kernel of any driver.
inline constexpr std::uint64_t kMostGridBlocks = 0x7fffffff;
inline constexpr unsigned kMostThreads = 1024;
inline constexpr std::size_t kMostShared = 48u << 10, kMostArguments = 4096;

// Queues the kernel; it runs later, and an error while it runs is reported by what waits for it. Throws
// CouldNotRun(device_error) that names `what` where the grid is outside the limits or the runtime refuses it. The
// arguments are converted to the types of the kernel's parameters.
template <class... Parameters>
void launch(const Grid& grid, const char* what, void (*kernel)(Parameters...),
            std::type_identity_t<Parameters>... arguments) {
  static_assert((std::is_trivially_copyable_v<Parameters> && ...), "arguments of a kernel are copied byte by byte");
  static_assert((sizeof(Parameters) + ... + 0) <= kMostArguments, "arguments of a kernel");
  if (grid.blocks == 0 || grid.blocks > kMostGridBlocks || grid.threads == 0 || grid.threads > kMostThreads ||
      grid.shared > kMostShared)
    throw CouldNotRun(Cause::device_error, std::string(what) + ": a grid of " + std::to_string(grid.blocks) +
                                               " blocks of " + std::to_string(grid.threads) + " threads with " +
                                               std::to_string(grid.shared) +
                                               " B of shared memory is outside the limits of a launch");
  const cudaError_t status = start_kernel<Parameters...>(kernel, dim3(static_cast<unsigned>(grid.blocks)),
                                                         dim3(grid.threads), grid.shared, grid.stream, arguments...);
  if (status == cudaSuccess) return;
  cudaGetLastError();  // it is remembered, and would be taken for an error of what comes next
  cuda_check(status, what);
}

}  // namespace clusterc::harness
