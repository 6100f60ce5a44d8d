// The arithmetic of the collectives by hand: shapes, bus-bandwidth factors, what each rank must get, and the types of
// 16 bits.
#include <gtest/gtest.h>

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
  constexpr std::uint64_t kSeed = 7;
  for (const CollectiveFacts& facts : kCollectives) {
    std::vector<std::vector<std::int32_t>> given(kRanks);
    for (unsigned r = 0; r < kRanks; ++r) {
      const Shape s{facts.collective, r, kRanks, kCount};
      for (std::size_t i = 0; i < s.given(); ++i) given[r].push_back(given_at<std::int32_t>(kSeed, s, r, i));
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
        EXPECT_EQ(expected_at<std::int32_t>(kSeed, s, i), got[i]) << facts.name << " rank " << me << " element " << i;
    }
  }
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
