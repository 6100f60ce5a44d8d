// Element types. The two of 16 bits are whole numbers rounded by nobody: every value and every sum that we use is exact
// in them.
#pragma once
#include <bit>
#include <cstdint>
#include <limits>
#include <string_view>

namespace clusterc::nccl {

// Holds the bits; `Digits` of significand, `Exponent` bits. Only whole numbers that are exact go in.
template <int Digits, int Exponent>
struct Small {
  std::uint16_t bits = 0;
  Small() = default;
  constexpr explicit Small(std::int64_t whole) {
    if (whole == 0) return;
    const std::uint64_t size = static_cast<std::uint64_t>(whole < 0 ? -whole : whole);
    const int top = static_cast<int>(std::bit_width(size)) - 1;  // 2^top <= size
    const std::uint64_t fraction = (size << (Digits - 1) >> top) - (1u << (Digits - 1));
    const int bias = (1 << (Exponent - 1)) - 1;
    bits = static_cast<std::uint16_t>((whole < 0 ? 0x8000u : 0u) | static_cast<unsigned>(top + bias) << (Digits - 1) |
                                      fraction);
  }
  constexpr explicit operator std::int64_t() const {
    const int bias = (1 << (Exponent - 1)) - 1;
    const int field = bits >> (Digits - 1) & ((1 << Exponent) - 1);
    if (field == 0) return 0;
    const std::uint64_t significand = (bits & ((1u << (Digits - 1)) - 1)) | 1u << (Digits - 1);
    const int shift = field - bias - (Digits - 1);
    const auto size = static_cast<std::int64_t>(shift >= 0 ? significand << shift : significand >> -shift);
    return bits & 0x8000u ? -size : size;
  }
  // By value: zero has two signs, and a NaN is equal to nothing.
  friend constexpr bool operator==(Small a, Small b) {
    const auto nan = [](Small x) { return (x.bits & 0x7fffu) > (((1u << Exponent) - 1) << (Digits - 1)); };
    return !nan(a) && !nan(b) && (a.bits == b.bits || ((a.bits | b.bits) & 0x7fffu) == 0);
  }
};
using Half = Small<11, 5>;   // IEEE 754 binary16
using Bfloat = Small<8, 8>;  // the upper half of a binary32

inline constexpr std::string_view kTypeNames = "float32|float64|int8|int32|int64|float16|bfloat16";
enum class Type : std::uint8_t { float32, float64, int8, int32, int64, float16, bfloat16 };

// Calls use(T{}) with the C++ type of `name`.
template <class Use>
decltype(auto) with_type(std::string_view name, Use&& use) {
  if (name == "float64") return use(double{}, Type::float64);
  if (name == "int8") return use(std::int8_t{}, Type::int8);
  if (name == "int32") return use(std::int32_t{}, Type::int32);
  if (name == "int64") return use(std::int64_t{}, Type::int64);
  if (name == "float16") return use(Half{}, Type::float16);
  if (name == "bfloat16") return use(Bfloat{}, Type::bfloat16);
  return use(float{}, Type::float32);
}

}  // namespace clusterc::nccl

template <int Digits, int Exponent>
struct std::numeric_limits<clusterc::nccl::Small<Digits, Exponent>> {
  static constexpr bool is_specialized = true, has_quiet_NaN = true;
  static constexpr int digits = Digits;
  static constexpr clusterc::nccl::Small<Digits, Exponent> quiet_NaN() {
    clusterc::nccl::Small<Digits, Exponent> nan;
    nan.bits = static_cast<std::uint16_t>((((1u << Exponent) - 1) << (Digits - 1)) | 1u << (Digits - 2));
    return nan;
  }
};
