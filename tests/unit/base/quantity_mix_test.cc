// No two dimensions add, subtract, compare, divide or convert: every ordered pair is tried. (tests/compile_fail holds
// the same for a few by name, as users of the types would write them.)
#include <gtest/gtest.h>

#include <concepts>
#include <utility>

#include "base/quantity.h"

namespace clusterc {
namespace {

constexpr int kDimensions = static_cast<int>(Dimension::transfer_rate) + 1;

template <class A, class B>
concept adds = requires(A a, B b) {
  a + b;
};
template <class A, class B>
concept subtracts = requires(A a, B b) {
  a - b;
};
template <class A, class B>
concept accumulates = requires(A a, B b) {
  a += b;
};
template <class A, class B>
concept compares = requires(A a, B b) {
  a < b;
};
template <class A, class B>
concept equals = requires(A a, B b) {
  a == b;
};
template <class A, class B>
concept divides = requires(A a, B b) {
  a / b;
};
template <class A, class B>
concept mixes = adds<A, B> || subtracts<A, B> || accumulates<A, B> || compares<A, B> || equals<A, B> || divides<A, B> ||
    std::convertible_to<B, A> || std::constructible_from<A, B> || std::assignable_from<A&, B>;

template <int I, int J>
constexpr bool pair_is_right() {
  using A = Quantity<static_cast<Dimension>(I)>;
  using B = Quantity<static_cast<Dimension>(J)>;
  if constexpr (I == J)
    return adds<A, B> && subtracts<A, B> && accumulates<A, B> && compares<A, B> && equals<A, B> && divides<A, B>;
  else
    return !mixes<A, B>;
}
template <int I, int... J>
constexpr bool row_is_right(std::integer_sequence<int, J...>) {
  return (pair_is_right<I, J>() && ...);
}
template <int... I>
constexpr bool all_are_right(std::integer_sequence<int, I...>) {
  return (row_is_right<I>(std::make_integer_sequence<int, kDimensions>{}) && ...);
}

TEST(QuantityMix, OnlyEqualDimensionsMix) {
  static_assert(all_are_right(std::make_integer_sequence<int, kDimensions>{}));
  static_assert(!std::convertible_to<double, Watts> && !std::convertible_to<Watts, double>);
  static_assert(!adds<Watts, double> && !compares<Watts, double>);
}

TEST(QuantityMix, BitsBecomeBytesByEight) {
  EXPECT_EQ(bytes_of(BitsPerSecond(400e9)).value, 50e9);
  EXPECT_EQ(bits_of(BytesPerSecond(50e9)).value, 400e9);
  EXPECT_EQ(Watts(30) / Watts(10), 3.0);
}

}  // namespace
}  // namespace clusterc
