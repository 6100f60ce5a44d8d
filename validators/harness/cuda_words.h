// 8-byte words of a GPU's memory: filled from the counter (harness/inputs.h) or with one value, and compared where they
// lie. For sources that nvcc compiles.
#pragma once
#include <cstdint>

#include "harness/inputs.h"

namespace clusterc::harness {
namespace {  // kernels belong to the file that starts them

constexpr unsigned kThreads = 256;

__global__ void fill_random(std::uint64_t* words, std::uint64_t seed, std::uint64_t count) {
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * kThreads + threadIdx.x; i < count;
       i += std::uint64_t{gridDim.x} * kThreads)
    words[i] = random_bits(seed, i);
}
__global__ void fill_value(std::uint64_t* words, std::uint64_t value, std::uint64_t count) {
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * kThreads + threadIdx.x; i < count;
       i += std::uint64_t{gridDim.x} * kThreads)
    words[i] = value;
}
__global__ void compare(const std::uint64_t* words, std::uint64_t seed, std::uint64_t count,
                        unsigned long long* wrong) {
  unsigned long long mine = 0;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * kThreads + threadIdx.x; i < count;
       i += std::uint64_t{gridDim.x} * kThreads)
    mine += words[i] != random_bits(seed, i);
  if (mine > 0) atomicAdd(wrong, mine);
}

}  // namespace
}  // namespace clusterc::harness
