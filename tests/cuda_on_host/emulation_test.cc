// The emulation itself: right kernels give right results in every order, and each kind of wrong use is noticed. Kernels
// of this file stand for those that the validators do not have yet: barriers, shared memory, atomics.
#include "cuda_on_host/emulation.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "harness/cuda_objects.h"
#include "harness/launch.h"

namespace clusterc {
namespace {
using harness::DeviceMemory;
using harness::launch;

constexpr unsigned kThreads = 64, kBlocks = 5;

// A sum by halves in shared memory.
template <bool barriers>
__global__ void sum_of_blocks(const int* in, int* out) {
  __shared__ int part[kThreads];
  part[threadIdx.x] = in[blockIdx.x * kThreads + threadIdx.x];
  for (unsigned half = kThreads / 2; half > 0; half /= 2) {
    if (barriers) __syncthreads();
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
  }
  if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}
__global__ void half_a_barrier(int* out) {
  if (threadIdx.x < kThreads / 2) __syncthreads();
  out[threadIdx.x] = 1;
}
__global__ void count_all(unsigned* counter, unsigned* largest) {
  atomicAdd(counter, 1u);
  atomicMax(largest, blockIdx.x * blockDim.x + threadIdx.x);
}
__global__ void write_one(int* at, int value) { *at = value; }

std::vector<int> sums(bool barriers) {
  std::vector<int> numbers(kThreads * kBlocks), out(kBlocks);
  std::iota(numbers.begin(), numbers.end(), 0);
  const DeviceMemory<int> in(numbers.size() * sizeof(int)), result(out.size() * sizeof(int));
  cudaMemcpy(in.get(), numbers.data(), numbers.size() * sizeof(int), cudaMemcpyHostToDevice);
  launch({kBlocks, kThreads}, "summing", barriers ? sum_of_blocks<true> : sum_of_blocks<false>, in.get(), result.get());
  cudaMemcpy(out.data(), result.get(), out.size() * sizeof(int), cudaMemcpyDeviceToHost);
  return out;
}

TEST(Emulation, BarriersOrderTheThreadsOfABlock) {
  cudaSetDevice(0);
  for (std::uint64_t seed = 1; seed < 9; ++seed) {
    emulation::begin_again(seed);
    // 0 + … + 63 = 2016, and 64 x 64 more for each block after the first.
    EXPECT_EQ(sums(true), (std::vector<int>{2016, 6112, 10208, 14304, 18400})) << seed;
  }
}
#ifndef __SANITIZE_THREAD__  // which ends the program at the race
TEST(Emulation, AMissingBarrierGivesAWrongSum) {
  cudaSetDevice(0);
  unsigned wrong = 0;
  for (std::uint64_t seed = 1; seed < 9; ++seed) {
    emulation::begin_again(seed);
    wrong += sums(false) != sums(true);
  }
  EXPECT_EQ(wrong, 8u);
}
#endif
TEST(Emulation, AtomicsCountEveryThread) {
  cudaSetDevice(0);
  const DeviceMemory<unsigned> counters(2 * sizeof(unsigned));
  cudaMemset(counters.get(), 0, 2 * sizeof(unsigned));
  launch({kBlocks, kThreads}, "counting", count_all, counters.get(), counters.get() + 1);
  unsigned out[2] = {};
  cudaMemcpy(out, counters.get(), sizeof out, cudaMemcpyDeviceToHost);
  EXPECT_EQ(out[0], kBlocks * kThreads);
  EXPECT_EQ(out[1], kBlocks * kThreads - 1);
}

TEST(Emulation, ALaunchOutsideOfTheLimitsIsAnError) {
  cudaSetDevice(0);
  const DeviceMemory<int> one(sizeof(int));
  for (const harness::Grid& grid : {harness::Grid{0, 32}, {1ull << 31, 32}, {1, 0}, {1, 1025}, {1, 32, 49'153}})
    EXPECT_THROW(launch(grid, "writing", write_one, one.get(), 1), harness::CouldNotRun);
  // What the runtime itself refuses: no launch() in front of it.
  const cudaError_t status = harness::start_kernel<int*, int>(write_one, dim3(0), dim3(32), 0, nullptr, one.get(), 1);
  EXPECT_EQ(status, cudaErrorInvalidConfiguration);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidConfiguration);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  int on_host = 0;
  EXPECT_THROW(launch({1, 1}, "writing", write_one, &on_host, 1), harness::CouldNotRun);  // no GPU reaches it
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

// Two streams that do not know of each other: the newest work runs first in even seeds.
TEST(Emulation, OnlyEventsOrderStreams) {
  cudaSetDevice(0);
  const auto last = [](bool ordered) {
    const DeviceMemory<int> word(sizeof(int));
    const harness::Stream a, b;
    const harness::Event written;
    launch({.blocks = 1, .threads = 1, .stream = a}, "writing", write_one, word.get(), 1);
    cudaEventRecord(written, a);
    if (ordered) cudaStreamWaitEvent(b, written, 0);
    launch({.blocks = 1, .threads = 1, .stream = b}, "writing", write_one, word.get(), 2);
    cudaStreamSynchronize(b);
    cudaStreamSynchronize(a);
    int out = 0;
    cudaMemcpy(&out, word.get(), sizeof out, cudaMemcpyDeviceToHost);
    return out;
  };
  for (std::uint64_t seed = 1; seed < 9; ++seed) {
    emulation::begin_again(seed);
    EXPECT_EQ(last(true), 2);
  }
  emulation::begin_again(2);
  EXPECT_EQ(last(false), 1);
}

// A copy of memory that is not pinned may be late; one in the same stream is in time.
TEST(Emulation, ACopyToTheDeviceMayBeUnderWayWhenItReturns) {
  cudaSetDevice(0);
  emulation::begin_again(2);
  const DeviceMemory<int> from(sizeof(int)), to(sizeof(int));
  const harness::Stream stream;
  const int seven = 7;
  int out = 0;
  cudaMemcpy(from.get(), &seven, sizeof seven, cudaMemcpyHostToDevice);
  cudaMemcpyAsync(to.get(), from.get(), sizeof seven, cudaMemcpyDeviceToDevice, stream);
  cudaStreamSynchronize(stream);
  cudaMemcpy(&out, to.get(), sizeof out, cudaMemcpyDeviceToHost);
  EXPECT_NE(out, 7);
  cudaMemcpyAsync(from.get(), &seven, sizeof seven, cudaMemcpyHostToDevice, stream);
  cudaMemcpyAsync(to.get(), from.get(), sizeof seven, cudaMemcpyDeviceToDevice, stream);
  cudaStreamSynchronize(stream);
  cudaMemcpy(&out, to.get(), sizeof out, cudaMemcpyDeviceToHost);
  EXPECT_EQ(out, 7);
}

TEST(Emulation, WrongUseIsRefused) {
  cudaSetDevice(0);
  int host = 0;
  const DeviceMemory<int> word(sizeof(int));
  EXPECT_EQ(cudaMemcpy(word.get(), &host, sizeof host, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(&host, word.get(), 2 * sizeof host, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemset(word.get(), 0, 5), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(&host), cudaErrorInvalidValue);
  EXPECT_EQ(cudaSetDevice(7), cudaErrorInvalidDevice);
  void* much = nullptr;
  EXPECT_EQ(cudaMalloc(&much, std::size_t{1} << 40), cudaErrorMemoryAllocation);
  float milliseconds = 0;
  const harness::Event never, too;
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, never, too), cudaErrorInvalidResourceHandle);
  cudaEventRecord(never);
  cudaEventRecord(too);
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, never, too), cudaErrorNotReady);
  cudaGetLastError();
}

TEST(Emulation, WordsThatNobodyWroteAreCounted) {
  cudaSetDevice(0);
  const std::uint64_t before = emulation::counts().unwritten;
  {
    const DeviceMemory<std::uint64_t> words(10 * 8);
    cudaMemset(words.get(), 0, 3 * 8);
  }
  EXPECT_EQ(emulation::counts().unwritten, before + 7);
}

using EmulationDeathTest = ::testing::Test;
TEST(EmulationDeathTest, TheProgramEndsWhereAGpuWouldHangOrTheHostWouldRead) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto diverge = [] {
    cudaSetDevice(0);
    const DeviceMemory<int> out(kThreads * sizeof(int));
    launch({1, kThreads}, "waiting", half_a_barrier, out.get());
    cudaDeviceSynchronize();
  };
  EXPECT_DEATH(diverge(), "a barrier was reached by 32 of 64 threads");
  const auto read = [] {
    cudaSetDevice(0);
    const DeviceMemory<int> word(sizeof(int));
    const volatile int* const at = word.get();
    std::fprintf(stderr, "%d", *at);
  };
  EXPECT_DEATH(read(), "the host, or a device without access, touched memory of a device");
  const auto reach = [] {  // of the other GPU, without cudaDeviceEnablePeerAccess()
    cudaSetDevice(1);
    const DeviceMemory<int> word(sizeof(int));
    cudaSetDevice(0);
    launch({1, 1}, "writing", write_one, word.get(), 1);
    cudaDeviceSynchronize();
  };
  EXPECT_DEATH(reach(), "the host, or a device without access, touched memory of a device");
}

}  // namespace
}  // namespace clusterc
