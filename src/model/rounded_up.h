// What is needed, as it is printed.
#pragma once
#include <cmath>

#include "model/rounding.h"

namespace clusterc {

// Four digits, as figures are printed, and never less than what is needed: "a feed of at least 865.8 kVA" for 865.71.
inline double rounded_up(double value) {
  if (value <= 0) return value;
  const double step = std::pow(10.0, std::floor(std::log10(value)) - 3);
  return std::ceil(value / step - kRounding) * step;
}

}  // namespace clusterc
