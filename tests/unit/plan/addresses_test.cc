#include "plan/fabric/addresses.h"

#include <gtest/gtest.h>

#include <set>

#include "plan/fabric/bgp.h"
#include "unit/plan/superpod.h"

namespace clusterc {
namespace {
using test::known;

std::uint32_t ip(const char* text) { return *parse_ipv4(text); }
Ipv4Prefix prefix(const char* text) {
  std::string error;
  return *Ipv4Prefix::parse(text, error);
}

test::Sample with_subnets(const std::string& nodes = "gpu[001-127]") {
  test::Sample s = test::superpod(nodes);
  s.cluster->networks[test::kInband].subnet = prefix("10.10.0.0/16");
  s.cluster->networks[test::kOob].subnet = prefix("10.11.0.0/16");
  return s;
}

TEST(Addresses, SixteenSlots) {
  const test::Sample s = with_subnets();
  const Plan p = plan_cluster(*s.cluster);
  EXPECT_EQ(p.addresses_of(test::kInband)->gateway, ip("10.10.0.1"));
  EXPECT_EQ(p.node_address(test::kInband, 0), ip("10.10.16.1"));  // slot 1 of 4,096 addresses; one for each bond
  EXPECT_EQ(p.node_address(test::kInband, 126), ip("10.10.16.127"));
  EXPECT_EQ(p.node_address(test::kInband, 127), ip("10.10.32.1"));  // head1
  EXPECT_EQ(p.node_address(test::kOob, 0), ip("10.11.16.1"));
  EXPECT_EQ(p.node_address(test::kCompute, 0), 0u);  // no subnet
  EXPECT_EQ(p.switch_address(test::kCompute, {0, 0}), ip("10.11.240.1"));
  EXPECT_EQ(p.switch_address(test::kCompute, {1, 0}), ip("10.11.240.33"));  // after 32 leaves
}

TEST(Addresses, GrowthOfOneGroupMovesNobody) {
  const test::Sample a = with_subnets(), b = with_subnets("gpu[001-900]");
  const Plan p = plan_cluster(*a.cluster), q = plan_cluster(*b.cluster);
  for (int network : {test::kInband, test::kOob}) {
    for (std::int64_t n = 0; n < 127; ++n) EXPECT_EQ(p.node_address(network, n), q.node_address(network, n));
    for (std::int64_t n = 0; n < 8; ++n) EXPECT_EQ(p.node_address(network, 127 + n), q.node_address(network, 900 + n));
  }
}

// Every address of the superpod's two subnets, once, and none the gateway's or the broadcast.
TEST(Addresses, UniqueAndInside) {
  for (const char* subnet : {"10.11.0.0/16", "10.11.0.0/21", "10.11.0.0/22", "10.11.0.0/23"}) {
    test::Sample s = with_subnets();
    s.cluster->networks[test::kOob].subnet = prefix(subnet);
    const Plan p = plan_cluster(*s.cluster);
    const AddressPlan& a = *p.addresses_of(test::kOob);
    ASSERT_LE(a.needed, a.usable) << subnet;
    std::set<std::uint32_t> seen{a.gateway, a.subnet.base, a.subnet.broadcast()};
    auto take = [&](std::uint32_t address) {
      EXPECT_TRUE(a.subnet.contains(address)) << subnet << ' ' << ipv4_text(address);
      EXPECT_TRUE(seen.insert(address).second) << subnet << ' ' << ipv4_text(address);
    };
    for (std::size_t e = 0; e < a.first.size(); ++e)
      for (std::int64_t m = 0; m < s.cluster->networks[test::kOob].ends[e].members; ++m)
        take(p.address(test::kOob, static_cast<int>(e), m));
    for (int f = 0; f < 4; ++f)
      for (std::int64_t i = 0; i < p.fabrics[f].switch_count(); ++i) take(p.switch_address(f, p.switch_ref(f, i)));
    for (std::size_t i = 0; i < p.pdus.size(); ++i) take(p.pdu_address(static_cast<std::int64_t>(i)));
    EXPECT_EQ(seen.size(), a.needed + 2) << subnet;
  }
}

TEST(Addresses, PortsOfAMemberLieTogether) {
  test::Sample s;
  s.nodes("gpu", "g[1-4]", -1, 8, 10200, 130);
  s.network("compute", s.sn5610, 400e9, -1).subnet = prefix("10.128.0.0/10");
  s.connect(0, 0, 8);
  const Plan p = plan_cluster(*s.cluster);
  EXPECT_EQ(p.address(0, 0, 1, 0), p.address(0, 0, 0, 7) + 1);
  EXPECT_EQ(p.address(0, 0, 0, 0), ip("10.132.0.8"));  // slot 1 of 2^18, eight addresses a node
}

// 16,384 nodes with two ports: 32,768 addresses of a /16 fit neither slots nor blocks.
TEST(Addresses, PackedWhereNothingElseFits) {
  test::Sample s;
  s.nodes("gpu", "g[00001-16384]", -1, 8, 10200, 130);
  s.nodes("head", "head[1-3]", -1, 2, 800, 20);
  s.network("inband", s.sn5610, 200e9, -1).subnet = prefix("10.0.0.0/16");
  s.connect(0, 0, 2);
  s.connect(0, 1, 1);
  const Plan p = plan_cluster(*s.cluster);
  EXPECT_EQ(p.address(0, 0, 0), ip("10.0.0.2"));
  EXPECT_EQ(p.address(0, 0, 16383, 1), ip("10.0.128.1"));
  EXPECT_EQ(p.address(0, 1, 0), ip("10.0.128.2"));
}

TEST(Addresses, TooSmallASubnetGivesNone) {
  test::Sample s;
  s.nodes("n", "n[1-7]", -1, 1, 100, 1);
  s.network("lan", s.sn4600c, 100e9, -1).subnet = prefix("192.168.1.0/29");
  s.connect(0, 0, 1);
  const Plan p = plan_cluster(*s.cluster);
  EXPECT_EQ(p.addresses[0].needed, 8u);  // and the gateway
  EXPECT_EQ(p.addresses[0].usable, 6u);
  EXPECT_EQ(p.node_address(0, 0), 0u);
}

// What a network is built for needs its addresses too: 20 nodes and the gateway do not fit into the 14 of a /28.
TEST(Addresses, GrowthThatIsBuiltForCounts) {
  test::Sample s;
  s.nodes("n", "n[1-9]", -1, 1, 100, 1);
  s.network("lan", s.sn4600c, 100e9, -1).subnet = prefix("192.168.1.0/28");
  s.connect(0, 0, 1, 20);
  const Plan p = plan_cluster(*s.cluster);
  EXPECT_EQ(p.addresses[0].needed, 21u);
  EXPECT_FALSE(has_addresses(p.addresses[0]));
}

// Where leaves route a link has two addresses, the even one the leaf's: two nodes with two ports have eight. In the
// slot of 16 the first place, of four, is kept free.
TEST(Addresses, ALinkToALeafThatRoutesHasAPair) {
  test::Sample s;
  s.nodes("n", "n[1-2]", -1, 1, 100, 1);
  s.network("lan", s.sn4600c, 100e9, -1).subnet = prefix("192.168.1.0/24");
  s.network_spec(0).asn = known<std::int64_t>(64512);
  s.connect(0, 0, 2);
  const Plan p = plan_cluster(*s.cluster);
  const AddressPlan& a = p.addresses[0];
  EXPECT_EQ(a.needed, 10u);  // and the loopback of the switch, and the gateway
  EXPECT_EQ(p.address(0, 0, 0, 0), ip("192.168.1.21"));
  EXPECT_EQ(p.leaf_address(0, 0, 0, 0), ip("192.168.1.20"));
  EXPECT_EQ(p.address(0, 0, 1, 1), ip("192.168.1.27"));
  EXPECT_EQ(p.leaf_address(0, 0, 1, 1), ip("192.168.1.26"));
  EXPECT_EQ(loopback(p, 0, {0, 0}), ip("192.168.1.241"));
  s.network_spec(0).bond = known<std::int64_t>(2);  // on two leaves: one subnet, as without numbers
  const Plan q = plan_cluster(*s.cluster);
  EXPECT_EQ(q.address(0, 0, 0), ip("192.168.1.17"));
  EXPECT_EQ(q.leaf_address(0, 0, 0), 0u);
}

// 80 pairs behind a gateway, which is at the beginning of the subnet or where the block would begin: each begins at an
// even address, and no two have one in common.
TEST(Addresses, PairsBeginAtEvenAddressesInEveryScheme) {
  for (const char* gateway : {"192.168.1.1", "192.168.1.60", "192.168.1.61"}) {
    test::Sample s;
    s.nodes("n", "n[01-40]", -1, 1, 100, 1);
    s.network("lan", s.sn5610, 100e9, -1).subnet = prefix("192.168.1.0/24");
    s.network_spec(0).asn = known<std::int64_t>(64512);
    s.network_spec(0).gateway = known<std::string>(gateway);
    s.connect(0, 0, 2);
    const Plan p = plan_cluster(*s.cluster);
    ASSERT_TRUE(has_addresses(p.addresses[0])) << gateway;
    std::set<std::uint32_t> seen{ip(gateway), ip("192.168.1.0"), ip("192.168.1.255")};
    for (std::int64_t n = 0; n < 40; ++n)
      for (std::int64_t port = 0; port < 2; ++port) {
        EXPECT_EQ(p.leaf_address(0, 0, n, port) % 2, 0u);
        EXPECT_EQ(p.address(0, 0, n, port), p.leaf_address(0, 0, n, port) + 1);
        EXPECT_TRUE(seen.insert(p.address(0, 0, n, port)).second);
        EXPECT_TRUE(seen.insert(p.leaf_address(0, 0, n, port)).second);
        EXPECT_TRUE(p.addresses[0].subnet.contains(p.address(0, 0, n, port)));
      }
  }
}

// 31 nodes with eight ports need 248 addresses and the gateway; a /24 has 254. Beginning at multiples of eight they
// would end at 256.
TEST(Addresses, UnalignedWhereOnlyThatFits) {
  test::Sample s;
  s.nodes("n", "n[1-31]", -1, 1, 100, 1);
  s.network("lan", s.sn4600c, 100e9, -1).subnet = prefix("192.168.1.0/24");
  s.connect(0, 0, 8);
  const Plan p = plan_cluster(*s.cluster);
  ASSERT_TRUE(has_addresses(p.addresses[0]));
  EXPECT_EQ(p.address(0, 0, 0, 0), ip("192.168.1.2"));
  EXPECT_EQ(p.address(0, 0, 30, 7), ip("192.168.1.249"));
}

// Nine nodes and a gateway are 10 of 14 addresses, but 7 lie below .8 and 6 above it.
TEST(Addresses, AGatewayInTheMiddlePartsASubnet) {
  test::Sample s;
  s.nodes("n", "n[1-9]", -1, 1, 100, 1);
  s.network("lan", s.sn4600c, 100e9, -1).subnet = prefix("192.168.1.0/28");
  s.network_spec(0).gateway = known<std::string>("192.168.1.8");
  s.connect(0, 0, 1);
  const Plan p = plan_cluster(*s.cluster);
  EXPECT_LE(p.addresses[0].needed, p.addresses[0].usable);
  EXPECT_FALSE(has_addresses(p.addresses[0]));
  EXPECT_EQ(p.node_address(0, 0), 0u);
}

TEST(Addresses, GatewayAsGiven) {
  test::Sample s;
  s.nodes("n", "n[1-6]", -1, 1, 100, 1);
  s.network("lan", s.sn4600c, 100e9, -1).subnet = prefix("192.168.1.0/28");
  s.network_spec(0).gateway = known<std::string>("192.168.1.3");
  s.connect(0, 0, 1);
  const Plan p = plan_cluster(*s.cluster);
  EXPECT_EQ(p.addresses[0].gateway, ip("192.168.1.3"));
  for (std::int64_t n = 0; n < 6; ++n) {
    EXPECT_NE(p.node_address(0, n), ip("192.168.1.3"));
    EXPECT_NE(p.node_address(0, n), 0u);
  }
}

}  // namespace
}  // namespace clusterc
