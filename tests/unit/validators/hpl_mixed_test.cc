// The parts of the mixed-precision mode of hpl that need no MPI. Whole systems are solved by tests/soak/hpl_systems.cc.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "hpl/narrow.h"
#include "hpl/square.h"
#include "skipping.h"

namespace clusterc::hpl {
namespace {

// Numbers of 16 bits in the order of their values, from zero up: every one is the nearest to what lies around it.
void expect_nearest(std::uint16_t (*narrow)(float), float (*widen)(std::uint16_t), std::uint16_t infinity) {
  for (std::uint16_t bits = 0; bits + 1 < infinity; ++bits) {
    const float here = widen(bits), next = widen(static_cast<std::uint16_t>(bits + 1));
    ASSERT_LT(here, next);
    ASSERT_EQ(narrow(here), bits);
    ASSERT_EQ(narrow(-here), bits | 0x8000);
    const float middle = static_cast<float>((static_cast<double>(here) + static_cast<double>(next)) / 2);
    const std::uint16_t even = bits % 2 == 0 ? bits : static_cast<std::uint16_t>(bits + 1);
    ASSERT_EQ(narrow(middle), even) << middle;
    ASSERT_EQ(narrow(std::nextafter(middle, 0.0F)), bits) << middle;
    ASSERT_EQ(narrow(std::nextafter(middle, 3.4e38F)), bits + 1) << middle;
  }
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(narrow(kInfinity), infinity);
  EXPECT_EQ(widen(infinity), kInfinity);
  EXPECT_EQ(narrow(-kInfinity), infinity | 0x8000);
  EXPECT_TRUE(std::isnan(widen(narrow(std::nanf("")))));
}

TEST(HplNarrow, EveryNumberOf16BitsIsTheNearestToThoseAroundIt) {
  expect_nearest(to_half, from_half, 0x7c00);
  expect_nearest(to_bfloat, from_bfloat, 0x7f80);
  // IEEE 754-2019, binary16: the largest number, the smallest normal and the smallest of all; 65520 is half way to
  // 2^16.
  EXPECT_EQ(from_half(0x7bff), 65504);
  EXPECT_EQ(from_half(0x0400), 0x1p-14F);
  EXPECT_EQ(from_half(0x0001), 0x1p-24F);
  EXPECT_EQ(to_half(65519), 0x7bff);
  EXPECT_EQ(to_half(65520), 0x7c00);
  EXPECT_EQ(to_half(70000), 0x7c00);
  EXPECT_EQ(to_half(1), 0x3c00);
  EXPECT_EQ(to_bfloat(1), 0x3f80);
}

class HplSquare : public ::testing::Test {
 protected:
  void SetUp() override {
    try {
      blas = std::make_shared<harness::Blas>(1);
    } catch (const harness::CouldNotRun& e) {
      CLUSTERC_MISSING(e.what());
    }
  }
  std::shared_ptr<harness::Blas> blas;
};

TEST_F(HplSquare, ItsFactorsMultiplyToIt) {
  for (const Index width : {1, 2, 15, 16, 17, 33, 100}) {
    const Index ld = width + 3;
    std::vector<float> a(static_cast<std::size_t>(ld * width), -7), f;
    for (Index j = 0; j < width; ++j) {
      for (Index i = 0; i < width; ++i)
        a[static_cast<std::size_t>(i + j * ld)] =
            harness::random_signed_float(5, static_cast<std::uint64_t>(i + j * width)) +
            (i == j ? 2 * std::sqrt(static_cast<float>(width)) : 0);
    }
    f = a;
    ASSERT_EQ(factor_square(f.data(), width, ld, *blas), -1);
    for (Index j = 0; j < width; ++j) {
      for (Index i = 0; i < ld; ++i) {
        double sum = i >= width ? -7 : 0;  // what lies between the columns is nobody's
        for (Index l = 0; l <= std::min(i, j) && i < width; ++l)
          sum += (l == i ? 1 : static_cast<double>(f[static_cast<std::size_t>(i + l * ld)])) *
                 static_cast<double>(f[static_cast<std::size_t>(l + j * ld)]);
        EXPECT_NEAR(sum, static_cast<double>(a[static_cast<std::size_t>(i + j * ld)]),
                    1e-5 * static_cast<double>(width))
            << width << ": " << i << " " << j;
      }
    }
  }
}

// The identity, but for one column: of zeros, or of what is no number.
TEST_F(HplSquare, TheFirstColumnWithoutAPivotIsNamed) {
  for (const Index none : {0, 5, 16, 39}) {
    for (const float what : {0.0F, std::nanf("")}) {
      std::vector<float> a(1600);
      for (Index i = 0; i < 40; ++i) a[static_cast<std::size_t>(41 * i)] = i == none ? what : 1;
      EXPECT_EQ(factor_square(a.data(), 40, 40, *blas), none);
    }
  }
}

}  // namespace
}  // namespace clusterc::hpl
