#include "fields/scalars.h"

#include <gtest/gtest.h>

#include "fields/scalar_text.h"

namespace clusterc {
namespace {

Version version(std::string_view text) {
  std::string error;
  return Version::parse(text, error).value_or(Version{});
}

TEST(Version, ComparesByNumber) {
  EXPECT_TRUE(version("24.10") > version("24.9"));
  EXPECT_TRUE(version("570") < version("570.86"));
  EXPECT_TRUE(version("570.124.06") > version("570.86.15"));
  EXPECT_TRUE(version("1.0-rc1") < version("1.0"));
  EXPECT_TRUE(version("1.0-rc2") > version("1.0-rc1"));
  EXPECT_TRUE((version("24.05") <=> version("24.5")) == 0);
  EXPECT_FALSE(version("24.05") == version("24.5"));  // text stays text
  EXPECT_EQ(version("580.65").major(), 580);
  EXPECT_EQ(version("v1.2").major(), -1);
  std::string error;
  EXPECT_FALSE(Version::parse("latest", error));
  EXPECT_FALSE(Version::parse("24 11", error));
  EXPECT_FALSE(Version::parse("", error));
}

TEST(Date, KnowsTheCalendar) {
  std::string error;
  const auto read = [&](std::string_view text) { return Date::parse(text, error); };
  ASSERT_TRUE(read("2028-02-29"));
  EXPECT_EQ(read("2028-02-29")->text(), "2028-02-29");
  for (const char* wrong : {"2027-02-29", "2100-02-29", "2027-13-01", "2027-04-31", "2027-4-1", "27-04-01",
                            "2027/04/01", "2027-00-10", "2027-04-0x"})
    EXPECT_FALSE(read(wrong)) << wrong;
  EXPECT_TRUE(read("2000-02-29"));
  EXPECT_TRUE(*read("2027-03-31") < *read("2027-04-01"));
}

// The days by GNU date: date -u -d '2028-02-28T23:59:30 60 seconds', and so on.
TEST(Moment, ReadsAndAdds) {
  std::string error;
  const auto read = [&](std::string_view text) { return Moment::parse(text, error); };
  ASSERT_TRUE(read("2028-02-28T23:59:30"));
  EXPECT_EQ(read("2028-02-28T23:59:30")->after(60).text(), "2028-02-29T00:00:30");
  EXPECT_EQ(read("2027-12-31 22:00")->after(7200).text(), "2028-01-01T00:00:00");
  EXPECT_EQ(read("2027-01-01T00:00")->after(366 * 86400).text(), "2028-01-02T00:00:00");
  for (const char* wrong :
       {"2027-02-29T00:00", "2027-03-01", "2027-03-01T24:00", "2027-03-01T23:60", "2027-03-01T23:59:60",
        "2027-03-01T9:00", "2027-03-01x09:00", "2027-03-01T09:00:0", "2027-03-01T09:00Z", "2027-03-01T09-00", "T", ""})
    EXPECT_FALSE(read(wrong)) << wrong;
}

TEST(PartCount, ReadsCountAndName) {
  std::string error;
  PartCount p;
  ASSERT_TRUE(PartCount::from_text("8 x cx7-400", p, error));
  EXPECT_EQ(*p.count, 8);
  EXPECT_EQ(*p.model, "cx7-400");
  PartCount one;
  ASSERT_TRUE(PartCount::from_text("x710-da2", one, error));
  EXPECT_FALSE(one.count);
  EXPECT_EQ(*one.model, "x710-da2");
  PartCount wrong;
  for (const char* text : {"8 cx7-400", "", "8 x ", "eight x cx7", "2 x a b"})
    EXPECT_FALSE(PartCount::from_text(text, wrong, error)) << text;
}

TEST(Dimms, ReadsModules) {
  std::string error;
  Dimms d;
  ASSERT_TRUE(Dimms::from_text("24 x 32 GiB", d, error)) << error;
  EXPECT_EQ(*d.count, 24);
  EXPECT_EQ(d.size->value, 32.0 * 1024 * 1024 * 1024);
  EXPECT_FALSE(d.rate);
  Dimms fast;
  ASSERT_TRUE(Dimms::from_text("16 x 64 GiB at 4800 MT/s", fast, error)) << error;
  EXPECT_EQ(fast.rate->value, 4.8e9);
  EXPECT_FALSE(Dimms::from_text("32 GiB", d, error));
  EXPECT_FALSE(Dimms::from_text("24 x 32", d, error));
}

TEST(Drives, ReadsDrives) {
  std::string error;
  Drives d;
  ASSERT_TRUE(Drives::from_text("2 x 1.92 TB sata", d, error)) << error;
  EXPECT_EQ(*d.count, 2);
  EXPECT_EQ(d.size->value, 1.92e12);
  EXPECT_EQ(*d.kind, DriveKind::sata);
  Drives one;
  ASSERT_TRUE(Drives::from_text("7.68 TB", one, error)) << error;
  EXPECT_FALSE(one.count);
  EXPECT_FALSE(one.kind);
  EXPECT_FALSE(Drives::from_text("2 x nvme", one, error));
}

TEST(UnitRange, CountsFromTheBottom) {
  std::string error;
  EXPECT_EQ(UnitRange::parse("U1-U6", error), (UnitRange{1, 6}));
  EXPECT_EQ(UnitRange::parse("U7", error), (UnitRange{7, 7}));
  EXPECT_EQ(UnitRange::parse("1-6", error)->text(), "U1-U6");
  for (const char* text : {"U0", "U6-U1", "U61", "six", "U1-", "-U6", ""})
    EXPECT_FALSE(UnitRange::parse(text, error)) << text;
}

TEST(ScalarText, WholeNumbersAreYaml12) {
  NumberProblem p;
  EXPECT_EQ(parse_whole("-3", p), -3);
  EXPECT_EQ(parse_whole("+7", p), 7);
  EXPECT_EQ(parse_whole("0", p), 0);
  EXPECT_EQ(parse_whole("0x1F", p), 31);
  EXPECT_EQ(parse_whole("0o17", p), 15);
  EXPECT_FALSE(parse_whole("010", p));
  EXPECT_EQ(p, NumberProblem::leading_zero);
  EXPECT_FALSE(parse_whole("1.5", p));
  EXPECT_EQ(p, NumberProblem::not_whole);
  EXPECT_FALSE(parse_whole("99999999999999999999", p));
  EXPECT_EQ(p, NumberProblem::too_large);
  for (const char* text : {"", "-", "--3", "+-3", "1_000", "1,000", "0x", "0xg", "12a", " 4"})
    EXPECT_FALSE(parse_whole(text, p)) << text;
}

TEST(ScalarText, Ratios) {
  NumberProblem p;
  EXPECT_DOUBLE_EQ(*parse_ratio("4/3", p), 4.0 / 3);
  EXPECT_DOUBLE_EQ(*parse_ratio("4 / 3", p), 4.0 / 3);
  EXPECT_DOUBLE_EQ(*parse_ratio("60 %", p), 0.6);
  EXPECT_DOUBLE_EQ(*parse_ratio("60%", p), 0.6);
  EXPECT_DOUBLE_EQ(*parse_ratio("70e9", p), 7e10);
  EXPECT_DOUBLE_EQ(*parse_ratio(".5", p), 0.5);
  EXPECT_DOUBLE_EQ(*parse_ratio("-1", p), -1);
  for (const char* text : {"", "%", "4/0", "4/", "/3", "1/2/3", "nan", "inf", ".inf", "1e999", "0.5x", "05"})
    EXPECT_FALSE(parse_ratio(text, p)) << text;
  EXPECT_EQ(ratio_text(0.1), "0.1");
}

}  // namespace
}  // namespace clusterc
