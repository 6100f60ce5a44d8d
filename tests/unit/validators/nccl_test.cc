// The arithmetic of the collectives by hand: shapes, bus-bandwidth factors, what each rank must get, and the types of
// 16 bits.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

#include "nccl/operation.h"
#include "nccl/types.h"

namespace clusterc::nccl {
namespace {

// The table of NVIDIA/nccl-tests, doc/PERFORMANCE.md, at n = 8.
TEST(Nccl, BusBandwidthFactorsAreThoseOfNcclTests) {
  EXPECT_DOUBLE_EQ(bus_factor(Collective::all_reduce, 8), 1.75);
  for (const Collective c : {Collective::all_gather, Collective::reduce_scatter, Collective::all_to_all})
    EXPECT_DOUBLE_EQ(bus_factor(c, 8), 0.875);
  for (const Collective c : {Collective::broadcast, Collective::reduce, Collective::sendrecv})
    EXPECT_DOUBLE_EQ(bus_factor(c, 8), 1);
}

// 1 MiB of float32 among 4 ranks: 262,144 elements where it is one rank's vector, 65,536 each where it is the whole
// array.
TEST(Nccl, SizesCountWhatNcclTestsCounts) {
  for (const CollectiveFacts& facts : kCollectives) {
    const std::size_t count = count_for(facts.collective, 1 << 20, 4, 4);
    EXPECT_EQ(count, facts.by_all ? 65536u : 262144u) << facts.name;
    const Shape shape{facts.collective, 1, 4, count};
    EXPECT_EQ(shape.counted() * 4, 1u << 20) << facts.name;
  }
  EXPECT_EQ(count_for(Collective::all_gather, 8, 4, 4), 1u);  // smaller than one element for each: one
}

TEST(Nccl, EachRankGivesAndGetsItsPart) {
  const auto shape = [](Collective c, unsigned rank) { return Shape{c, rank, 4, 10}; };
  EXPECT_EQ(shape(Collective::all_gather, 2).given(), 10u);
  EXPECT_EQ(shape(Collective::all_gather, 2).got(), 40u);
  EXPECT_EQ(shape(Collective::reduce_scatter, 2).given(), 40u);
  EXPECT_EQ(shape(Collective::reduce_scatter, 2).got(), 10u);
  EXPECT_EQ(shape(Collective::all_to_all, 2).given(), 40u);
  EXPECT_EQ(shape(Collective::all_to_all, 2).got(), 40u);
  EXPECT_EQ(shape(Collective::broadcast, 0).given(), 10u);
  EXPECT_EQ(shape(Collective::broadcast, 1).given(), 0u);
  EXPECT_EQ(shape(Collective::reduce, 0).got(), 10u);
  EXPECT_EQ(shape(Collective::reduce, 1).got(), 0u);
  EXPECT_EQ(shape(Collective::sendrecv, 0).previous(), 3u);
  EXPECT_EQ(shape(Collective::sendrecv, 3).next(), 0u);
}

// The definition of each collective, executed by hand over all ranks' inputs.
TEST(Nccl, WhatARankMustGetFollowsFromWhatAllGive) {
  constexpr unsigned kRanks = 3;
  constexpr std::size_t kCount = 5;
  constexpr Draw draw = draw_of<std::int32_t>(7, kRanks);
  for (const CollectiveFacts& facts : kCollectives) {
    std::vector<std::vector<std::int32_t>> given(kRanks);
    for (unsigned r = 0; r < kRanks; ++r) {
      const Shape s{facts.collective, r, kRanks, kCount};
      for (std::size_t i = 0; i < s.given(); ++i) given[r].push_back(given_at<std::int32_t>(draw, r, i));
    }
    for (unsigned me = 0; me < kRanks; ++me) {
      std::vector<std::int32_t> got;
      switch (facts.collective) {
        case Collective::all_reduce:
          for (std::size_t i = 0; i < kCount; ++i) got.push_back(given[0][i] + given[1][i] + given[2][i]);
          break;
        case Collective::reduce:
          for (std::size_t i = 0; me == 0 && i < kCount; ++i) got.push_back(given[0][i] + given[1][i] + given[2][i]);
          break;
        case Collective::reduce_scatter:
          for (std::size_t i = me * kCount; i < (me + 1) * kCount; ++i)
            got.push_back(given[0][i] + given[1][i] + given[2][i]);
          break;
        case Collective::all_gather:
          for (const auto& part : given) got.insert(got.end(), part.begin(), part.end());
          break;
        case Collective::all_to_all:
          for (const auto& part : given)
            got.insert(got.end(), part.begin() + me * kCount, part.begin() + (me + 1) * kCount);
          break;
        case Collective::broadcast:
          got = given[0];
          break;
        case Collective::sendrecv:
          got = given[(me + kRanks - 1) % kRanks];
          break;
      }
      const Shape s{facts.collective, me, kRanks, kCount};
      ASSERT_EQ(got.size(), s.got()) << facts.name;
      for (std::size_t i = 0; i < got.size(); ++i)
        EXPECT_EQ(expected_at<std::int32_t>(draw, s, i), got[i]) << facts.name << " rank " << me << " element " << i;
    }
  }
}

// 33 ranks, vectors above 4 GiB: the number of elements, their places and the seams of 31 and 32 bits. No vector of
// that size is made; each element is a function of its place.
template <class T>
void expect_sums_of_large_vectors() {
  constexpr unsigned kRanks = 33;
  const Draw draw = draw_of<T>(7, kRanks);
  const std::size_t count = count_for(Collective::all_reduce, 9ull << 30, kRanks, sizeof(T));
  ASSERT_EQ(count * sizeof(T), 9ull << 30);
  const Shape sum{Collective::all_reduce, 32, kRanks, count}, part{Collective::reduce_scatter, 32, kRanks, count / 33};
  const auto by_hand = [&](std::uint64_t index) {
    std::int64_t total = 0;
    for (unsigned rank = 0; rank < kRanks; ++rank) total += static_cast<std::int64_t>(given_at<T>(draw, rank, index));
    return static_cast<T>(total);
  };
  for (const std::uint64_t bytes : {0ull, 1ull << 31, 1ull << 32, 1ull << 33, (9ull << 30) - 16}) {
    for (std::uint64_t index = bytes / sizeof(T); index < bytes / sizeof(T) + 8 / sizeof(T); ++index)
      EXPECT_TRUE(expected_at<T>(draw, sum, index) == by_hand(index)) << index;
  }
  EXPECT_TRUE(expected_at<T>(draw, part, 5) == by_hand(32 * (count / 33) + 5));
  const Shape all{Collective::all_to_all, 32, kRanks, count};  // rank 31's part for rank 32 begins at 32 x 9 GiB
  EXPECT_TRUE(expected_at<T>(draw, all, 31 * count + 3) == given_at<T>(draw, 31, 32 * count + 3));
}
TEST(Nccl, PlacesOfLargeVectorsAmongManyRanksAreExact) {
  expect_sums_of_large_vectors<float>();
  expect_sums_of_large_vectors<double>();
  expect_sums_of_large_vectors<std::int32_t>();
  expect_sums_of_large_vectors<std::int64_t>();
  expect_sums_of_large_vectors<Half>();
}

// A rank whose data is missing, comes twice, or stands one element further is seen in almost every element.
TEST(Nccl, ASumOfOtherThanAllRanksIsWrong) {
  constexpr unsigned kRanks = 33;
  constexpr std::uint64_t kElements = 1000;
  const Draw draw = draw_of<float>(3, kRanks);
  const Shape shape{Collective::all_reduce, 0, kRanks, kElements};
  unsigned missing = 0, twice = 0, moved = 0;
  for (std::uint64_t i = 0; i < kElements; ++i) {
    const auto want = expected_at<float>(draw, shape, i);
    const auto given = [&](unsigned rank, std::uint64_t at) { return given_at<float>(draw, rank, at); };
    missing += !(want - given(5, i) == want);
    twice += !(want - given(5, i) + given(6, i) == want);
    moved += !(want - given(5, i) + given(5, i + 1) == want);
  }
  // 24 bits hold the sum of 33 ranks of 17 bits: a random number of 17 bits is 0 once in 131,072 times.
  EXPECT_GE(missing, 998u);
  EXPECT_GE(twice, 998u);
  EXPECT_GE(moved, 998u);
}

// What an element costs does not grow with the ranks: 4,096 of them take as long as 8. (A sum over the ranks would take
// 500 times as long.)
TEST(Nccl, TheCostOfACheckDoesNotGrowWithTheRanks) {
  const auto seconds = [](unsigned ranks) {
    const Draw draw = draw_of<float>(3, ranks);
    const Shape shape{Collective::all_reduce, 0, ranks, 1 << 16};
    double best = 1e9;
    for (int turn = 0; turn < 5; ++turn) {
      const auto begin = std::chrono::steady_clock::now();
      float sum = 0;
      for (std::uint64_t i = 0; i < shape.count; ++i) sum += expected_at<float>(draw, shape, i);
      volatile float kept = sum;
      static_cast<void>(kept);
      best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
    return best;
  };
  EXPECT_LT(seconds(4096), 20 * seconds(8));
}

// IEEE 754-2019, table 3.5, and the definition of bfloat16 as the upper half of a binary32.
TEST(Nccl, SixteenBitTypesHoldWholeNumbers) {
  EXPECT_EQ(Half(1).bits, 0x3C00);
  EXPECT_EQ(Half(-2).bits, 0xC000);
  EXPECT_EQ(Half(2047).bits, 0x67FF);
  EXPECT_EQ(Half(2048).bits, 0x6800);
  EXPECT_EQ(Bfloat(1).bits, 0x3F80);
  EXPECT_EQ(Bfloat(-3).bits, 0xC040);
  EXPECT_EQ(Bfloat(0).bits, 0);
  for (std::int64_t whole = -2048; whole <= 2048; ++whole) EXPECT_EQ(static_cast<std::int64_t>(Half(whole)), whole);
  for (std::int64_t whole = -256; whole <= 256; ++whole) {
    EXPECT_EQ(static_cast<std::int64_t>(Bfloat(whole)), whole);
    EXPECT_EQ(std::bit_cast<float>(std::uint32_t{Bfloat(whole).bits} << 16), static_cast<float>(whole));
  }
  const Half nan = std::numeric_limits<Half>::quiet_NaN();
  EXPECT_EQ(nan.bits, 0x7E00);
  EXPECT_FALSE(nan == nan);
  Half minus_zero;
  minus_zero.bits = 0x8000;
  EXPECT_TRUE(minus_zero == Half(0));
}

}  // namespace
}  // namespace clusterc::nccl
