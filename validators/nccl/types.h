// Element types. The two of 16 bits are whole numbers rounded by nobody: every value and every sum that we use is exact
// in them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include "harness/inputs.h"

namespace clusterc::nccl {

// Holds the bits; `Digits` of significand, `Exponent` bits. Only whole numbers that are exact go in.
template <int Digits, int Exponent>
struct Small {
  static constexpr std::uint32_t kBias = (1u << (Exponent - 1)) - 1, kBiasOfFloat = 127;
  std::uint16_t bits = 0;
  Small() = default;
  // A float holds every whole number that goes in, and its bits are ours with other widths of the fields.
  CLUSTERC_BOTH constexpr explicit Small(std::int64_t whole) {
    if (whole == 0) return;
    const auto wide = __builtin_bit_cast(std::uint32_t, static_cast<float>(whole));
    const std::uint32_t exponent = (wide >> 23 & 0xffu) - kBiasOfFloat + kBias;
    bits =
        static_cast<std::uint16_t>(wide >> 31 << 15 | exponent << (Digits - 1) | (wide & 0x7fffffu) >> (24 - Digits));
  }
  CLUSTERC_BOTH constexpr explicit operator std::int64_t() const {
    const std::uint32_t field = bits >> (Digits - 1) & ((1u << Exponent) - 1);
    if (field == 0) return 0;
    const std::uint32_t fraction = bits & ((1u << (Digits - 1)) - 1);
    const std::uint32_t wide =
        static_cast<std::uint32_t>(bits >> 15) << 31 | (field - kBias + kBiasOfFloat) << 23 | fraction << (24 - Digits);
    return static_cast<std::int64_t>(__builtin_bit_cast(float, wide));
  }
  // By value: zero has two signs, and a NaN is equal to nothing.
  CLUSTERC_BOTH constexpr bool is_nan() const { return (bits & 0x7fffu) > (((1u << Exponent) - 1) << (Digits - 1)); }
  CLUSTERC_BOTH friend constexpr bool operator==(Small a, Small b) {
    return !a.is_nan() && !b.is_nan() && (a.bits == b.bits || ((a.bits | b.bits) & 0x7fffu) == 0);
  }
};
using Half = Small<11, 5>;   // IEEE 754 binary16
using Bfloat = Small<8, 8>;  // the upper half of a binary32

inline constexpr std::string_view kTypeNames = "float32|float64|int8|int32|int64|float16|bfloat16";
enum class Type : std::uint8_t { float32, float64, int8, int32, int64, float16, bfloat16 };

constexpr Type type_named(std::string_view name) {
  if (name == "float64") return Type::float64;
  if (name == "int8") return Type::int8;
  if (name == "int32") return Type::int32;
  if (name == "int64") return Type::int64;
  if (name == "float16") return Type::float16;
  if (name == "bfloat16") return Type::bfloat16;
  return Type::float32;
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

namespace clusterc::nccl {

// Calls use(T{}) with the C++ type that `type` stands for.
template <class Use>
decltype(auto) with_type(Type type, Use&& use) {
  switch (type) {
    case Type::float64:
      return use(double{});
    case Type::int8:
      return use(std::int8_t{});
    case Type::int32:
      return use(std::int32_t{});
    case Type::int64:
      return use(std::int64_t{});
    case Type::float16:
      return use(Half{});
    case Type::bfloat16:
      return use(Bfloat{});
    case Type::float32:
      break;
  }
  return use(float{});
}
inline std::size_t size_of(Type type) {
  return with_type(type, []<class T>(T) { return sizeof(T); });
}
// Bits of whole numbers that the type holds exactly.
inline int digits_of(Type type) {
  return with_type(type, []<class T>(T) { return std::numeric_limits<T>::digits; });
}

}  // namespace clusterc::nccl
