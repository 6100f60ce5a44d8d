// What is plugged into the ports of switches that are configured, and how these are called, by hand.
#include "system/switches.h"

#include "base/ip.h"
#include "base/text.h"
#include "unit/compile/compiled.h"

namespace clusterc {
namespace {

using test::Compiled;

const std::string kHead =
    "clusterc: 1\nrules: 2026.11\nname: case\nsite: { region: iec, supply: { phases: 3, voltage: 400 V } }\n"
    "software: { os: debian-12 }\nnodes:\n  gpu: { names: \"g[1-4]\", model: nvidia-dgx-h100 }\nnetworks:\n";
const std::string kOob =
    "  oob: { kind: ethernet, rate: 1 Gb/s, switch: nvidia-sn2201, subnet: 10.9.0.0/24, gateway: 10.9.0.1, connects: "
    "everything }\n";

// "1:1/2 Ethernet0 g1 compute1 10.1.0.16" of each port: number, cage, way of how many, name, far end, address.
std::string ports(const ConfiguredSwitch& s) {
  std::string out;
  for (const SwitchPort& p : s.ports)
    out += std::to_string(p.number) + ":" + std::to_string(p.cage) + "." + std::to_string(p.way) + "/" +
           std::to_string(p.ways) + " " + switch_port_name(SwitchOs::sonic, p) + " " + p.far_host + " " + p.far_port +
           (p.address ? " " + ipv4_text(p.address) : "") + (p.far_asn ? " " + std::to_string(p.far_asn) : "") + "\n";
  return out;
}

// Four nodes, eight rails, two spines: each leaf has four nodes on halves of its first two cages, and two links of
// 800 Gb/s in its last two. A cage has eight lanes, so that cage 63 begins with lane 496. A node has 16 addresses, its
// slot of 4,096 in 10.1.0.0/16 begins at 10.1.16.0.
TEST(Switches, PortsOfARoutedFabric) {
  Compiled c;
  c.spec(kHead +
         "  compute: { kind: ethernet, rate: 400 Gb/s, uplink_rate: 800 Gb/s, switch: nvidia-sn5600, switch_os: sonic, "
         "topology: rail-optimised, spines: 2, asn: 64512, subnet: 10.1.0.0/16, carries: [compute], connects: { gpu: { "
         "ports: compute } } }\n" +
         kOob);
  ASSERT_EQ(c.findings.count(Severity::error), 0) << c.told();
  const auto& fabrics = configured_fabrics(*c.system);
  ASSERT_EQ(fabrics.size(), 1u);
  EXPECT_TRUE(fabrics[0].routed);
  std::vector<std::string> hosts;
  each_switch(*c.system, fabrics[0], [&](const ConfiguredSwitch& s) {
    hosts.push_back(s.host);
    EXPECT_EQ(s.reached->subnet->length, 24);
    EXPECT_EQ(ipv4_text(s.reached->gateway), "10.9.0.1");
    EXPECT_NE(s.management, 0u);
    EXPECT_EQ(s.prefixes, 4 * 8 + 10);
    if (s.host == "leaf-compute-u1-r2") {
      EXPECT_EQ(ports(s),
                "1:1.0/2 Ethernet0 g1 compute2 10.1.16.18\n2:1.1/2 Ethernet4 g2 compute2 10.1.16.34\n"
                "3:2.0/2 Ethernet8 g3 compute2 10.1.16.50\n4:2.1/2 Ethernet12 g4 compute2 10.1.16.66\n"
                "125:63.0/1 Ethernet496 spine-compute-01 Ethernet8 64512\n"
                "127:64.0/1 Ethernet504 spine-compute-02 Ethernet8 64512\n");
      EXPECT_EQ(s.asn, 64514);
      EXPECT_EQ(s.paths, 2);
      EXPECT_EQ(s.ports[0].far_address, s.ports[0].address + 1);
    }
    if (s.host == "spine-compute-02") {
      EXPECT_EQ(s.asn, 64512);
      EXPECT_EQ(s.ports.size(), 8u);
      EXPECT_EQ(s.ports[1].far_host, "leaf-compute-u1-r2");
      EXPECT_EQ(s.ports[1].far_port, "Ethernet504");
      EXPECT_EQ(s.ports[1].far_asn, 64514);
    }
  });
  EXPECT_EQ(hosts.size(), 10u);
}

// One switch, flat: the network's own VLAN without a tag, its guest's with one.
TEST(Switches, VlansOfAFlatSwitch) {
  Compiled c;
  c.spec(
      kHead +
      "  lan: { kind: ethernet, rate: 400 Gb/s, switch: nvidia-sn5600, switch_os: sonic, vlan: 5, mtu: 1500, subnet: "
      "10.1.0.0/16, carries: [inband], connects: { gpu: { ports: compute, count: 1 } } }\n"
      "  guest: { shares_switches_with: lan, vlan: 7, mtu: 9000, subnet: 10.2.0.0/16, carries: [storage], connects: "
      "{ gpu: { ports: compute, count: 1 } } }\n");
  ASSERT_EQ(c.findings.count(Severity::error), 0) << c.told();
  const auto& fabrics = configured_fabrics(*c.system);
  ASSERT_EQ(fabrics.size(), 1u);
  EXPECT_FALSE(fabrics[0].routed);
  std::size_t switches = 0;
  each_switch(*c.system, fabrics[0], [&](const ConfiguredSwitch& s) {
    ++switches;
    EXPECT_EQ(s.asn, 0);
    EXPECT_EQ(s.management, 0u);
    ASSERT_EQ(s.ports.size(), 4u);
    for (const SwitchPort& p : s.ports) {
      EXPECT_EQ(p.vlan, 5);
      EXPECT_EQ(p.tagged, std::vector<std::int64_t>{7});
      EXPECT_EQ(p.mtu, 9000);
      EXPECT_EQ(p.address, 0u);
    }
  });
  EXPECT_EQ(switches, 1u);
}

TEST(Switches, WithoutAnOperatingSystemNothingIsConfigured) {
  Compiled c;
  c.spec(kHead +
         "  lan: { kind: ethernet, rate: 400 Gb/s, switch: nvidia-sn5600, subnet: 10.1.0.0/16, carries: [inband], "
         "connects: { gpu: { ports: compute, count: 1 } } }\n");
  EXPECT_TRUE(configured_fabrics(*c.system).empty());
  for (const std::string& path : c.paths()) EXPECT_FALSE(path.starts_with("sonic/")) << path;
}

TEST(Switches, LanesOfACage) {
  EXPECT_EQ(lanes_of_cage("osfp"), 8);
  EXPECT_EQ(lanes_of_cage("qsfp-dd"), 8);
  EXPECT_EQ(lanes_of_cage("qsfp112"), 4);
  EXPECT_EQ(lanes_of_cage("qsfp28"), 4);
  EXPECT_EQ(lanes_of_cage("sfp28"), 1);
  EXPECT_EQ(lanes_of_cage("rj45"), 1);
  EXPECT_EQ(lanes_of_cage("cx4"), 0);
}

}  // namespace
}  // namespace clusterc
