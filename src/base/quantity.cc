#include "base/quantity.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <iterator>

namespace clusterc {
namespace {

// Spellings by dimension; case counts (mb/s, Mb/s and MB/s are three things). Factors are exact by definition:
// pound 0.45359237 kg, inch 0.0254 m, US gallon 231 in3 = 3.785411784 l (NIST SP 811, appendix B.8), IT calorie BTU
// 1055.05585262 J (the same), psi = lb x 9.80665 m/s2 / in2, inch of water (4 C, conventional) 249.08891 Pa.
constexpr double kHour = 3600;
constexpr double kFoot2 = 0.3048 * 0.3048;
constexpr double kGallonPerMinute = 0.003785411784 / 60;
constexpr double kPsi = 6894.757293168361;

constexpr UnitRow kPower[] = {{"kW", 1e3}, {"W", 1},     {"MW", 1e6},
                              {"GW", 1e9}, {"mW", 1e-3}, {"BTU/h", 1055.05585262 / kHour}};
constexpr UnitRow kApparent[] = {{"kVA", 1e3}, {"VA", 1}, {"MVA", 1e6}};
constexpr UnitRow kVoltage[] = {{"V", 1}, {"mV", 1e-3}, {"kV", 1e3}};
constexpr UnitRow kCurrent[] = {{"A", 1}, {"mA", 1e-3}, {"kA", 1e3}};
constexpr UnitRow kEnergy[] = {{"kWh", 3.6e6}, {"Wh", 3.6e3}, {"MWh", 3.6e9}, {"GWh", 3.6e12},
                               {"J", 1},       {"kJ", 1e3},   {"MJ", 1e6},    {"GJ", 1e9}};
constexpr UnitRow kLength[] = {{"m", 1}, {"mm", 1e-3}, {"cm", 1e-2}, {"km", 1e3}, {"in", 0.0254}, {"ft", 0.3048}};
constexpr UnitRow kMass[] = {{"kg", 1}, {"g", 1e-3}, {"t", 1e3}, {"lb", 0.45359237}, {"lbs", 0.45359237}};
constexpr UnitRow kTemperature[] = {{"C", 1},
                                    {"\u00b0C", 1},
                                    {"degC", 1},
                                    {"K", 1, -273.15},
                                    {"F", 5.0 / 9, -160.0 / 9},
                                    {"\u00b0F", 5.0 / 9, -160.0 / 9},
                                    {"degF", 5.0 / 9, -160.0 / 9}};
constexpr UnitRow kTempDelta[] = {
    {"K", 1}, {"C", 1}, {"\u00b0C", 1}, {"degC", 1}, {"F", 5.0 / 9}, {"\u00b0F", 5.0 / 9}, {"degF", 5.0 / 9}};
constexpr UnitRow kAirFlow[] = {{"CFM", kCubicMetersPerSecondPerCfm},
                                {"cfm", kCubicMetersPerSecondPerCfm},
                                {"m3/h", 1 / kHour},
                                {"m\u00b3/h", 1 / kHour},
                                {"m3/s", 1},
                                {"m\u00b3/s", 1},
                                {"L/s", 1e-3},
                                {"l/s", 1e-3}};
constexpr UnitRow kLiquidFlow[] = {{"L/min", 1e-3 / 60},
                                   {"l/min", 1e-3 / 60},
                                   {"LPM", 1e-3 / 60},
                                   {"lpm", 1e-3 / 60},
                                   {"L/s", 1e-3},
                                   {"l/s", 1e-3},
                                   {"L/h", 1e-3 / kHour},
                                   {"l/h", 1e-3 / kHour},
                                   {"m3/h", 1 / kHour},
                                   {"m\u00b3/h", 1 / kHour},
                                   {"m3/s", 1},
                                   {"m\u00b3/s", 1},
                                   {"GPM", kGallonPerMinute},
                                   {"gpm", kGallonPerMinute}};
constexpr UnitRow kPressure[] = {{"kPa", 1e3}, {"Pa", 1},     {"hPa", 1e2},  {"MPa", 1e6},
                                 {"bar", 1e5}, {"mbar", 1e2}, {"psi", kPsi}, {"inH2O", 249.08891}};
constexpr UnitRow kBytes[] = {{"GiB", 0x1p30}, {"B", 1},        {"kB", 1e3},    {"MB", 1e6},     {"GB", 1e9},
                              {"TB", 1e12},    {"PB", 1e15},    {"EB", 1e18},   {"KiB", 0x1p10}, {"MiB", 0x1p20},
                              {"TiB", 0x1p40}, {"PiB", 0x1p50}, {"EiB", 0x1p60}};
constexpr UnitRow kBitRate[] = {{"Gb/s", 1e9},   {"b/s", 1},      {"kb/s", 1e3},    {"Mb/s", 1e6},
                                {"Tb/s", 1e12},  {"Pb/s", 1e15},  {"bit/s", 1},     {"kbit/s", 1e3},
                                {"Mbit/s", 1e6}, {"Gbit/s", 1e9}, {"Tbit/s", 1e12}, {"bps", 1},
                                {"kbps", 1e3},   {"Mbps", 1e6},   {"Gbps", 1e9},    {"Tbps", 1e12}};
constexpr UnitRow kByteRate[] = {{"GB/s", 1e9},     {"B/s", 1},        {"kB/s", 1e3},     {"MB/s", 1e6},
                                 {"TB/s", 1e12},    {"PB/s", 1e15},    {"KiB/s", 0x1p10}, {"MiB/s", 0x1p20},
                                 {"GiB/s", 0x1p30}, {"TiB/s", 0x1p40}, {"PiB/s", 0x1p50}};
// A year is 365 days of 24 hours, as energy and availability figures are reckoned (8760 h).
constexpr UnitRow kTime[] = {{"s", 1},
                             {"ms", 1e-3},
                             {"us", 1e-6},
                             {"\u00b5s", 1e-6},
                             {"\u03bcs", 1e-6},
                             {"ns", 1e-9},
                             {"min", 60},
                             {"h", kHour},
                             {"d", 24 * kHour},
                             {"second", 1},
                             {"seconds", 1},
                             {"minute", 60},
                             {"minutes", 60},
                             {"hour", kHour},
                             {"hours", kHour},
                             {"day", 24 * kHour},
                             {"days", 24 * kHour},
                             {"week", 168 * kHour},
                             {"weeks", 168 * kHour},
                             {"year", 8760 * kHour},
                             {"years", 8760 * kHour}};
constexpr UnitRow kFrequency[] = {{"GHz", 1e9}, {"Hz", 1}, {"kHz", 1e3}, {"MHz", 1e6}};
constexpr UnitRow kFlopRate[] = {{"TFLOP/s", 1e12}, {"FLOP/s", 1},     {"MFLOP/s", 1e6},  {"GFLOP/s", 1e9},
                                 {"PFLOP/s", 1e15}, {"EFLOP/s", 1e18}, {"ZFLOP/s", 1e21}, {"FLOPS", 1},
                                 {"MFLOPS", 1e6},   {"GFLOPS", 1e9},   {"TFLOPS", 1e12},  {"PFLOPS", 1e15},
                                 {"EFLOPS", 1e18}};
constexpr UnitRow kFloorLoad[] = {{"kg/m2", 1},
                                  {"kg/m\u00b2", 1},
                                  {"t/m2", 1e3},
                                  {"t/m\u00b2", 1e3},
                                  {"lb/ft2", 0.45359237 / kFoot2},
                                  {"lb/ft\u00b2", 0.45359237 / kFoot2},
                                  {"psf", 0.45359237 / kFoot2}};
constexpr UnitRow kOpRate[] = {{"IOPS", 1},  {"kIOPS", 1e3}, {"MIOPS", 1e6},  {"GIOPS", 1e9}, {"op/s", 1},
                               {"ops/s", 1}, {"kop/s", 1e3}, {"kops/s", 1e3}, {"Mop/s", 1e6}, {"Mops/s", 1e6}};
constexpr UnitRow kTransferRate[] = {{"MT/s", 1e6}, {"GT/s", 1e9}, {"T/s", 1}};

// What to_text chooses from, smallest first; the unit is the last whose threshold the rounded value reaches.
struct Shown {
  std::string_view unit;
  double factor;
  double from;  // in SI
};
constexpr Shown kPowerShown[] = {{"W", 1, 0}, {"kW", 1e3, 1e3}, {"MW", 1e6, 1e6}, {"GW", 1e9, 1e9}};
constexpr Shown kApparentShown[] = {{"VA", 1, 0}, {"kVA", 1e3, 1e3}, {"MVA", 1e6, 1e6}};
constexpr Shown kVoltageShown[] = {{"mV", 1e-3, 0}, {"V", 1, 1}, {"kV", 1e3, 1e3}};
constexpr Shown kCurrentShown[] = {{"mA", 1e-3, 0}, {"A", 1, 1}};
constexpr Shown kEnergyShown[] = {
    {"J", 1, 0}, {"kJ", 1e3, 1e3}, {"kWh", 3.6e6, 3.6e5}, {"MWh", 3.6e9, 3.6e9}, {"GWh", 3.6e12, 3.6e12}};
constexpr Shown kLengthShown[] = {
    {"mm", 1e-3, 0}, {"m", 1, 0.1}, {"km", 1e3, 1e4}};  // cables and racks are told in metres
constexpr Shown kMassShown[] = {{"g", 1e-3, 0}, {"kg", 1, 0.1}};
constexpr Shown kTemperatureShown[] = {{"C", 1, 0}};
constexpr Shown kTempDeltaShown[] = {{"K", 1, 0}};
constexpr Shown kAirFlowShown[] = {{"CFM", kCubicMetersPerSecondPerCfm, 0}};
constexpr Shown kLiquidFlowShown[] = {{"L/min", 1e-3 / 60, 0}};
constexpr Shown kPressureShown[] = {{"Pa", 1, 0}, {"kPa", 1e3, 1e3}, {"MPa", 1e6, 1e6}};
constexpr Shown kBytesShown[] = {{"B", 1, 0},        {"kB", 1e3, 1e3},   {"MB", 1e6, 1e6},  {"GB", 1e9, 1e9},
                                 {"TB", 1e12, 1e12}, {"PB", 1e15, 1e15}, {"EB", 1e18, 1e18}};
constexpr Shown kBinaryShown[] = {{"KiB", 0x1p10, 0x1p10},
                                  {"MiB", 0x1p20, 0x1p20},
                                  {"GiB", 0x1p30, 0x1p30},
                                  {"TiB", 0x1p40, 0x1p40},
                                  {"PiB", 0x1p50, 0x1p50}};
constexpr Shown kBitRateShown[] = {{"b/s", 1, 0},      {"kb/s", 1e3, 1e3},   {"Mb/s", 1e6, 1e6},
                                   {"Gb/s", 1e9, 1e9}, {"Tb/s", 1e12, 1e12}, {"Pb/s", 1e15, 1e15}};
constexpr Shown kByteRateShown[] = {{"B/s", 1, 0},      {"kB/s", 1e3, 1e3},   {"MB/s", 1e6, 1e6},
                                    {"GB/s", 1e9, 1e9}, {"TB/s", 1e12, 1e12}, {"PB/s", 1e15, 1e15}};
constexpr Shown kTimeShown[] = {{"ns", 1e-9, 0},  {"us", 1e-6, 1e-6},      {"ms", 1e-3, 1e-3},           {"s", 1, 1},
                                {"min", 60, 120}, {"h", kHour, 2 * kHour}, {"d", 24 * kHour, 48 * kHour}};
constexpr Shown kFrequencyShown[] = {{"Hz", 1, 0}, {"kHz", 1e3, 1e3}, {"MHz", 1e6, 1e6}, {"GHz", 1e9, 1e9}};
constexpr Shown kFlopRateShown[] = {{"FLOP/s", 1, 0},        {"MFLOP/s", 1e6, 1e6},   {"GFLOP/s", 1e9, 1e9},
                                    {"TFLOP/s", 1e12, 1e12}, {"PFLOP/s", 1e15, 1e15}, {"EFLOP/s", 1e18, 1e18},
                                    {"ZFLOP/s", 1e21, 1e21}};
constexpr Shown kFloorLoadShown[] = {{"kg/m2", 1, 0}};
constexpr Shown kOpRateShown[] = {{"IOPS", 1, 0}, {"kIOPS", 1e3, 1e3}, {"MIOPS", 1e6, 1e6}, {"GIOPS", 1e9, 1e9}};
constexpr Shown kTransferRateShown[] = {
    {"T/s", 1, 0}, {"MT/s", 1e6, 1e6}, {"GT/s", 1e9, 1e10}};  // memory is sold in MT/s up to 9,600

struct DimensionRow {
  std::string_view name;
  std::span<const UnitRow> units;
  std::span<const Shown> shown;
  std::string_view example;
};
// In the order of the enumeration.
constexpr DimensionRow kDimensions[] = {
    {"power", kPower, kPowerShown, "10.2 kW"},
    {"apparent power", kApparent, kApparentShown, "1.6 MVA"},
    {"voltage", kVoltage, kVoltageShown, "415 V"},
    {"current", kCurrent, kCurrentShown, "32 A"},
    {"energy", kEnergy, kEnergyShown, "12 kWh"},
    {"length", kLength, kLengthShown, "30 m"},
    {"mass", kMass, kMassShown, "130 kg"},
    {"temperature", kTemperature, kTemperatureShown, "24 C"},
    {"temperature difference", kTempDelta, kTempDeltaShown, "15 K"},
    {"air flow", kAirFlow, kAirFlowShown, "24000 CFM"},
    {"liquid flow", kLiquidFlow, kLiquidFlowShown, "80 L/min"},
    {"pressure", kPressure, kPressureShown, "120 kPa"},
    {"bytes", kBytes, kBytesShown, "80 GiB"},
    {"bit rate", kBitRate, kBitRateShown, "400 Gb/s"},
    {"byte rate", kByteRate, kByteRateShown, "160 GB/s"},
    {"time", kTime, kTimeShown, "30 min"},
    {"frequency", kFrequency, kFrequencyShown, "2.4 GHz"},
    {"FLOP rate", kFlopRate, kFlopRateShown, "989 TFLOP/s"},
    {"floor load", kFloorLoad, kFloorLoadShown, "1500 kg/m2"},
    {"operation rate", kOpRate, kOpRateShown, "500 kIOPS"},
    {"transfer rate", kTransferRate, kTransferRateShown, "4800 MT/s"},
};
static_assert(std::size(kDimensions) == static_cast<std::size_t>(Dimension::transfer_rate) + 1);

const DimensionRow& row(Dimension d) { return kDimensions[static_cast<std::size_t>(d)]; }

const UnitRow* find_unit(Dimension d, std::string_view spelling) {
  for (const UnitRow& unit : row(d).units)
    if (unit.spelling == spelling) return &unit;
  return nullptr;
}

// k where factor is exactly 10^k as a literal; a decimal number is then scaled by moving its point, without a rounding
// of its own.
std::optional<int> power_of_ten(double factor) {
  static constexpr double kPowers[] = {1e-9, 1e-6, 1e-3, 1e-2, 1, 1e2, 1e3, 1e5, 1e6, 1e9, 1e12, 1e15, 1e18, 1e21};
  static constexpr int kExponents[] = {-9, -6, -3, -2, 0, 2, 3, 5, 6, 9, 12, 15, 18, 21};
  for (std::size_t i = 0; i < std::size(kPowers); ++i)
    if (factor == kPowers[i]) return kExponents[i];
  return std::nullopt;
}

// Significant digits and the exponent of the first: 10200 -> "102", 4.
struct Decimal {
  bool negative = false;
  std::string digits = "0";
  int exponent = 0;
};

// `precision` significant digits; 0: as many as it takes to read the same double back.
Decimal to_decimal(double value, int precision) {
  std::array<char, 64> buffer;
  const auto result =
      precision > 0 ? std::to_chars(buffer.begin(), buffer.end(), value, std::chars_format::scientific, precision - 1)
                    : std::to_chars(buffer.begin(), buffer.end(), value, std::chars_format::scientific);
  std::string_view text(buffer.data(), static_cast<std::size_t>(result.ptr - buffer.data()));
  Decimal out;
  if (text.starts_with('-')) {
    out.negative = true;
    text.remove_prefix(1);
  }
  const std::size_t e = text.find('e');
  std::string_view exponent = text.substr(e + 1);
  if (exponent.starts_with('+')) exponent.remove_prefix(1);
  std::from_chars(exponent.data(), exponent.data() + exponent.size(), out.exponent);
  out.digits.clear();
  for (char c : text.substr(0, e))
    if (c != '.') out.digits += c;
  while (out.digits.size() > 1 && out.digits.back() == '0') out.digits.pop_back();
  if (out.digits == "0") out = Decimal{};  // no negative zero
  return out;
}

// Plain notation: "10200", "0.05".
std::string plain(const Decimal& d) {
  std::string out = d.negative ? "-" : "";
  const int size = static_cast<int>(d.digits.size());
  if (d.exponent < 0) {
    out += "0.";
    out.append(static_cast<std::size_t>(-d.exponent - 1), '0');
    return out + d.digits;
  }
  if (d.exponent >= size - 1) {
    out += d.digits;
    out.append(static_cast<std::size_t>(d.exponent - size + 1), '0');
    return out;
  }
  out.append(d.digits, 0, static_cast<std::size_t>(d.exponent) + 1);
  out += '.';
  return out.append(d.digits, static_cast<std::size_t>(d.exponent) + 1);
}

double number_of(const Decimal& d) {
  const std::string text = d.digits + "e" + std::to_string(d.exponent - static_cast<int>(d.digits.size()) + 1);
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return d.negative ? -value : value;
}

// The number in units of `shown`.
Decimal in_unit(double si, const Shown& shown, int digits) {
  if (const auto k = power_of_ten(shown.factor)) {
    Decimal d = to_decimal(si, digits);
    if (d.digits != "0") d.exponent -= *k;
    return d;
  }
  return to_decimal(si / shown.factor, digits);
}

const Shown& choose(std::span<const Shown> list, double magnitude) {
  std::size_t i = 0;
  if (magnitude == 0) {  // "0 W", not "0 ns": the SI unit itself
    while (i + 1 < list.size() && list[i].factor < 1) ++i;
    return list[i];
  }
  while (i + 1 < list.size() && magnitude >= list[i + 1].from) ++i;
  return list[i];
}

std::string text_in(const Decimal& number, std::string_view unit) {
  std::string out = plain(number);
  out += ' ';
  return out += unit;
}

// 80 GiB rather than 85.9 GB: whole multiples of a KiB whose binary text is the shorter one.
std::optional<std::string> binary_text(double si, std::size_t limit) {
  if (si < 1024 || std::fmod(si, 1024) != 0) return std::nullopt;
  const Shown& shown = choose(kBinaryShown, si);
  const Decimal binary = to_decimal(si / shown.factor, 0);
  if (binary.digits.size() >= to_decimal(si, 0).digits.size() || binary.digits.size() > limit) return std::nullopt;
  return text_in(binary, shown.unit);
}

// In the unit that needs no conversion, which cannot overflow; empty where the dimension has none.
std::string in_unit_of_one(double si, Dimension dimension, int digits) {
  for (const UnitRow& unit : row(dimension).units)
    if (unit.factor == 1 && unit.offset == 0) return text_in(to_decimal(si, digits), unit.spelling);
  return {};
}

}  // namespace

std::string_view dimension_name(Dimension d) { return row(d).name; }
std::span<const UnitRow> units_of(Dimension d) { return row(d).units; }
std::string unit_example(Dimension d) { return std::string(row(d).example); }

std::optional<double> parse_quantity(std::string_view text, Dimension dimension, QuantityError& error) {
  using Kind = QuantityError::Kind;
  const auto fail = [&](Kind kind, std::string_view what) {
    error = {kind, std::string(what), std::nullopt};
    return std::nullopt;
  };
  double number = 0;
  const bool numeric = !text.empty() && (text[0] == '-' || text[0] == '.' || (text[0] >= '0' && text[0] <= '9')) &&
                       !text.starts_with("-i") && !text.starts_with("-n");  // from_chars knows inf and nan
  const auto parsed = std::from_chars(text.data(), text.data() + (numeric ? text.size() : 0), number);
  if (!numeric || parsed.ec == std::errc::invalid_argument) return fail(Kind::not_a_number, text);
  const std::string_view digits = text.substr(0, static_cast<std::size_t>(parsed.ptr - text.data()));
  std::string_view unit = text.substr(digits.size());
  if (unit.starts_with(' ')) unit.remove_prefix(1);
  if (!unit.empty() &&
      (unit[0] == '.' || unit[0] == ',' || unit[0] == '_' || unit[0] == '\'' || (unit[0] >= '0' && unit[0] <= '9')))
    return fail(Kind::not_a_number, text);  // 24,000 CFM; 1 000 W; 1.2.3 V
  if (parsed.ec == std::errc::result_out_of_range) return fail(Kind::not_finite, digits);
  if (unit.empty()) return fail(Kind::no_unit, digits);
  const UnitRow* found = find_unit(dimension, unit);
  if (!found) {
    error = {Kind::unknown_unit, std::string(unit), std::nullopt};
    for (std::size_t other = 0; other < std::size(kDimensions); ++other) {
      if (!find_unit(static_cast<Dimension>(other), unit)) continue;
      error.kind = Kind::wrong_dimension;
      error.other = static_cast<Dimension>(other);
      break;
    }
    return std::nullopt;
  }
  double si = number * found->factor + found->offset;
  if (const auto k = power_of_ten(found->factor); k && found->offset == 0 && *k != 0) {
    // Exactly rounded: the exponent of the text is moved, not the double multiplied (4.35 x 100 is not 435 in doubles).
    const std::size_t e = digits.find_first_of("eE");
    int exponent = 0;
    if (e != std::string_view::npos) {
      std::string_view tail = digits.substr(e + 1);
      if (tail.starts_with('+')) tail.remove_prefix(1);
      std::from_chars(tail.data(), tail.data() + tail.size(), exponent);
    }
    const std::string moved = std::string(digits.substr(0, e)) + "e" + std::to_string(exponent + *k);
    if (std::from_chars(moved.data(), moved.data() + moved.size(), si).ec != std::errc{})
      return fail(Kind::not_finite, digits);
  }
  if (!std::isfinite(si)) return fail(Kind::not_finite, digits);
  return si;
}

std::string to_text(double si, Dimension dimension, int digits) {
  if (!std::isfinite(si)) return std::isnan(si) ? "nan" : si > 0 ? "inf" : "-inf";
  if (digits < 1) digits = 1;
  if (dimension == Dimension::bytes)
    if (auto binary = binary_text(si, static_cast<std::size_t>(digits))) return *binary;
  // The unit is chosen by the rounded value: 999.96 W is 1 kW, not 1000 W.
  const Shown& first = choose(row(dimension).shown, std::fabs(si));
  if (!std::isfinite(si / first.factor)) return in_unit_of_one(si, dimension, digits);
  const double rounded = std::fabs(number_of(in_unit(si, first, digits))) * first.factor;
  const Shown& shown = choose(row(dimension).shown, rounded);
  return text_in(in_unit(si, shown, digits), shown.unit);
}

std::string to_exact_text(double si, Dimension dimension) {
  if (!std::isfinite(si)) return to_text(si, dimension);
  if (dimension == Dimension::bytes)
    if (auto binary = binary_text(si, 17)) return *binary;
  const Shown& shown = choose(row(dimension).shown, std::fabs(si));
  if (!std::isfinite(si / shown.factor)) return in_unit_of_one(si, dimension, 0);
  QuantityError ignored{};
  const std::string text = text_in(in_unit(si, shown, 0), shown.unit);
  if (parse_quantity(text, dimension, ignored) == si) return text;
  // Units that are no power of ten may miss by a rounding; neighbours of the quotient, then a unit that cannot miss.
  for (double candidate : {std::nextafter(si / shown.factor, -HUGE_VAL), std::nextafter(si / shown.factor, HUGE_VAL)}) {
    const std::string near = text_in(to_decimal(candidate, 0), shown.unit);
    if (parse_quantity(near, dimension, ignored) == si) return near;
  }
  if (std::string one = in_unit_of_one(si, dimension, 0); !one.empty()) return one;
  for (const UnitRow& unit : row(dimension).units)  // liquid and air flow have m3/s, so this is not reached today
    if (power_of_ten(unit.factor)) return text_in(in_unit(si, Shown{unit.spelling, unit.factor, 0}, 0), unit.spelling);
  return text;
}

}  // namespace clusterc
