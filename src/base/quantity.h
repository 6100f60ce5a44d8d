// Physical quantities as types, so that kW and kVA, bits and bytes, each and all cannot be mixed by accident.
// Every quantity holds one double in the SI unit that its dimension's row of `kDimensions` (quantity.cc) names.
#pragma once
#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace clusterc {

enum class Dimension : std::uint8_t {
  power,          // W, real power at the wall unless a field says otherwise
  apparent,       // VA
  voltage,        // V
  current,        // A
  energy,         // J
  length,         // m
  mass,           // kg
  temperature,    // degC, a point on the scale
  temp_delta,     // K, a difference
  air_flow,       // m3/s of air
  liquid_flow,    // m3/s of liquid
  pressure,       // Pa
  bytes,          // B
  bit_rate,       // bit/s, one direction
  byte_rate,      // B/s
  time,           // s
  frequency,      // Hz
  flop_rate,      // FLOP/s
  floor_load,     // kg/m2
  op_rate,        // operations/s
  transfer_rate,  // T/s (memory transfers: MT/s)
};

template <Dimension D>
struct Quantity {
  static constexpr Dimension dimension = D;
  double value = 0;  // in the dimension's SI unit
  constexpr Quantity() = default;
  constexpr explicit Quantity(double si) : value(si) {}
  constexpr auto operator<=>(const Quantity&) const = default;
  constexpr Quantity operator+(Quantity o) const { return Quantity(value + o.value); }
  constexpr Quantity operator-(Quantity o) const { return Quantity(value - o.value); }
  constexpr Quantity operator*(double k) const { return Quantity(value * k); }
  constexpr Quantity operator/(double k) const { return Quantity(value / k); }
  constexpr double operator/(Quantity o) const { return value / o.value; }
  constexpr Quantity& operator+=(Quantity o) {
    value += o.value;
    return *this;
  }
  friend constexpr Quantity operator*(double k, Quantity q) { return Quantity(k * q.value); }
};

using Watts = Quantity<Dimension::power>;
using VoltAmperes = Quantity<Dimension::apparent>;
using Volts = Quantity<Dimension::voltage>;
using Amperes = Quantity<Dimension::current>;
using Joules = Quantity<Dimension::energy>;
using Meters = Quantity<Dimension::length>;
using Kilograms = Quantity<Dimension::mass>;
using Celsius = Quantity<Dimension::temperature>;
using Kelvins = Quantity<Dimension::temp_delta>;
using AirFlow = Quantity<Dimension::air_flow>;
using LiquidFlow = Quantity<Dimension::liquid_flow>;
using Pascals = Quantity<Dimension::pressure>;
using Bytes = Quantity<Dimension::bytes>;
using BitsPerSecond = Quantity<Dimension::bit_rate>;
using BytesPerSecond = Quantity<Dimension::byte_rate>;
using Seconds = Quantity<Dimension::time>;
using Hertz = Quantity<Dimension::frequency>;
using FlopsPerSecond = Quantity<Dimension::flop_rate>;
using FloorLoad = Quantity<Dimension::floor_load>;
using OpsPerSecond = Quantity<Dimension::op_rate>;
using TransfersPerSecond = Quantity<Dimension::transfer_rate>;

// 8 bits are a byte; the only crossing between the two.
constexpr BytesPerSecond bytes_of(BitsPerSecond r) { return BytesPerSecond(r.value / 8); }
constexpr BitsPerSecond bits_of(BytesPerSecond r) { return BitsPerSecond(r.value * 8); }

struct UnitRow {
  std::string_view spelling;  // as users write it: "kW"
  double factor;              // SI = number * factor + offset
  double offset = 0;
};

std::string_view dimension_name(Dimension);    // "power"
std::span<const UnitRow> units_of(Dimension);  // accepted spellings, the usual one first
std::string unit_example(Dimension);           // "10.2 kW", for messages

struct QuantityError {
  enum class Kind { not_a_number, no_unit, unknown_unit, wrong_dimension, not_finite } kind;
  std::string text;                // the unit or number that was not understood
  std::optional<Dimension> other;  // wrong_dimension: what the unit measures
};

// "10.2 kW" -> 10200. Number by from_chars, one optional blank, a unit of the dimension. nullopt with `error` filled
// otherwise.
std::optional<double> parse_quantity(std::string_view text, Dimension, QuantityError& error);

// The shortest text that people use and that parse_quantity reads back: 10200 W -> "10.2 kW", 4e11 bit/s -> "400 Gb/s".
// `digits` significant digits (rounded half to even by to_chars), trailing zeros dropped.
std::string to_text(double si, Dimension, int digits = 4);
// Every digit: what parse_quantity reads back to the same double.
std::string to_exact_text(double si, Dimension);
template <Dimension D>
std::string to_text(Quantity<D> q, int digits = 4) {
  return to_text(q.value, D, digits);
}

// Electrical and thermal definitions that more than one room uses.
constexpr double kSqrt3 = 1.7320508075688772;
constexpr double kCubicMetersPerSecondPerCfm = 0.028316846592 / 60;  // 1 ft3 = 0.3048^3 m3

}  // namespace clusterc
