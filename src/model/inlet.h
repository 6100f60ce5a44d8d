// The warmest air that a server may be given, by the height of the site.
#pragma once
#include "base/quantity.h"

namespace clusterc {

constexpr Meters kInletDeratingFrom{900};  // ASHRAE thermal guidelines, allowable ranges

// Metres for one kelvin: 300 (A1, A2), 175 (A3), 125 (A4). The class follows from the inlet maximum: 32 or 35 C, 40 C,
// 45 C.
constexpr double inlet_meters_per_kelvin(Celsius inlet_max) {
  return inlet_max.value <= 35 ? 300 : inlet_max.value <= 40 ? 175 : 125;
}

// inlet_max - (height - 900 m) / d: 35 C at 2,300 m are 30.3 C.
constexpr Celsius inlet_limit(Celsius inlet_max, Meters height) {
  if (height <= kInletDeratingFrom) return inlet_max;
  return Celsius(inlet_max.value - (height - kInletDeratingFrom).value / inlet_meters_per_kelvin(inlet_max));
}

}  // namespace clusterc
