// When a figure exceeds its limit: figures that differ by less than rounding are equal. They are sums of many rounded ones.
#pragma once
#include <cmath>

namespace clusterc {

inline constexpr double kRounding = 1e-9;
// Four digits, as figures are printed, and never less than what is needed: "a feed of at least 865.8 kVA" for 865.71.
inline double rounded_up(double value) {
  if (value <= 0) return value;
  const double step = std::pow(10.0, std::floor(std::log10(value)) - 3);
  return std::ceil(value / step - kRounding) * step;
}
inline bool above(double value, double limit) { return value > limit * (1 + kRounding) + kRounding; }

}  // namespace clusterc
