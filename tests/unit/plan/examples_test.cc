// The examples as they are read and resolved with the built-in catalogue.
#include "unit/model/examples.h"

#include <gtest/gtest.h>

#include "plan/plan.h"
#include "plan/power/rack_limits.h"

namespace clusterc {
namespace {

TEST(Examples, SuperpodStandsInItsRacks) {
  Resolved r;
  r.example("superpod");
  ASSERT_TRUE(r.cluster);
  const Plan p = plan_cluster(*r.cluster);
  EXPECT_TRUE(p.unplaced.empty()) << p.unplaced[0].why;
  const Fabric& f = p.fabrics[r.cluster->find_network("compute")];
  EXPECT_EQ(f.switch_count(), 48);
  EXPECT_EQ(f.node_cables, 1020);
  EXPECT_EQ(f.leaf_spine_cables, 1024);
  EXPECT_EQ(p.gpu_count, 1016);
  for (const RackGroupModel& g : r.cluster->racks)
    for (std::int64_t i = 0; i < g.count; ++i)
      EXPECT_LE(p.racks[g.first + i].power.value, rack_limits(*r.cluster, g).normal.value + 1e-3) << g.names.name(i);
}

TEST(Examples, OfSixteen384NodesIsPlanned) {
  Resolved r;
  r.example("roce-16384");
  ASSERT_TRUE(r.cluster);
  const Plan p = plan_cluster(*r.cluster);
  EXPECT_TRUE(p.unplaced.empty()) << p.unplaced[0].count << ": " << p.unplaced[0].why;
  const Fabric& f = p.fabrics[r.cluster->find_network("compute")];
  ASSERT_EQ(f.tiers.size(), 3u) << f.unbuildable;
  EXPECT_EQ(f.tiers[0].count, 2048);
  EXPECT_EQ(f.tiers[1].count, 2048);
  EXPECT_EQ(f.tiers[2].count, 1024);
}

}  // namespace
}  // namespace clusterc
