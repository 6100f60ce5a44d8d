// The kernels of data.h: grid-stride loops, whose strides come from the launch and not from a constant, and which count
// the elements that they looked at.
#include <cuda_runtime.h>

#include <algorithm>

#include "harness/cuda_support.h"
#include "harness/launch.h"
#include "nccl/data.h"

static_assert(__cplusplus >= 202002L, "nvcc must be told -std=c++20");

namespace clusterc::nccl {
namespace {
using harness::cuda_check;
using harness::launch;

constexpr unsigned kThreads = 256;
constexpr std::uint64_t kMostBlocks = 4096;

// The first element of this thread, and how far it is to its next one.
__device__ std::uint64_t first_of_thread() { return std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; }
__device__ std::uint64_t stride() { return std::uint64_t{gridDim.x} * blockDim.x; }

template <class T>
__global__ void given_kernel(T* at, std::uint64_t first, std::uint64_t count, Draw draw, unsigned rank) {
  for (std::uint64_t i = first_of_thread(); i < count; i += stride()) at[i] = given_at<T>(draw, rank, first + i);
}

template <class T>
__global__ void value_kernel(T* at, std::uint64_t count, T value) {
  for (std::uint64_t i = first_of_thread(); i < count; i += stride()) at[i] = value;
}

template <class T>
__global__ void check_kernel(const T* at, std::uint64_t first, std::uint64_t count, Draw draw, Shape shape,
                             unsigned long long* counters) {
  unsigned long long looked_at = 0, wrong = 0;
  for (std::uint64_t i = first_of_thread(); i < count; i += stride()) {
    ++looked_at;
    wrong += !(at[i] == expected_at<T>(draw, shape, first + i));
  }
  if (looked_at > 0) atomicAdd(&counters[0], looked_at);
  if (wrong > 0) atomicAdd(&counters[1], wrong);
}

harness::Grid grid_for(std::uint64_t count, cudaStream_t stream) {
  return {.blocks = std::clamp<std::uint64_t>((count + kThreads - 1) / kThreads, 1, kMostBlocks),
          .threads = kThreads,
          .stream = stream};
}

}  // namespace

void make_given(void* at, Type type, const Shape& shape, std::uint64_t seed, std::uint64_t first, std::uint64_t count,
                cudaStream_t stream) {
  if (count == 0) return;
  with_type(type, [&]<class T>(T) {
    launch(grid_for(count, stream), "making what a rank gives", given_kernel<T>, static_cast<T*>(at), first, count,
           draw_of<T>(seed, shape.ranks), shape.rank);
  });
}

void make_poison(void* at, Type type, std::uint64_t count, cudaStream_t stream) {
  with_type(type, [&]<class T>(T) {
    launch(grid_for(count, stream), "poisoning a result", value_kernel<T>, static_cast<T*>(at), count,
           mpi::poison<T>());
  });
}

void begin_check(const void* at, Type type, const Shape& shape, std::uint64_t seed, std::uint64_t first,
                 std::uint64_t count, void* counters, cudaStream_t stream) {
  cuda_check(cudaMemsetAsync(counters, 0, 2 * sizeof(unsigned long long), stream), "cudaMemsetAsync");
  if (count == 0) return;
  with_type(type, [&]<class T>(T) {
    launch(grid_for(count, stream), "comparing a result", check_kernel<T>, static_cast<const T*>(at), first, count,
           draw_of<T>(seed, shape.ranks), shape, static_cast<unsigned long long*>(counters));
  });
}

}  // namespace clusterc::nccl
