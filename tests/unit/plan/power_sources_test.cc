// Busbars with power shelves, transfer switches, the mains and wall circuits.
#include <gtest/gtest.h>

#include "plan/failures/what_if.h"
#include "plan/power/power.h"
#include "plan/power/power_chain.h"
#include "spec/nodes.h"
#include "spec/site.h"
#include "unit/plan/failed.h"
#include "unit/plan/sample.h"

namespace clusterc {
namespace {
using test::known;
using test::run;

PsuSet supplies(std::int64_t count, InletKind inlet, double watts) {
  PsuSet p;
  p.count = known(count);
  p.power = known(Watts(watts));
  p.inlet = known(inlet);
  return p;
}

// One rack with a shelf of 15 kW on each of two feeds, efficiency 0.96: twelve nodes of 1.25 kW are 15 kW at the wall,
// 14.4 kW on the busbar.
struct BusbarRack {
  test::Sample s;
  explicit BusbarRack(double node_watts = 1250, bool pdus = false) {
    s.feed("A", 100e3);
    s.feed("B", 100e3);
    RackGroupModel& r = s.racks("ocp", "r1", s.na60, pdus ? std::vector<int>{0, 1} : std::vector<int>{});
    Busbar busbar;
    busbar.shelf_power = known(Watts(15000));
    busbar.efficiency = known(0.96);
    s.rack_specs.back()->busbar = busbar;
    r.shelves = {{0, 1}, {1, 1}};
    NodeGroupModel& g = s.nodes("cpu", "n[01-12]", 0, 2, node_watts, 20);
    g.server.power_idle = known(Watts(400));
    g.server.part.psus = supplies(1, InletKind::busbar, 2000);
  }
};

TEST(Busbar, ItsShelvesShareTheLoadOfAllNodes) {
  BusbarRack b;
  const Plan plan = plan_cluster(*b.s.cluster);
  const PowerRack& rack = plan.power_classes().front().rack;
  ASSERT_EQ(rack.positions.size(), 2u);
  ASSERT_GE(rack.busbar, 0);
  const SupplyLoad& all = rack.devices[static_cast<std::size_t>(rack.busbar)];
  EXPECT_DOUBLE_EQ(all.watts, 15000);
  EXPECT_DOUBLE_EQ(all.idle, 4800);
  EXPECT_EQ(all.supplies, 2);
  EXPECT_NEAR(plan.feeds[0].normal.value, 7500 / 0.96, 1e-6);  // power factor 0.96
  EXPECT_TRUE(plan.pdus.empty());
}

TEST(Busbar, OneShelfThatIsLeftCarriesAllOrItsNodesThrottleTogether) {
  BusbarRack enough;
  const Plan plan = plan_cluster(*enough.s.cluster);
  const WhatIfEngine engine(plan);
  EXPECT_TRUE(run(engine, {"feed:A"}).throttled_nodes.empty());  // 14.4 of 15 kW
  EXPECT_EQ(run(engine, {"feed:A", "feed:B"}).dead_nodes.size(), 12u);
  EXPECT_EQ(run(engine, {"shelf:r1/1", "shelf:r1/2"}).dead_nodes.size(), 12u);

  BusbarRack short_of(1350);  // 15.55 kW on the busbar
  const Plan more = plan_cluster(*short_of.s.cluster);
  const WhatIf lost = run(WhatIfEngine(more), {"shelf:r1/2"});
  EXPECT_EQ(lost.throttled_nodes.size(), 12u);
  EXPECT_TRUE(lost.dead_nodes.empty());  // 12 x 400 W idle is less than a shelf
}

TEST(Busbar, ANodeThatIsOutDrawsNothingFromIt) {
  BusbarRack b(1350);
  const Plan plan = plan_cluster(*b.s.cluster);
  const WhatIf w = run(WhatIfEngine(plan), {"node:n01", "shelf:r1/1"});  // 11 x 1.35 x 0.96 = 14.26 kW
  EXPECT_EQ(w.dead_nodes.size(), 1u);
  EXPECT_TRUE(w.throttled_nodes.empty());
}

TEST(Busbar, DevicesWithCordsTakeThePdus) {
  BusbarRack b(1250, true);
  NodeGroupModel& g = b.s.nodes("two", "m1", 0, 2, 1000, 20);
  g.server.part.psus = supplies(2, InletKind::c20, 2000);
  const Plan plan = plan_cluster(*b.s.cluster);
  ASSERT_EQ(plan.pdus.size(), 2u);
  EXPECT_NEAR(plan.pdus[0].normal.value, 500 / 0.96, 1e-6);
  EXPECT_EQ(plan.pdus[0].cords_c19, 1);
}

// One rack of single-corded nodes, 9.6 kW, on one PDU behind a switch between A and B.
struct Transferred {
  test::Sample s;
  TransferSwitch spec;
  Transferred() {
    s.feed("A", 100e3);
    s.feed("B", 100e3);
    spec.rating = known(Amperes(16));
    s.cluster->transfers.push_back({"sts1", {}, &spec, {0, 1}, {-1, -1}, true});
    s.cluster->spec.site->supply->phases = known<std::int64_t>(3);
    s.cluster->spec.site->supply->voltage = known(Volts(400));
    RackGroupModel& r = s.racks("row", "r1", s.na60, {0});
    r.pdus[0].other_feed = 1;
    r.pdus[0].transfer = 0;
    NodeGroupModel& g = s.nodes("cpu", "n[1-4]", 0, 2, 2400, 20);
    g.server.part.psus = supplies(1, InletKind::c20, 3000);
  }
};

TEST(TransferSwitch, MovesTheLoadToTheOtherSource) {
  Transferred t;
  const Plan plan = plan_cluster(*t.s.cluster);
  EXPECT_NEAR(plan.feeds[0].normal.value, 10000, 1e-6);
  EXPECT_NEAR(plan.feeds[1].normal.value, 0, 1e-6);
  EXPECT_NEAR(plan.feeds[1].worst.value, 10000, 1e-6);
  EXPECT_EQ(plan.feeds[1].worst_lost_feed, 0);
  const WhatIfEngine engine(plan);
  const WhatIf lost = run(engine, {"feed:A"});
  EXPECT_TRUE(lost.dead_nodes.empty());
  EXPECT_NEAR(lost.feeds[1].value, 10000, 1e-6);
  EXPECT_EQ(run(engine, {"feed:A", "feed:B"}).dead_nodes.size(), 4u);
  EXPECT_EQ(run(engine, {"transfer:sts1"}).dead_nodes.size(), 4u);
}

TEST(TransferSwitch, CarriesEverythingBehindIt) {
  Transferred t;
  const Plan plan = plan_cluster(*t.s.cluster);
  const std::vector<TransferLoad> loads = transfer_loads(plan);
  ASSERT_EQ(loads.size(), 1u);
  EXPECT_NEAR(loads[0].normal.value, 10000, 1e-6);
  EXPECT_NEAR(loads[0].rating, 11085.1, 0.1);  // sqrt(3) x 400 V x 16 A
}

// Feed A with UPS and generator, B with the generator alone.
struct Mains : Transferred {
  Generator generator;
  UpsPart ups;
  explicit Mains(double runtime, double rating = 20e3) {
    generator.start = known(Seconds(15));
    generator.rating = known(Watts(rating));
    s.cluster->generators.push_back({"g1", {}, &generator});
    for (FeedModel& f : s.cluster->feeds) f.generator = 0;
    ups.power = known(Watts(50e3));
    UpsSet set;
    set.modules = known<std::int64_t>(2);
    set.runtime = known(Seconds(runtime));
    s.feed_specs[0]->ups = set;
    s.cluster->feeds[0].ups = &ups;
    for (PduModel& p : s.cluster->racks[0].pdus) p.other_feed = p.transfer = -1;
  }
};

TEST(MainsLoss, TheUpsBridgesTheStartOfTheGenerator) {
  Mains long_enough(60), too_short(10);
  const Plan plan = plan_cluster(*long_enough.s.cluster);
  const WhatIf w = run(WhatIfEngine(plan), {"mains"});
  ASSERT_EQ(w.mains.size(), 2u);
  EXPECT_EQ(w.mains[0].state, MainsLeft::State::bridged);
  EXPECT_EQ(w.mains[1].state, MainsLeft::State::restarts);  // no UPS
  EXPECT_TRUE(w.dead_nodes.empty());
  const Plan dark = plan_cluster(*too_short.s.cluster);
  EXPECT_EQ(run(WhatIfEngine(dark), {"mains"}).dead_nodes.size(), 4u);
}

TEST(MainsLoss, AGeneratorThatIsTooSmallOrOutTakesNoFeed) {
  Mains small(60, 9e3);  // for 9.6 kW
  const Plan plan = plan_cluster(*small.s.cluster);
  const WhatIf w = run(WhatIfEngine(plan), {"mains"});
  EXPECT_EQ(w.mains[0].state, MainsLeft::State::lost);
  ASSERT_EQ(w.limits.size(), 1u);
  EXPECT_EQ(w.limits[0].rule, "power-generator-overloaded");
  Mains enough(60);
  const Plan other = plan_cluster(*enough.s.cluster);
  EXPECT_EQ(run(WhatIfEngine(other), {"mains", "generator:g1"}).dead_nodes.size(), 4u);
  EXPECT_TRUE(run(WhatIfEngine(other), {"generator:g1"}).nothing());  // nobody needs it
}

TEST(WallCircuits, HeatGoesToTheZoneOfTheRoom) {
  test::Sample s;
  const int office = s.zone("office");
  NodeGroupModel& g = s.nodes("ws", "w[1-5]", -1, 2, 960, 20);
  g.cooling = office;
  WallCircuit wall;
  wall.voltage = known(Volts(120));
  wall.breaker = known(Amperes(20));
  wall.nodes = known<std::int64_t>(2);
  s.spec_of(g).wall = wall;
  const Plan plan = plan_cluster(*s.cluster);
  EXPECT_DOUBLE_EQ(plan.zones[0].heat.value, 4800);
  EXPECT_DOUBLE_EQ(plan.it_power.value, 4800);
  const WallLoad load = wall_load(*s.cluster, s.cluster->nodes[0]);
  EXPECT_EQ(load.circuits, 3);
  EXPECT_NEAR(load.load, 2000, 1e-9);  // 2 x 960 W at 0.96
  EXPECT_DOUBLE_EQ(load.carries, 1920);
}

}  // namespace
}  // namespace clusterc
