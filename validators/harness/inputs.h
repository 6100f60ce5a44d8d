// Random inputs from a counter: element `i` of a stream is a pure function of (seed, i), so that whoever checks a
// result, on the host, on a device or in another rank, makes the same inputs again instead of trusting a buffer that
// may be damaged.
//
// The function is SplitMix64 (G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom number generators",
// OOPSLA 2014): the i-th number of the generator that starts at `seed`, reached directly because its state is a plain
// counter.
#pragma once
#include <cstdint>

#ifdef __CUDACC__
#define CLUSTERC_BOTH __host__ __device__
#else
#define CLUSTERC_BOTH
#endif

namespace clusterc::harness {

CLUSTERC_BOTH constexpr std::uint64_t random_bits(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t z = seed + (index + 1) * 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

// [0, 1), a multiple of 2^-53: every value is exact in a double.
CLUSTERC_BOTH constexpr double random_unit(std::uint64_t seed, std::uint64_t index) {
  return static_cast<double>(random_bits(seed, index) >> 11) * 0x1p-53;
}

// [-1, 1), a multiple of 2^-52.
CLUSTERC_BOTH constexpr double random_signed(std::uint64_t seed, std::uint64_t index) {
  return 2 * random_unit(seed, index) - 1;
}

// [-1, 1), a multiple of 2^-23: exact in a float as well.
CLUSTERC_BOTH constexpr float random_signed_float(std::uint64_t seed, std::uint64_t index) {
  return static_cast<float>(static_cast<double>(random_bits(seed, index) >> 40) * 0x1p-23 - 1);
}

// Seeds of streams that share nothing visible: stream 0 of a run is x, stream 1 is y, and so on.
CLUSTERC_BOTH constexpr std::uint64_t stream_seed(std::uint64_t seed, std::uint64_t stream) {
  return random_bits(seed ^ 0xC1B05EEDC1B05EEDu, stream);
}

}  // namespace clusterc::harness
