// Inputs of an all-reduce whose sum is exact in whatever order it is added, so that results are compared without a
// tolerance: whole numbers so small that no partial sum of all ranks leaves the type's exact range.
//
// A summand is the difference of two neighbours in a row of random numbers that has one more member than there are
// ranks: rank r gives g(r) - g(r + 1). Every summand is random, and the sum of all is g(0) - g(ranks): two numbers,
// however many ranks there are. A summand that is missing, comes twice or belongs to another element changes the sum by
// a random number.
#pragma once
#include <bit>
#include <cstdint>
#include <limits>

#include "harness/inputs.h"

namespace clusterc::mpi {

// Bits of magnitude that each of `ranks` summands may have: sums stay within 2^24 (float32 holds every whole number up
// to there) and, for int32, within 2^31.
template <class T>
constexpr unsigned magnitude_bits(unsigned ranks) {
  const unsigned exact = std::numeric_limits<T>::digits;                     // 24, 31
  const unsigned growth = static_cast<unsigned>(std::bit_width(ranks - 1));  // ceil(log2(ranks))
  return exact > growth + 1 ? exact - growth - 1 : 1;
}

// Member `place` of the row of element `index`: uniform in [0, 2^bits).
CLUSTERC_BOTH constexpr std::int64_t row_member(std::uint64_t seed, unsigned place, std::uint64_t index,
                                                unsigned bits) {
  return static_cast<std::int64_t>(harness::random_bits(harness::stream_seed(seed, place), index) >> (64 - bits));
}

// Element `index` of what `rank` contributes: in (-2^bits, 2^bits).
template <class T>
CLUSTERC_BOTH constexpr T summand(std::uint64_t seed, unsigned rank, std::uint64_t index, unsigned bits) {
  return static_cast<T>(row_member(seed, rank, index, bits) - row_member(seed, rank + 1, index, bits));
}

template <class T>
CLUSTERC_BOTH constexpr T expected_sum(std::uint64_t seed, unsigned ranks, std::uint64_t index, unsigned bits) {
  return static_cast<T>(row_member(seed, 0, index, bits) - row_member(seed, ranks, index, bits));
}

// What no sum can be, so that an element that was never written is wrong.
template <class T>
constexpr T poison() {
  if constexpr (std::numeric_limits<T>::has_quiet_NaN)
    return std::numeric_limits<T>::quiet_NaN();
  else
    return std::numeric_limits<T>::min();
}

// nccl-tests, doc/PERFORMANCE.md: what every link must at least carry of an all-reduce of `bytes` among `ranks`.
constexpr double bus_factor(unsigned ranks) { return 2.0 * (ranks - 1) / ranks; }

}  // namespace clusterc::mpi
