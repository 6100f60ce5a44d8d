// What stands on labels, and what lies between racks.
#include <gtest/gtest.h>

#include "plan/fabric/cabling.h"
#include "report/cable_exports.h"
#include "report/rack_pairs.h"
#include "unit/model/examples.h"

namespace clusterc {
namespace {

std::string small(const std::string& racks, const std::string& nics, const std::string& network) {
  return "clusterc: 1\nname: small\nsite:\n  region: iec\n  supply: { phases: 3, voltage: 400 V }\n  feeds: { A: { "
         "capacity: 200 kVA } }\n"
         "racks:\n  main: { names: \"" +
         racks +
         "\", model: generic-48u-800x1200, pdus: [ { model: eu-400-3ph-63, feed: A } ] }\n"
         "nodes:\n  n: { names: \"n[1-2]\", model: generic-2u, nics: { " +
         nics +
         " }, racks: main, per_rack: 1 }\n"
         "networks:\n  fast: { " +
         network +
         ", racks: main, connects: { n: { ports: fast } } }\ncabling: { slack: 0 m }\nsoftware: { os: ubuntu-24.04 }\n";
}

std::string labels(Resolved& r, const std::string& model) {
  r.text(small("r[1-2]", "fast: cx7-400-qsfp112", "kind: ethernet, rate: 400 Gb/s, breakout: 2, switch: " + model));
  return r.cluster ? render_labels_csv(*r.cluster, plan_cluster(*r.cluster)) : r.told();
}

// Two nodes share the first cage of a switch whose ports are split in two.
TEST(CableSheets, PortsAreNamedAsTheSwitchIsSoldWith) {
  Resolved spectrum, other;
  const std::string ours = labels(spectrum, "nvidia-sn5600"), plain = labels(other, "arista-7060x6-64pe");
  EXPECT_NE(ours.find(":swp1s0 "), std::string::npos) << ours;
  EXPECT_NE(ours.find(":swp1s1\n"), std::string::npos) << ours;
  EXPECT_EQ(plain.find("swp"), std::string::npos) << plain;
  EXPECT_NE(plain.find(":1/1 "), std::string::npos) << plain;
  EXPECT_NE(plain.find(":1/2\n"), std::string::npos) << plain;
}

// The same switch under SONiC: the names that its commands and LLDP have.
TEST(CableSheets, PortsAreNamedAsTheSwitchesSystemDoes) {
  Resolved r;
  const std::string sonic = labels(r, "nvidia-sn5600, switch_os: sonic");
  EXPECT_NE(sonic.find(":etp1a "), std::string::npos) << sonic;
  EXPECT_NE(sonic.find(":etp1b\n"), std::string::npos) << sonic;
  EXPECT_EQ(sonic.find("swp"), std::string::npos) << sonic;
}

// A splitter in the switch's rack: one tail stays there, the other goes to the next one, and is one cable on that way.
TEST(CableSheets, ASplitterLiesOnTheWayToEachOfItsTails) {
  Resolved r;
  r.text(small("r[1-2]", "fast: cx7-ndr-osfp", "kind: infiniband, rate: 400 Gb/s, switch: nvidia-qm9700"));
  ASSERT_TRUE(r.cluster) << r.told();
  const Plan plan = plan_cluster(*r.cluster);
  ASSERT_EQ(plan.cabling().lots().size(), 1u);
  EXPECT_EQ(plan.cabling().lots().front().count, 1);
  const std::vector<RackPair> pairs = rack_pairs(*r.cluster, plan);
  ASSERT_EQ(pairs.size(), 2u);
  EXPECT_EQ(pairs[0].from, 0);
  EXPECT_EQ(pairs[0].to, 0);
  EXPECT_EQ(pairs[0].cables(), 1);
  EXPECT_EQ(pairs[1].from, 0);
  EXPECT_EQ(pairs[1].to, 1);
  EXPECT_EQ(pairs[1].cables(), 1);
  EXPECT_EQ(pairs[1].bundles, 1);
}

}  // namespace
}  // namespace clusterc
