#include "plan/fabric/cable_run.h"

#include <gtest/gtest.h>

#include "unit/plan/superpod.h"

namespace clusterc {
namespace {

// The reference SuperPOD: 127 nodes of 8 ports and 4 fabric managers on 32 leaves, 32 uplinks each (DGX SuperPOD
// reference architecture, table 4).
TEST(CableRun, TellsNodesFromSpines) {
  const test::Sample s = test::superpod();
  const Plan p = plan_cluster(*s.cluster);
  const int compute = s.cluster->find_network("compute");
  const CableRun nodes = cable_run(p, compute, CableKind::nodes, Meters(0)),
                 spine = cable_run(p, compute, CableKind::spine, Meters(1e6));
  EXPECT_EQ(nodes.count, p.fabrics[compute].node_cables);
  EXPECT_EQ(spine.count, p.fabrics[compute].leaf_spine_cables);
  EXPECT_EQ(cable_run(p, compute, CableKind::core, Meters(0)).count, 0);
  EXPECT_EQ(nodes.beyond + nodes.unplaced, nodes.count);  // every known length is more than nothing
  EXPECT_EQ(spine.beyond, 0);
}

TEST(CableRun, CountsWhatIsBeyondTheReach) {
  const test::Sample s = test::superpod();
  const Plan p = plan_cluster(*s.cluster);
  const int compute = s.cluster->find_network("compute");
  const CableRun all = cable_run(p, compute, CableKind::nodes, Meters(0));
  EXPECT_EQ(cable_run(p, compute, CableKind::nodes, all.longest.length).beyond, 0);  // the longest reaches itself
  EXPECT_GT(cable_run(p, compute, CableKind::nodes, all.longest.length * 0.999).beyond, 0);
}

TEST(CableRun, UplinksOfManagementSwitchesAreTheirOwnKind) {
  Cable c{.near = {"leaf/oob/01", "49"}, .far = {"leaf/inband/01", "60"}};
  EXPECT_EQ(cable_kind(c), CableKind::management);
  c.near.port = "mgmt";
  EXPECT_EQ(cable_kind(c), CableKind::nodes);  // a switch's own management port is an end point
  c.far.object = "spine/compute/01";
  EXPECT_EQ(cable_kind(c), CableKind::spine);
}

}  // namespace
}  // namespace clusterc
