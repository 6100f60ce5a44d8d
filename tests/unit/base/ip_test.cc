#include "base/ip.h"

#include <gtest/gtest.h>

namespace clusterc {
namespace {

Ipv4Prefix prefix(std::string_view text) {
  std::string error;
  const auto p = Ipv4Prefix::parse(text, error);
  EXPECT_TRUE(p) << text << ' ' << error;
  return p.value_or(Ipv4Prefix{});
}

TEST(Ip, Addresses) {
  EXPECT_EQ(parse_ipv4("10.0.1.2"), 0x0a000102u);
  EXPECT_EQ(ipv4_text(0xc0a80a01), "192.168.10.1");
  for (const char* bad :
       {"", "10.0.1", "10.0.1.2.3", "10.0.1.256", "10.0.01.2", "10.0.1.-1", "a.b.c.d", "10.0.1.", "10.0.1.0002"})
    EXPECT_FALSE(parse_ipv4(bad)) << bad;
}

TEST(Ip, Prefixes) {
  const Ipv4Prefix p = prefix("10.10.0.0/16");
  EXPECT_EQ(p.size(), 65536u);
  EXPECT_EQ(p.host_count(), 65534u);
  EXPECT_EQ(ipv4_text(p.host(0)), "10.10.0.1");
  EXPECT_EQ(ipv4_text(p.host(p.host_count() - 1)), "10.10.255.254");
  EXPECT_EQ(ipv4_text(p.mask()), "255.255.0.0");
  EXPECT_EQ(ipv4_text(p.broadcast()), "10.10.255.255");
  EXPECT_EQ(p.part(24, 3).text(), "10.10.3.0/24");
  EXPECT_EQ(prefix("10.0.0.0/8").part(32, 5).text(), "10.0.0.5/32");
  EXPECT_TRUE(p.contains(*parse_ipv4("10.10.9.9")));
  EXPECT_FALSE(p.contains(*parse_ipv4("10.11.0.0")));
  EXPECT_TRUE(p.overlaps(prefix("10.10.128.0/17")));
  EXPECT_TRUE(prefix("10.10.128.0/17").overlaps(p));
  EXPECT_FALSE(p.overlaps(prefix("10.11.0.0/16")));
  EXPECT_TRUE(prefix("0.0.0.0/0").overlaps(p));
  EXPECT_EQ(prefix("0.0.0.0/0").size(), std::uint64_t{1} << 32);
  EXPECT_EQ(prefix("10.0.0.4/31").host_count(), 2u);  // RFC 3021
  EXPECT_EQ(ipv4_text(prefix("10.0.0.4/31").host(1)), "10.0.0.5");
}

TEST(Ip, PrefixErrors) {
  std::string error;
  EXPECT_FALSE(Ipv4Prefix::parse("10.10.1.0/16", error));
  EXPECT_EQ(error, "has bits set behind the /16; the network is 10.10.0.0/16");
  EXPECT_FALSE(Ipv4Prefix::parse("10.10.0.0", error));
  EXPECT_FALSE(Ipv4Prefix::parse("10.10.0.0/33", error));
  EXPECT_FALSE(Ipv4Prefix::parse("10.10.0/16", error));
  EXPECT_FALSE(Ipv4Prefix::parse("10.10.0.0/016", error));
  EXPECT_FALSE(Ipv4Prefix::parse("10.0.0.0/08", error));  // as in an address: 10.0.01.2
  EXPECT_EQ(error, "has a zero before its prefix length; write it as 10.0.0.0/8");
  EXPECT_TRUE(Ipv4Prefix::parse("0.0.0.0/0", error));
}

TEST(Ip, Mac) {
  EXPECT_EQ(parse_mac("02:00:0a:00:00:FF"), 0x02000a0000ffu);
  EXPECT_EQ(parse_mac("02-00-0a-00-00-ff"), 0x02000a0000ffu);
  EXPECT_EQ(parse_mac("0200.0a00.00ff"), 0x02000a0000ffu);
  for (const char* bad :
       {"", "02:00:0a:00:00", "02:00:0a:00:00:fg", "02:00-0a:00:00:ff", "0200:0a00:00ff", "+2:00:0a:00:00:ff"})
    EXPECT_FALSE(parse_mac(bad)) << bad;
}

}  // namespace
}  // namespace clusterc
