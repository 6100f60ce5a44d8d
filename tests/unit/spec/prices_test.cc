#include "spec/prices.h"

#include <gtest/gtest.h>

namespace clusterc {
namespace {

template <class T>
double amount(std::string_view text) {
  std::string error;
  const auto m = T::parse(text, error);
  EXPECT_TRUE(m) << text << ": " << error;
  return m ? m->amount : -1;
}
template <class T>
std::string refused(std::string_view text) {
  std::string error;
  EXPECT_FALSE(T::parse(text, error)) << text;
  EXPECT_FALSE(error.empty());
  return error;
}

TEST(Prices, ReadMoneyAsPeopleWriteIt) {
  EXPECT_EQ(amount<Money>("310000 EUR"), 310000);
  EXPECT_EQ(amount<Money>("38 kEUR"), 38000);
  EXPECT_EQ(amount<Money>("1.5 MUSD"), 1500000);
  EXPECT_EQ(amount<Money>("0 EUR"), 0);
  EXPECT_EQ(amount<Money>("5e6 JPY"), 5e6);
  EXPECT_EQ(amount<MoneyPerHour>("4.10 USD/h"), 4.1);
  EXPECT_EQ(amount<MoneyPerYear>("180 kEUR/year"), 180000);
  EXPECT_EQ(amount<EnergyPrice>("0.18 EUR/kWh"), 0.18);
  EXPECT_DOUBLE_EQ(amount<EnergyPrice>("180 EUR/MWh"), 0.18);  // 1 MWh = 1,000 kWh
  EXPECT_EQ(amount<MoneyPerMetre>("6 EUR/m"), 6);
}

TEST(Prices, RefuseWhatIsNoMoney) {
  for (const char* text : {"310000", "EUR", "310000 euro", "310000 EURO", "12 %", "3/4 EUR", "1 EUR/h", "", " ",
                           "nan EUR", "inf EUR", "1 eur", "$5", "1e400 EUR", "5 kkEUR"})
    refused<Money>(text);
  EXPECT_NE(refused<Money>("-1 EUR").find("0 or more"), std::string::npos);
  EXPECT_NE(refused<Money>("1e16 EUR").find("more than clusterc accepts as a price"), std::string::npos);
  refused<MoneyPerHour>("4 USD");
  refused<EnergyPrice>("0.18 EUR/h");
  refused<EnergyPrice>("-0.01 EUR/kWh");
}

// "95.000 EUR" is ninety-five thousand where EUR is used, ninety-five to a program: nobody's guess.
TEST(Prices, AskWhetherAPointIsOfThousands) {
  EXPECT_NE(refused<Money>("95.000 EUR").find("write 95000 EUR, or 95 EUR"), std::string::npos)
      << refused<Money>("95.000 EUR");
  EXPECT_NE(refused<Money>("1.250 kEUR").find("write 1250 kEUR, or 1.25 kEUR"), std::string::npos)
      << refused<Money>("1.250 kEUR");
  EXPECT_NE(refused<MoneyPerHour>("98.320 USD/h").find("write 98320 USD/h, or 98.32 USD/h"), std::string::npos);
  EXPECT_NE(refused<Money>("1.235 EUR").find("write 1235 EUR, or 1.2350 EUR"), std::string::npos)
      << refused<Money>("1.235 EUR");
  refused<Money>("310,000 EUR");
  refused<Money>("1.250.000 EUR");
  EXPECT_EQ(amount<EnergyPrice>("0.185 EUR/kWh"), 0.185);  // no thousand begins with 0
  EXPECT_EQ(amount<Money>("1250.125 EUR"), 1250.125);      // nor with four digits
  EXPECT_EQ(amount<Money>("95.00 EUR"), 95);
  std::string error;
  const auto hour = MoneyPerHour::parse("1.2350 USD/h", error);  // what is printed is read back
  ASSERT_TRUE(hour) << error;
  EXPECT_EQ(hour->text(), "1.2350 USD/h");
}

TEST(Prices, WriteWhatTheyRead) {
  for (const char* text : {"310000 EUR", "0.18 EUR"}) {
    std::string error;
    EXPECT_EQ(Money::parse(text, error)->text(), text);
  }
  std::string error;
  EXPECT_EQ(EnergyPrice::parse("180 EUR/MWh", error)->text(), "0.18 EUR/kWh");
  EXPECT_EQ(MoneyPerHour::parse("4.1 USD/h", error)->text(), "4.1 USD/h");
}

TEST(Prices, YearsAndMonths) {
  std::string error;
  EXPECT_EQ(Years::parse("5 years", error)->years, 5);
  EXPECT_EQ(Years::parse("1 year", error)->years, 1);
  EXPECT_EQ(Years::parse("18 months", error)->years, 1.5);
  for (const char* text : {"5", "0 years", "-1 years", "101 years", "five years", "5 decades", "years"})
    EXPECT_FALSE(Years::parse(text, error)) << text;
}

}  // namespace
}  // namespace clusterc
