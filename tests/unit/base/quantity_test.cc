#include "base/quantity.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>

namespace clusterc {
namespace {

double parsed(std::string_view text, Dimension d) {
  QuantityError error{};
  const auto value = parse_quantity(text, d, error);
  EXPECT_TRUE(value) << text << ": " << error.text;
  return value.value_or(-1);
}

QuantityError refused(std::string_view text, Dimension d) {
  QuantityError error{};
  EXPECT_FALSE(parse_quantity(text, d, error)) << text;
  return error;
}

using Kind = QuantityError::Kind;

TEST(Quantity, ReadsWhatSpecsWrite) {
  EXPECT_EQ(parsed("10.2 kW", Dimension::power), 10200);
  EXPECT_EQ(parsed("1.6 MVA", Dimension::apparent), 1.6e6);
  EXPECT_EQ(parsed("415 V", Dimension::voltage), 415);
  EXPECT_EQ(parsed("400 Gb/s", Dimension::bit_rate), 4e11);
  EXPECT_EQ(parsed("400Gbps", Dimension::bit_rate), 4e11);
  EXPECT_EQ(parsed("160 GB/s", Dimension::byte_rate), 1.6e11);
  EXPECT_EQ(parsed("80 GiB", Dimension::bytes), 85899345920.0);  // 80 x 1024^3
  EXPECT_EQ(parsed("1.92 TB", Dimension::bytes), 1.92e12);
  EXPECT_EQ(parsed("30 m", Dimension::length), 30);
  EXPECT_EQ(parsed("19 in", Dimension::length), 0.4826);  // 19 x 25.4 mm
  EXPECT_EQ(parsed("24 C", Dimension::temperature), 24);
  EXPECT_EQ(parsed("-5 \u00b0C", Dimension::temperature), -5);
  EXPECT_NEAR(parsed("75.2 F", Dimension::temperature), 24, 1e-12);  // (75.2 - 32) x 5/9
  EXPECT_NEAR(parsed("27 F", Dimension::temp_delta), 15, 1e-12);     // a difference has no offset
  EXPECT_NEAR(parsed("300 K", Dimension::temperature), 26.85, 1e-12);
  EXPECT_NEAR(parsed("24000 CFM", Dimension::air_flow), 11.3267386368, 1e-12);  // 24000 x 0.3048^3 / 60
  EXPECT_NEAR(parsed("1700 L/min", Dimension::liquid_flow), 1.7 / 60, 1e-15);
  EXPECT_NEAR(parsed("1 GPM", Dimension::liquid_flow) * 60e3, 3.785411784, 1e-12);  // litres in a minute
  EXPECT_NEAR(parsed("1 psi", Dimension::pressure), 0.45359237 * 9.80665 / (0.0254 * 0.0254), 1e-9);
  EXPECT_NEAR(parsed("3412.142 BTU/h", Dimension::power), 1000, 1e-3);  // 1 kW = 3412.142 BTU/h
  EXPECT_EQ(parsed("12 kWh", Dimension::energy), 4.32e7);
  EXPECT_EQ(parsed("4800 MT/s", Dimension::transfer_rate), 4.8e9);
  EXPECT_EQ(parsed("989 TFLOPS", Dimension::flop_rate), 9.89e14);
  EXPECT_EQ(parsed("1 year", Dimension::time), 31536000);
  EXPECT_EQ(parsed("5 us", Dimension::time), 5e-6);
}

TEST(Quantity, PrefixesAreExactlyRounded) {
  EXPECT_EQ(parsed("4.35 hPa", Dimension::pressure), 435);  // 4.35 * 100 is 434.99999999999994 in doubles
  EXPECT_EQ(parsed("1.005 kW", Dimension::power), 1005);
  EXPECT_EQ(parsed("1.1e2 mm", Dimension::length), 0.11);
  EXPECT_EQ(parsed("0.3 ms", Dimension::time), 0.0003);
}

TEST(Quantity, CaseCounts) {
  EXPECT_EQ(parsed("1 MW", Dimension::power), 1e6);
  EXPECT_EQ(parsed("1 mW", Dimension::power), 1e-3);
  EXPECT_EQ(refused("1 kw", Dimension::power).kind, Kind::unknown_unit);
}

TEST(Quantity, SaysWhatIsWrong) {
  EXPECT_EQ(refused("10", Dimension::power).kind, Kind::no_unit);
  EXPECT_EQ(refused("10", Dimension::power).text, "10");
  EXPECT_EQ(refused("ten kW", Dimension::power).kind, Kind::not_a_number);
  EXPECT_EQ(refused("", Dimension::power).kind, Kind::not_a_number);
  EXPECT_EQ(refused("24,000 CFM", Dimension::air_flow).kind, Kind::not_a_number);
  EXPECT_EQ(refused("1 000 W", Dimension::power).kind, Kind::not_a_number);
  EXPECT_EQ(refused("inf W", Dimension::power).kind, Kind::not_a_number);
  EXPECT_EQ(refused("-nan W", Dimension::power).kind, Kind::not_a_number);
  EXPECT_EQ(refused("1e999 W", Dimension::power).kind, Kind::not_finite);
  EXPECT_EQ(refused("1e308 kW", Dimension::power).kind, Kind::not_finite);
  EXPECT_EQ(refused("10  kW", Dimension::power).kind, Kind::unknown_unit);
  EXPECT_EQ(refused("10 parsec", Dimension::length).text, "parsec");
  const QuantityError apparent = refused("10 kVA", Dimension::power);
  EXPECT_EQ(apparent.kind, Kind::wrong_dimension);
  EXPECT_EQ(apparent.other, Dimension::apparent);
  EXPECT_EQ(refused("400 GB/s", Dimension::bit_rate).other, Dimension::byte_rate);
  EXPECT_EQ(refused("80 Gb/s", Dimension::bytes).other, Dimension::bit_rate);
}

TEST(Quantity, PrintsTheUsualPrefix) {
  EXPECT_EQ(to_text(Watts(10200)), "10.2 kW");
  EXPECT_EQ(to_text(Watts(0)), "0 W");
  EXPECT_EQ(to_text(Seconds(0)), "0 s");
  EXPECT_EQ(to_text(Watts(999.96)), "1 kW");  // rounds to 1000.0
  EXPECT_EQ(to_text(Watts(999.94)), "999.9 W");
  EXPECT_EQ(to_text(Watts(43684.2)), "43.68 kW");
  EXPECT_EQ(to_text(Watts(43684.2), 3), "43.7 kW");
  EXPECT_EQ(to_text(VoltAmperes(1.6e6)), "1.6 MVA");
  EXPECT_EQ(to_text(Volts(415)), "415 V");
  EXPECT_EQ(to_text(BitsPerSecond(4e11)), "400 Gb/s");
  EXPECT_EQ(to_text(BitsPerSecond(51.2e12)), "51.2 Tb/s");
  EXPECT_EQ(to_text(Bytes(85899345920.0)), "80 GiB");
  EXPECT_EQ(to_text(Bytes(80e9)), "80 GB");
  EXPECT_EQ(to_text(Bytes(1.92e12)), "1.92 TB");
  EXPECT_EQ(to_text(Meters(30)), "30 m");
  EXPECT_EQ(to_text(Celsius(-5.5)), "-5.5 C");
  EXPECT_EQ(to_text(AirFlow(24000 * kCubicMetersPerSecondPerCfm)), "24000 CFM");
  EXPECT_EQ(to_text(LiquidFlow(1.7 / 60)), "1700 L/min");
  EXPECT_EQ(to_text(Seconds(5400)), "90 min");
  EXPECT_EQ(to_text(Seconds(86400)), "24 h");
  EXPECT_EQ(to_text(Seconds(2.5e-6)), "2.5 us");
  EXPECT_EQ(to_text(TransfersPerSecond(4.8e9)), "4800 MT/s");
  EXPECT_EQ(to_text(TransfersPerSecond(32e9)), "32 GT/s");
}

TEST(Quantity, ExactTextReadsBack) {
  std::mt19937_64 random(7);
  for (int d = 0; d <= static_cast<int>(Dimension::transfer_rate); ++d) {
    const auto dimension = static_cast<Dimension>(d);
    for (int i = 0; i < 2000; ++i) {
      const double mantissa =
          static_cast<double>(random() % 2000001) / 1000 - (dimension == Dimension::temperature ? 1000 : 0);
      const double value = mantissa * std::pow(10, static_cast<int>(random() % 12) - 3);
      const std::string text = to_exact_text(value, dimension);
      QuantityError error{};
      const auto back = parse_quantity(text, dimension, error);
      ASSERT_TRUE(back) << text;
      ASSERT_EQ(*back, value) << text;
    }
  }
  EXPECT_EQ(to_exact_text(10200, Dimension::power), "10.2 kW");
  EXPECT_EQ(to_exact_text(0.1 + 0.2, Dimension::length), "0.30000000000000004 m");
}

TEST(Quantity, EveryTableIsWhole) {
  for (int d = 0; d <= static_cast<int>(Dimension::transfer_rate); ++d) {
    const auto dimension = static_cast<Dimension>(d);
    std::set<std::string_view> seen;
    bool has_si = false;
    for (const UnitRow& unit : units_of(dimension)) {
      EXPECT_TRUE(seen.insert(unit.spelling).second) << unit.spelling << " stands twice";
      has_si = has_si || (unit.factor == 1 && unit.offset == 0);
    }
    EXPECT_TRUE(has_si) << dimension_name(dimension);
    parsed(unit_example(dimension), dimension);
    QuantityError error{};
    for (double value : {0.0, 1e-6, 0.5, 1.0, 1234.5, 9.99995e5, 1e13})  // what is printed can be read
      EXPECT_TRUE(parse_quantity(to_text(value, dimension), dimension, error)) << to_text(value, dimension);
  }
}

}  // namespace
}  // namespace clusterc
