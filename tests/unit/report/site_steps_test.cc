// What people do with their hands: weights, coolant, sockets, hard-wired supplies.
#include "report/site_steps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "plan/cost/accessories.h"
#include "system/system.h"
#include "unit/model/examples.h"

namespace clusterc {
namespace {

// Eight racks of eight liquid-cooled servers with four hard-wired supplies each.
TEST(SiteSteps, LiquidCooledNodesInRacks) {
  Resolved r;
  r.example("published/colossus-array");
  ASSERT_TRUE(r.cluster) << r.told();
  const Plan plan = plan_cluster(*r.cluster);
  EXPECT_EQ(liquid_cooled_devices(*r.cluster, plan.racks[0]), 8);
  EXPECT_EQ(hard_wired_supplies(plan)[0], 32);
  const std::string steps = coolant_steps(*r.cluster, plan);
  EXPECT_NE(steps.find("loop loop: 8 CDUs (supermicro-scdu-250)"), std::string::npos) << steps;
  EXPECT_NE(steps.find("64 liquid-cooled devices in 8 racks are connected"), std::string::npos) << steps;
  EXPECT_NE(steps.find("not planned"), std::string::npos) << steps;
  EXPECT_NE(steps.find("no liquid-cooled device gets power before coolant flows"), std::string::npos) << steps;
  std::int64_t unknown = 0;
  for (const Accessory& a : accessories_of(plan))
    if (a.part == "coolant-hose") unknown += a.unknown_for;
  EXPECT_EQ(unknown, 64);
}

// Frames have two hoses each, which the bill counts.
TEST(SiteSteps, FramesThatTakeCoolant) {
  Resolved r;
  r.example("nvl72");
  ASSERT_TRUE(r.cluster) << r.told();
  const Plan plan = plan_cluster(*r.cluster);
  const std::string steps = coolant_steps(*r.cluster, plan);
  EXPECT_NE(steps.find("8 frames are connected, supply and return, with 16 hoses"), std::string::npos) << steps;
  EXPECT_EQ(steps.find("not planned"), std::string::npos) << steps;
  // Each CDU has a row for its cords, each frame one for its hoses.
  EXPECT_NE(steps.find("| loop 2 of 2 \\(generic-cdu-1mw\\) |  | A, B | not stated |  |  |  |  |"), std::string::npos)
      << steps;
  EXPECT_NE(steps.find("| nvl8 \\(x 4.2 m, y 3.0 m\\) | CDU or row manifold of loop loop | 2 |  |  |  |"),
            std::string::npos)
      << steps;
}

TEST(SiteSteps, AirCooledClustersHaveNoCoolant) {
  Resolved r;
  r.example("superpod");
  ASSERT_TRUE(r.cluster) << r.told();
  const Plan plan = plan_cluster(*r.cluster);
  EXPECT_EQ(coolant_steps(*r.cluster, plan), "");
  const std::string delivery = delivery_steps(*r.cluster, plan);
  EXPECT_NE(delivery.find("| nvidia-dgx-h100 | 127 | 8 U | 130.4 kg | a lift, two people |"), std::string::npos)
      << delivery;
}

// A broadcast ends at the router: the step names server, gateway and VLAN where the spec has them, and leaves fields
// for the rest. A network without a gateway has nobody who relays.
TEST(SiteSteps, WhoRelaysDhcp) {
  std::ifstream in(std::string(CLUSTERC_SOURCE_DIR) + "/examples/superpod.yaml", std::ios::binary);
  std::stringstream all;
  all << in.rdbuf();
  const std::string spec = all.str(), subnet = "    subnet: 10.11.0.0/16\n";
  const auto steps = [&](const std::string& becomes) {
    std::string text = spec;
    const std::size_t place = text.find(subnet);
    EXPECT_NE(place, std::string::npos);
    text.replace(place, subnet.size(), becomes);
    Resolved r;
    r.text(text);
    EXPECT_TRUE(r.cluster) << r.told();
    const Plan plan = plan_cluster(*r.cluster);
    return management_steps(deploy(*r.cluster, plan, {}));
  };
  const std::string relayed = steps(subnet + "    gateway: 10.11.0.1\n    vlan: 12\n");
  EXPECT_NE(
      relayed.find("- [ ] network oob, VLAN 12, 10.11.0.0/16: its gateway 10.11.0.1 relays DHCP (UDP ports 67 and "
                   "68) to head1 at 10.10.32.1, which serves it and has no port in it, and routes between both. The "
                   "gateway is on …… (leaf-oob-01 and the other switches of network oob, or a router of your own)"),
      std::string::npos)
      << relayed;
  EXPECT_NE(relayed.find("VLAN 12 for oob"), std::string::npos) << relayed;
  EXPECT_NE(relayed.find("VLAN …… (its number: the network's owner) for inband"), std::string::npos) << relayed;
  const std::string nobody = steps(subnet);
  EXPECT_NE(
      nobody.find("by hand: network oob: head1 serves DHCP and has no port in it, and the spec names no `gateway`"),
      std::string::npos)
      << nobody;
}

// DGX H100 user guide: slots 1 and 2 have one adapter each, port 2 of both is in-band; eight adapters share four cages.
TEST(SiteSteps, SocketsOfANode) {
  Resolved r;
  r.example("superpod");
  ASSERT_TRUE(r.cluster) << r.told();
  const std::vector<NodeSocket> all = sockets_of(r.group("gpu"));
  const auto of = [&](std::string_view port) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const NodeSocket& s) { return s.port == port; });
    return found == all.end() ? NodeSocket{} : *found;
  };
  EXPECT_EQ(of("compute/1").label, "cage4/1");
  EXPECT_EQ(of("compute/4").label, "cage4/2");
  EXPECT_EQ(of("inband/1").where, "slot1, port 2");
  EXPECT_EQ(of("inband/2").where, "slot2, port 2");
  EXPECT_EQ(of("inband/2").label, "inband/2");
}

}  // namespace
}  // namespace clusterc
