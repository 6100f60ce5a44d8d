#include "base/text.h"

#include <gtest/gtest.h>

namespace clusterc {
namespace {

TEST(Text, SplitsJoinsTrims) {
  EXPECT_EQ(split("a,,b", ','), (std::vector<std::string_view>{"a", "", "b"}));
  EXPECT_EQ(split("", ','), (std::vector<std::string_view>{""}));
  EXPECT_EQ(join(std::vector<std::string>{"a", "b", "c"}, ", "), "a, b, c");
  EXPECT_EQ(join(std::vector<std::string>{}, ", "), "");
  EXPECT_EQ(trim(" \t a b \r\n"), "a b");
  EXPECT_EQ(trim(" \t"), "");
  EXPECT_EQ(to_lower("GPU-a1"), "gpu-a1");
  EXPECT_EQ(replace_all("a.b.c", ".", "::"), "a::b::c");
}

TEST(Text, NaturalOrder) {
  EXPECT_TRUE(natural_less("n2", "n10"));
  EXPECT_FALSE(natural_less("n10", "n2"));
  EXPECT_TRUE(natural_less("n1", "n01"));  // equal numbers: fewer zeros first
  EXPECT_FALSE(natural_less("n01", "n1"));
  EXPECT_TRUE(natural_less("a1b2", "a1b10"));
  EXPECT_TRUE(natural_less("n", "n1"));
  EXPECT_FALSE(natural_less("n1", "n1"));
  EXPECT_TRUE(natural_less("n99999999999999999999", "n100000000000000000000"));  // beyond 64 bits
}

TEST(Text, Numbers) {
  std::string out;
  append_uint(out, 18446744073709551615u);
  out += ' ';
  append_int(out, INT64_MIN);
  out += ' ';
  append_padded(out, 7, 3);
  append_padded(out, 1000, 3);
  out += ' ';
  append_hex(out, 0xbeef, 8);
  EXPECT_EQ(out, "18446744073709551615 -9223372036854775808 0071000 0000beef");
  EXPECT_EQ(parse_uint("18446744073709551615"), 18446744073709551615u);
  for (const char* bad : {"", "-1", "+1", " 1", "1 ", "0x1", "18446744073709551616"})
    EXPECT_FALSE(parse_uint(bad)) << bad;
}

TEST(Text, Addresses) {
  std::string out;
  append_mac(out, 0x02000a0000ffull);
  EXPECT_EQ(out, "02:00:0a:00:00:ff");
}

}  // namespace
}  // namespace clusterc
