// Numbers of 16 bits, made of floats and read back, the same on the host and on a device: rounded to the nearest, of
// two as near to the even one.
#pragma once
#include <cstring>
#include <optional>
#include <string_view>

#include "hpl/layout.h"

namespace clusterc::hpl {

// What the factors are rounded to before they are multiplied; sums are FP32 in all of them.
enum class Precision : std::uint8_t { fp32, bf16, fp16 };
constexpr double half_last_place(Precision precision) {
  return precision == Precision::fp32 ? 0x1p-24 : precision == Precision::bf16 ? 0x1p-8 : 0x1p-11;
}
constexpr Index bytes_of(Precision precision) { return precision == Precision::fp32 ? 4 : 2; }
inline constexpr std::string_view kPrecisionNames = "fp64|fp32|bf16|fp16";
constexpr std::optional<Precision> precision_of(std::string_view name) {  // nullopt: fp64, which is HPL itself
  if (name == "fp32") return Precision::fp32;
  if (name == "bf16") return Precision::bf16;
  if (name == "fp16") return Precision::fp16;
  return std::nullopt;
}

// IEEE 754 binary16.
CLUSTERC_BOTH inline std::uint16_t to_half(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  const std::uint32_t sign = bits >> 16 & 0x8000, size = bits & 0x7fffffff;
  if (size > 0x7f800000) return static_cast<std::uint16_t>(sign | 0x7e00);   // NaN
  if (size >= 0x47800000) return static_cast<std::uint16_t>(sign | 0x7c00);  // 2^16 and more
  if (size <
      0x38800000) {  // below 2^-14, a multiple of 2^-24, which is what a float has behind its point between 1/2 and 1
    float magnitude = 0;
    std::memcpy(&magnitude, &size, sizeof magnitude);
    magnitude += 0.5F;
    std::memcpy(&bits, &magnitude, sizeof bits);
    return static_cast<std::uint16_t>(sign | (bits - 0x3f000000));
  }
  return static_cast<std::uint16_t>(sign |
                                    (size + 0xfff + (size >> 13 & 1) - 0x38000000) >> 13);  // may carry into infinity
}
// The upper half of a float.
CLUSTERC_BOTH inline std::uint16_t to_bfloat(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  if ((bits & 0x7fffffff) > 0x7f800000) return static_cast<std::uint16_t>(bits >> 16 | 0x40);
  return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

inline float from_half(std::uint16_t half) {
  const std::uint32_t sign = (half & 0x8000u) << 16, exponent = half >> 10 & 31, fraction = half & 0x3ff;
  if (exponent == 0) return (sign ? -1.0F : 1.0F) * static_cast<float>(fraction) * 0x1p-24F;
  const std::uint32_t bits = sign | (exponent == 31 ? 0x7f800000 : (exponent + 112) << 23) | fraction << 13;
  float value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
inline float from_bfloat(std::uint16_t upper) {
  const std::uint32_t bits = std::uint32_t{upper} << 16;
  float value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

// Element number `i` of an array of that precision.
CLUSTERC_BOTH inline void store(void* array, Precision precision, Index i, float value) {
  if (precision == Precision::fp32)
    static_cast<float*>(array)[i] = value;
  else
    static_cast<std::uint16_t*>(array)[i] = precision == Precision::fp16 ? to_half(value) : to_bfloat(value);
}
inline float load(const void* array, Precision precision, Index i) {
  if (precision == Precision::fp32) return static_cast<const float*>(array)[i];
  const std::uint16_t bits = static_cast<const std::uint16_t*>(array)[i];
  return precision == Precision::fp16 ? from_half(bits) : from_bfloat(bits);
}

}  // namespace clusterc::hpl
