
#include <gtest/gtest.h>

#include <bit>
#include <set>

#include "plan/power/rack_limits.h"
#include "spec/nodes.h"
#include "spec/site.h"
#include "unit/plan/superpod.h"

namespace clusterc {
namespace {
using test::known;

// What holds for every plan: no unit is used twice, nothing sticks out, nothing weighs or draws more than the rack
// takes.
void check_racks(const Plan& p) {
  const Cluster& c = *p.cluster;
  for (const RackGroupModel& g : c.racks) {
    const RackLimits limits = rack_limits(c, g);
    for (std::int64_t i = 0; i < g.count; ++i) {
      const RackPlan& r = p.racks[g.first + i];
      std::uint64_t used = 0;
      for (const RackedDevice& d : r.devices) {
        ASSERT_GE(d.unit, 1);
        ASSERT_LE(d.unit + d.units - 1, *g.part->units);
        const std::uint64_t bits = ((std::uint64_t{1} << d.units) - 1) << (d.unit - 1);
        EXPECT_EQ(used & bits, 0u) << g.names.name(i) << " U" << d.unit;
        used |= bits;
      }
      EXPECT_LE(r.power.value, limits.normal.value + 1e-3) << g.names.name(i);
      EXPECT_LE(r.load.value, g.part->static_load->value + 1e-6) << g.names.name(i);
    }
  }
}

TEST(RackLimits, OfThreePdusAndOfTwo) {
  const test::Sample s = test::superpod();
  const RackLimits compute = rack_limits(*s.cluster, s.cluster->racks[0]),
                   management = rack_limits(*s.cluster, s.cluster->racks[1]);
  EXPECT_NEAR(compute.normal.value, 3 * 34500 * 0.96, 1e-6);
  EXPECT_NEAR(compute.survives.value, 2 * 34500 * 0.96, 1e-6);  // 66,240 W
  EXPECT_NEAR(management.survives.value, 17250 * 0.96, 1e-6);   // 16,560 W
}

TEST(Placement, SuperpodNodesFourARackFromTheBottom) {
  const test::Sample s = test::superpod();
  const Plan p = plan_cluster(*s.cluster);
  check_racks(p);
  for (std::int64_t n = 0; n < 127; ++n) {
    EXPECT_EQ(p.node_rack[n], n / 4);
    EXPECT_EQ(p.node_unit[n], 1 + 8 * (n % 4));
  }
  // Two heads, two logins: in two racks each.
  EXPECT_NE(p.node_rack[127], p.node_rack[128]);
  EXPECT_NE(p.node_rack[129], p.node_rack[130]);
  EXPECT_TRUE(p.unplaced.empty()) << p.unplaced[0].why;
  for (std::int32_t rack : p.switch_rack) EXPECT_GE(rack, 0);
}

TEST(Placement, LeavesAndSpinesAreSpread) {
  const test::Sample s = test::superpod();
  const Plan p = plan_cluster(*s.cluster);
  const Fabric& f = p.fabrics[test::kCompute];
  for (std::int64_t i = 1; i < f.switch_count(); ++i)
    EXPECT_NE(p.switch_rack[f.first_switch + i], p.switch_rack[f.first_switch + i - 1]);
  std::vector<int> in(38, 0);
  for (std::int64_t i = 0; i < f.switch_count(); ++i) ++in[p.switch_rack[f.first_switch + i]];
  for (int m = 32; m < 38; ++m) EXPECT_NEAR(in[m], 8, 2);  // 48 over 6 racks
  // Both switches of an in-band pair stand in different racks.
  const Fabric& pair = p.fabrics[test::kInband];
  for (std::int64_t i = 0; i + 1 < pair.tiers[0].count; i += 2)
    EXPECT_NE(p.switch_rack[pair.first_switch + i], p.switch_rack[pair.first_switch + i + 1]);
}

// One figure for the rack table, the runbook and the rules: devices, 5 % of them for rails, 20 kg of cables, the empty
// rack of 185 kg.
TEST(Placement, WeighsARackWithRailsAndCables) {
  test::Sample s;
  s.racks("main", "r[1-2]", s.na60, {s.feed("A", 1e5)});
  Occupied o;
  o.weight = known(Kilograms(10));
  o.racks.push_back(known(std::string("r1")));
  s.rack_specs[0]->occupied.push_back(o);
  s.nodes("n", "n[1-3]", 0, 2, 2700, 30);
  const Plan p = plan_cluster(*s.cluster);
  const RackPlan& one = p.racks[0];
  EXPECT_NEAR(one.devices_weight.value, 100, 1e-9);  // 10 + 3 x 30
  EXPECT_NEAR(one.load.value, 125, 1e-9);            // 100 x 1.05 + 20
  EXPECT_NEAR(one.weight.value, 310, 1e-9);          // 125 + 185
  EXPECT_EQ(p.racks[1].load.value, 0);               // nothing stands in it: no cables
  EXPECT_NEAR(p.racks[1].weight.value, 185, 1e-9);
}

TEST(Placement, WhatStandsInSomeRacksIsNamedByPattern) {
  test::Sample s;
  s.racks("main", "r[1-4]", s.na60, {s.feed("A", 1e5)});
  Occupied o;
  o.power = known(Watts(1200));
  o.racks.push_back(known(std::string("r[2-3]")));
  s.rack_specs[0]->occupied.push_back(o);
  const Plan p = plan_cluster(*s.cluster);
  EXPECT_EQ(p.racks[0].power.value, 0);
  EXPECT_EQ(p.racks[1].power.value, 1200);
  EXPECT_EQ(p.racks[2].power.value, 1200);
  EXPECT_EQ(p.racks[3].power.value, 0);
}

TEST(Placement, AroundWhatStandsThere) {
  test::Sample s;
  s.racks("main", "r1", s.na60, {s.feed("A", 1e5)});
  Occupied o;
  o.units.push_back(known(UnitRange{1, 6}));
  o.power = known(Watts(1200));
  s.rack_specs[0]->occupied.push_back(o);
  s.nodes("n", "n[1-3]", 0, 2, 2700, 30);
  const Plan p = plan_cluster(*s.cluster);
  EXPECT_EQ(p.node_unit[0], 7);
  EXPECT_EQ(p.node_unit[2], 11);
  EXPECT_DOUBLE_EQ(p.racks[0].power.value, 1200 + 3 * 2700);
}

TEST(Placement, WhereTheSpecSays) {
  test::Sample s;
  s.racks("main", "r[1-2]", s.na60, {s.feed("A", 1e5)});
  NodeGroupModel& g = s.nodes("n", "n[1-3]", 0, 2, 2700, 30);
  RackPosition at;
  at.rack = known<std::string>("r2");
  at.unit = known<std::int64_t>(20);
  s.spec_of(g).at.entries.push_back({"n2", {}, at});
  const Plan p = plan_cluster(*s.cluster);
  EXPECT_EQ(p.node_rack[1], 1);
  EXPECT_EQ(p.node_unit[1], 20);
  EXPECT_EQ(p.node_rack[0], 0);
  EXPECT_EQ(p.node_rack[2], 0);
  EXPECT_EQ(p.node_unit[2], 3);
  check_racks(p);
}

TEST(Placement, WhatDoesNotFitSaysWhy) {
  test::Sample s;
  const int feed = s.feed("A", 1e6);
  s.racks("main", "r1", s.na60, {feed});
  s.nodes("n", "n[1-6]", 0, 8, 10200, 130);  // 34.5 kVA x 0.96 = 33.12 kW: three of them
  const Plan p = plan_cluster(*s.cluster);
  ASSERT_EQ(p.unplaced.size(), 1u);
  EXPECT_EQ(p.unplaced[0].count, 3);
  EXPECT_EQ(p.unplaced[0].first, 3);
  EXPECT_EQ(p.unplaced[0].why,
            "no rack of 'main' with 8 U free has more than 2.52 kW of continuous power left, but 10.2 kW are needed");

  test::Sample tall;
  tall.racks("main", "r1", tall.na60, {tall.feed("A", 1e6)});
  tall.nodes("n", "n[1-7]", 0, 8, 100, 10);  // 48 U: six
  const Plan q = plan_cluster(*tall.cluster);
  ASSERT_EQ(q.unplaced.size(), 1u);
  EXPECT_EQ(q.unplaced[0].why, "no rack of 'main' has more than 0 U free in one block, but 8 U are needed");

  test::Sample heavy;
  heavy.racks("main", "r1", heavy.na60, {heavy.feed("A", 1e6)});
  heavy.nodes("n", "n[1-4]", 0, 8, 100, 400);  // 1,500 kg: three
  const Plan w = plan_cluster(*heavy.cluster);
  ASSERT_EQ(w.unplaced.size(), 1u);
  // (1,500 - 20) / 1.05 - 3 x 400 = 209.52 kg
  EXPECT_EQ(w.unplaced[0].why,
            "400 kg are needed, but a rack of 'main' with 8 U free can carry at most 209.5 kg more, beside rails and "
            "cables");
}

// 34.5 kVA x 0.96 = 33.1 kW survive: three nodes a rack while there are racks, the seventh only where two feeds are
// alive.
TEST(Placement, WithinTheLimitAfterAFeedLossWhilePossible) {
  test::Sample s;
  const int a = s.feed("A", 1e6), b = s.feed("B", 1e6);
  s.racks("main", "r[1-2]", s.na60, {a, b});
  s.nodes("n", "n[1-7]", 0, 8, 10200, 130);
  const Plan p = plan_cluster(*s.cluster);
  EXPECT_TRUE(p.unplaced.empty());
  const std::vector<std::int32_t> racks(p.node_rack.begin(), p.node_rack.end());
  EXPECT_EQ(racks, (std::vector<std::int32_t>{0, 0, 0, 1, 1, 1, 0}));
}

TEST(Placement, ManagementSwitchesStandBesideTheirNodes) {
  const test::Sample s = test::superpod();
  const Plan p = plan_cluster(*s.cluster);
  const Fabric& f = p.fabrics[test::kOob];
  EXPECT_EQ(p.switch_rack[f.first_switch], 0);       // nodes 1 to 48
  EXPECT_EQ(p.switch_rack[f.first_switch + 1], 12);  // from node 49: rack 13
}

// 60 kg are more than two people lift: the switch stands above the node at the bottom. One of 15 kg goes to the top.
TEST(Placement, HeavySwitchesStandLow) {
  test::Sample s;
  const int a = s.feed("A", 1e6);
  s.racks("main", "r1", s.na60, {a});
  s.nodes("n", "n1", 0, 8, 5000, 130);
  SwitchPart heavy = s.qm9700;
  heavy.units = known<std::int64_t>(4);
  heavy.weight = known(Kilograms(60));
  s.network("heavy", heavy, 400e9, 0);
  s.network("light", s.qm9700, 400e9, 0);
  s.connect(0, 0, 1);
  s.connect(1, 0, 1);
  const Plan p = plan_cluster(*s.cluster);
  EXPECT_EQ(p.switch_unit[0], 9);
  EXPECT_EQ(p.switch_unit[1], 48);
}

}  // namespace
}  // namespace clusterc
