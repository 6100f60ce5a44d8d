// When a figure exceeds its limit: figures that differ by less than rounding are equal. They are sums of many rounded
// ones.
#pragma once

namespace clusterc {

inline constexpr double kRounding = 1e-9;
inline bool above(double value, double limit) { return value > limit * (1 + kRounding) + kRounding; }

}  // namespace clusterc
