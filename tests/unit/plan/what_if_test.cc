#include "plan/failures/what_if.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "spec/network.h"
#include "spec/nodes.h"
#include "spec/site.h"
#include "unit/plan/failed.h"
#include "unit/plan/superpod.h"

namespace clusterc {
namespace {
using test::known;
using test::run;

PsuSet supplies(std::int64_t count, std::int64_t spare, double watts) {
  PsuSet p;
  p.count = known(count);
  p.spare = known(spare);
  p.power = known(Watts(watts));
  p.inlet = known(InletKind::c20);
  return p;
}

// Two racks on A and B, power factor 0.96. PDUs hold 43.1 kVA (sqrt(3) x 415 V x 60 A) and carry 34.5 kVA continuously.
// r1: 2 nodes of 20.5 kW = 42.7 kVA: over 34.5, under 43.1. r2: 2 nodes of 21 kW = 43.75 kVA: trips. Supplies are
// large: no efficiency is lost.
struct TwoRacks {
  test::Sample s;
  TwoRacks(double feed_va = 200e3) {
    s.feed("A", feed_va);
    s.feed("B", feed_va);
    s.na60.voltage = known(Volts(415));
    s.na60.breaker = known(Amperes(60));
    s.racks("main", "r[1-2]", s.na60, {0, 1});
    for (const auto& [name, watts, rack] : {std::tuple{"a", 20500.0, "r1"}, std::tuple{"b", 21000.0, "r2"}}) {
      NodeGroupModel& g = s.nodes(name, std::string(name) + "[1-2]", 0, 4, watts, 50);
      g.server.part.psus =
          supplies(6, 3, 40000);  // three cords of each node on a PDU, one on each of its lines: balanced
      g.server.gpu_count = 8;
      for (int i = 1; i <= 2; ++i) {
        RackPosition at;
        at.rack = known<std::string>(rack);
        s.spec_of(g).at.entries.push_back({name + std::to_string(i), {}, at});
      }
    }
  }
};

TEST(WhatIf, AFeedTakesTheRackWhoseOtherPduTrips) {
  TwoRacks t;
  const Plan p = plan_cluster(*t.s.cluster);
  const WhatIfEngine engine(p);
  EXPECT_TRUE(engine.normal().nothing());
  const WhatIf w = run(engine, {"feed:A"});
  ASSERT_EQ(w.trips.size(), 1u);
  EXPECT_EQ(w.trips[0].kind, ComponentKind::pdu);
  EXPECT_EQ(w.trips[0].racks, std::vector<std::int32_t>{1});
  EXPECT_NEAR(w.trips[0].load, 43750, 1e-6);
  EXPECT_NEAR(w.trips[0].limit, 1.7320508 * 415 * 60, 1e-2);
  EXPECT_EQ(w.dead_nodes, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(w.dead_gpus, 16);
  ASSERT_EQ(w.limits.size(), 1u);
  EXPECT_EQ(w.limits[0].rule, "power-feed-loss-overloads-survivor");
  EXPECT_NEAR(w.limits[0].load, 41000 / 0.96, 1e-6);
  EXPECT_NEAR(w.limits[0].limit, 34500, 1e-6);
  EXPECT_NEAR(w.feeds[0].value, 0, 1e-6);
  EXPECT_NEAR(w.feeds[1].value, 41000 / 0.96, 1e-6);  // the tripped rack is no load
}

// 86.5 kVA on B, of 80 kVA: the PDU of r2 is nearer to the load and trips first, and B lives on 42.7 kVA.
// A rule asks this of every PDU before it runs the whole: what it lets out must trip nothing.
TEST(WhatIf, APduThatMayTripNothingTripsNothing) {
  int trips = 0, quiet = 0;
  for (const double feed_va : {1000e3, 400e3, 200e3, 130e3, 90e3, 60e3}) {
    TwoRacks t(feed_va);
    const Plan p = plan_cluster(*t.s.cluster);
    const WhatIfEngine engine(p);
    for (const WhatIfEngine::Single& one : engine.singles()) {
      if (one.component.kind != ComponentKind::pdu) continue;
      const WhatIfEngine::MayTrip may =
          engine.may_trip(static_cast<std::int32_t>(one.component.index), static_cast<std::size_t>(one.component.part));
      const WhatIf w = engine.run(std::span(&one.component, 1));
      std::uint64_t first = 0;
      for (const TripEvent& e : w.trips)
        if (e.round == w.trips.front().round && e.kind == ComponentKind::pdu) first |= std::uint64_t{1} << e.part;
      EXPECT_EQ(first, may.pdus) << engine.name(one.component) << " at " << feed_va;
      EXPECT_TRUE(may.pdus != 0 || may.upstream || w.trips.empty()) << engine.name(one.component) << " at " << feed_va;
      trips += first != 0;
      quiet += may.pdus == 0 && !may.upstream;
    }
  }
  EXPECT_GE(trips, 12);  // r2's two, whatever the feeds
  EXPECT_GE(quiet, 4);   // r1's two, where the feeds are large
}

TEST(WhatIf, BreakersAreSelective) {
  TwoRacks t(80e3);
  const Plan p = plan_cluster(*t.s.cluster);
  const WhatIfEngine engine(p);
  const WhatIf w = run(engine, {"feed:A"});
  ASSERT_EQ(w.trips.size(), 1u);
  EXPECT_EQ(w.trips[0].kind, ComponentKind::pdu);
  EXPECT_EQ(w.dead_nodes.size(), 2u);
}

// No PDU trips at 42.7 kVA, but 85.4 kVA are too much for B's 80 kVA: everything is dark.
TEST(WhatIf, ACascadeEndsInTheDark) {
  TwoRacks t(80e3);
  t.s.cluster->nodes[1].server.power = known(Watts(20500));
  const Plan p = plan_cluster(*t.s.cluster);
  const WhatIfEngine engine(p);
  const WhatIf w = run(engine, {"feed:A"});
  ASSERT_EQ(w.trips.size(), 1u);
  EXPECT_EQ(w.trips[0].kind, ComponentKind::feed);
  EXPECT_EQ(w.trips[0].of, 1);
  EXPECT_NEAR(w.trips[0].load, 82000 / 0.96, 1e-6);
  EXPECT_EQ(w.dead_nodes.size(), 4u);
  EXPECT_EQ(w.dead_gpus, 32);
}

// 43.2 kVA on B's 43 kVA with nothing failed: B trips, then r2's PDU on A; the rack that A holds is the normal state,
// and what is lost is lost once.
TEST(WhatIf, TheNormalStateIsSettledFirst) {
  TwoRacks t(60e3);
  t.s.cluster->feeds[1].capacity = known(VoltAmperes(43e3));
  const Plan p = plan_cluster(*t.s.cluster);
  const WhatIfEngine engine(p);
  ASSERT_EQ(engine.normal().trips.size(), 2u);
  EXPECT_EQ(engine.normal().trips[0].kind, ComponentKind::feed);
  EXPECT_EQ(engine.normal().trips[1].kind, ComponentKind::pdu);
  EXPECT_EQ(engine.normal().dead_nodes, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(run(engine, {"feed:A"}).dead_nodes, (std::vector<std::int64_t>{0, 1}));
}

TEST(WhatIf, SuppliesBeyondTheSparesThrottle) {
  TwoRacks t;
  t.s.cluster->nodes[0].server.part.psus = supplies(6, 1, 40000);
  t.s.cluster->nodes[0].server.power_idle = known(Watts(3000));
  const Plan p = plan_cluster(*t.s.cluster);
  const WhatIfEngine engine(p);
  EXPECT_TRUE(run(engine, {"psu:a1/1"}).nothing());  // 5 of 6, one may fail
  const WhatIf w = run(engine, {"psu:a1/1", "psu:a1/2"});
  EXPECT_EQ(w.throttled_nodes, std::vector<std::int64_t>{0});
  EXPECT_EQ(w.throttled_gpus, 8);
  EXPECT_TRUE(w.dead_nodes.empty());
  const WhatIf all = run(engine, {"psu:a1/1", "psu:a1/2", "psu:a1/3", "psu:a1/4", "psu:a1/5", "psu:a1/6"});
  EXPECT_EQ(all.dead_nodes, std::vector<std::int64_t>{0});
}

TEST(WhatIf, UpsModules) {
  TwoRacks t;
  UpsPart part;
  part.power = known(Watts(30e3));
  part.apparent = known(VoltAmperes(40e3));
  t.s.cluster->feeds[0].ups = &part;
  UpsSet set;
  set.modules = known<std::int64_t>(3);
  set.spare = known<std::int64_t>(1);
  t.s.feed_specs[0]->ups = set;
  const Plan p = plan_cluster(*t.s.cluster);
  const WhatIfEngine engine(p);
  // 41.5 kW on A: two modules carry it, one does not.
  EXPECT_TRUE(run(engine, {"ups:A"}).nothing());
  const WhatIf w = run(engine, {"ups:A", "ups:A"});
  ASSERT_GE(w.trips.size(), 2u);
  EXPECT_EQ(w.trips[0].kind, ComponentKind::ups);
  EXPECT_NEAR(w.trips[0].load, 41500, 1e-6);
  EXPECT_NEAR(w.trips[0].limit, 30000, 1e-6);
  EXPECT_EQ(w.trips[1].kind, ComponentKind::pdu);  // then as if the feed were lost
  EXPECT_EQ(w.dead_nodes, (std::vector<std::int64_t>{2, 3}));
}

// Three units of 40 kW for 83 kW: one out leaves 80 kW: throttle (idle 4 x 5 kW); two out leave 40 kW: the same; all
// out: dead.
TEST(WhatIf, CoolingThrottlesThenKills) {
  TwoRacks t;
  const int hall = t.s.zone("hall");
  CoolingZone& zone = *t.s.zone_specs[0];
  zone.method = known(CoolingMethod::contained_air);
  zone.units = known<std::int64_t>(3);
  zone.each.emplace();
  zone.each->heat = known(Watts(40e3));
  zone.each->airflow = known(AirFlow(1.5));
  zone.supply = known(Celsius(20));
  t.s.cluster->racks[0].cooling = hall;
  for (NodeGroupModel& g : t.s.cluster->nodes) {
    g.server.power_idle = known(Watts(5000));
    g.server.airflow = known(AirFlow(0.9));
    g.server.part.inlet_max = known(Celsius(35));
  }
  const Plan p = plan_cluster(*t.s.cluster);
  const WhatIfEngine engine(p);
  EXPECT_TRUE(engine.normal().nothing());
  const WhatIf one = run(engine, {"cooling:hall"});
  EXPECT_EQ(one.throttled_nodes.size(), 4u);
  ASSERT_EQ(one.zones.size(), 1u);
  EXPECT_EQ(one.zones[0].units_left, 2);
  EXPECT_NEAR(one.zones[0].heat.value, 83000, 1e-6);
  // Air: 3.6 needed, 3.0 given: 83000 / (1.2 x 1005) x (1/3.0 - 1/3.6) = 3.82 K
  EXPECT_NEAR(one.zones[0].inlet_rise.value, 83000.0 / (1.2 * 1005) * (1 / 3.0 - 1 / 3.6), 1e-9);
  EXPECT_NEAR(one.zones[0].inlet_rise.value, 3.82, 0.01);
  EXPECT_EQ(run(engine, {"cooling:hall", "cooling:hall"}).throttled_nodes.size(), 4u);
  EXPECT_EQ(run(engine, {"cooling:hall", "cooling:hall", "cooling:hall"}).dead_nodes.size(), 4u);
  EXPECT_EQ(run(engine, {"loop:hall"}).dead_gpus, 32);
  // 83 kW / 0.96 = 86.46 kVA, half on each feed; who is dead of heat draws nothing.
  for (const std::size_t feed : {0u, 1u}) {
    EXPECT_NEAR(one.feeds[feed].value, 43229.167, 0.001);
    EXPECT_NEAR(run(engine, {"loop:hall"}).feeds[feed].value, 0, 1e-6);
  }
  // One PDU of r1 failed as well: the rest stops all the same.
  EXPECT_NEAR(run(engine, {"loop:hall", "pdu:r1/a"}).feeds[1].value, 0, 1e-6);
}

// The SuperPOD's compute fabric: 32 leaves of 32 + 32 ports, 16 spines, two links from each leaf to each; 127 nodes and
// four fabric managers.
TEST(WhatIf, SwitchesOfTheSuperpod) {
  const test::Sample s = test::superpod();
  s.cluster->networks[test::kCompute].carries = {Traffic::compute};
  const Plan p = plan_cluster(*s.cluster);
  const WhatIfEngine engine(p);
  const std::vector<WhatIfEngine::Single> all = engine.singles();
  EXPECT_EQ(std::count_if(all.begin(), all.end(),
                          [](const auto& one) {
                            return one.component.kind == ComponentKind::spine && one.component.of == test::kCompute;
                          }),
            16);
  // 1020 end ports: 28 leaves of 32 (unit 4: rails 1-4 have 31 and a manager), 4 of 31. A spine takes two uplinks of
  // each leaf: 30 of 32 or 31.
  const WhatIf spine = run(engine, {"spine:compute/03"});
  ASSERT_EQ(spine.networks.size(), 1u);
  EXPECT_NEAR(spine.networks[0].bisection, 32 * 30 / 1020.0, 1e-12);
  EXPECT_EQ(spine.networks[0].all_reduce, 1.0);
  EXPECT_EQ(spine.networks[0].degraded, 0);
  // A leaf: one rail of 32 nodes; a ring over all runs on seven of eight.
  const WhatIf leaf = run(engine, {"leaf:compute/u1/r3"});
  EXPECT_EQ(leaf.networks[0].degraded, 32);
  EXPECT_EQ(leaf.networks[0].all_reduce, 7.0 / 8);
  EXPECT_NEAR(leaf.networks[0].bisection, (1020 - 32) / 1020.0, 1e-12);
  // Fabric managers have one port: on rails 1 to 4 of unit 4.
  const WhatIf last = run(engine, {"leaf:compute/u4/r1"});
  EXPECT_EQ(last.networks[0].cut_off_nodes.size(), 1u);
  EXPECT_EQ(last.networks[0].degraded, 31);
  // All 16 spines: no leaf reaches another.
  std::vector<Component> spines;
  for (const auto& one : all)
    if (one.component.kind == ComponentKind::spine && one.component.of == test::kCompute)
      spines.push_back(one.component);
  const WhatIf none = engine.run(spines);
  EXPECT_NEAR(none.networks[0].bisection, 0, 1e-12);
  EXPECT_EQ(none.networks[0].cut_off_nodes.size(), 131u);
  // One link: one rail of one node.
  const WhatIf link = run(engine, {"link:gpu-leaf/compute/u1/r1"});
  EXPECT_EQ(link.networks[0].degraded, 1);
  EXPECT_EQ(link.networks[0].all_reduce, 7.0 / 8);
  EXPECT_NEAR(run(engine, {"link:spine-leaf/compute/u1/r1"}).networks[0].bisection, (1020 - 1) / 1020.0, 1e-12);
}

// 58 nodes of 8 ports at 7:1, all ports of a node on one leaf: 9 leaves of 56 ports, 8 uplinks of each over two spines.
// Eight rings leave a leaf, one for each port of a node; without a spine four uplinks carry them, at half of their
// pace. One link less: 7 of 8.
TEST(WhatIf, RingsShareTheUplinksThatAreLeft) {
  test::Sample s;
  s.feed("A", 1e6);
  s.racks("main", "r[01-20]", s.na60, {0});
  s.nodes("gpu", "g[01-58]", 0, 1, 100, 10).server.gpu_count = 8;
  s.network("compute", s.qm9700, 400e9, 0);
  s.network_spec(0).topology = known(NetworkTopology::fat_tree);
  s.network_spec(0).oversubscription = known(7.0);
  s.cluster->networks[0].carries = {Traffic::compute};
  s.connect(0, 0, 8);
  const Plan p = plan_cluster(*s.cluster);
  ASSERT_EQ(p.fabrics[0].tiers.size(), 2u);
  ASSERT_EQ(p.fabrics[0].tiers[0].up, 8);
  ASSERT_EQ(p.fabrics[0].tiers[1].count, 2);
  const WhatIfEngine engine(p);
  EXPECT_EQ(run(engine, {"spine:compute/01"}).networks[0].all_reduce, 0.5);
  EXPECT_EQ(run(engine, {"link:spine-leaf/compute/04"}).networks[0].all_reduce, 7.0 / 8);
  // A node's lost port is one ring of eight, and no more where the spine is out as well.
  EXPECT_EQ(run(engine, {"link:gpu-leaf/compute/04"}).networks[0].all_reduce, 7.0 / 8);
  EXPECT_EQ(run(engine, {"spine:compute/01", "link:gpu-leaf/compute/04"}).networks[0].all_reduce, 0.5);
  // A leaf that is out sends nothing; who is left has all uplinks.
  EXPECT_EQ(run(engine, {"leaf:compute/04"}).networks[0].all_reduce, 1.0);
}

// 40 nodes with two ports of 400 Gb/s on ports of 800: two leaves of 40 ports, 20 links of twice the rate from each to
// the one spine. A leaf without one of them sends 38 ports' worth of its 40. Two rings, one for each port of a node,
// lead out of a leaf: nothing slows them.
TEST(WhatIf, FasterUplinksCountAsMorePorts) {
  test::Sample s;
  s.feed("A", 1e6);
  s.racks("main", "r[01-20]", s.na60, {0});
  s.nodes("gpu", "g[01-40]", 0, 1, 100, 10).server.gpu_count = 8;
  s.network("compute", s.sn5610, 400e9, 0);
  s.network_spec(0).topology = known(NetworkTopology::rail_optimised);
  s.network_spec(0).breakout = known<std::int64_t>(1);
  s.cluster->networks[0].carries = {Traffic::compute};
  s.connect(0, 0, 2);
  const Plan p = plan_cluster(*s.cluster);
  ASSERT_EQ(p.fabrics[0].tiers.size(), 2u);
  ASSERT_EQ(p.fabrics[0].tiers[0].count, 2);
  ASSERT_EQ(p.fabrics[0].tiers[0].up, 20);
  ASSERT_EQ(p.fabrics[0].tiers[1].count, 1);
  const WhatIfEngine engine(p);
  const WhatIf link = run(engine, {"link:spine-leaf/compute/u1/r1"});
  EXPECT_EQ(link.networks[0].bisection, (40.0 + 38) / 80);
  EXPECT_EQ(link.networks[0].bisection_rate.value, 39 * 400e9);
  EXPECT_EQ(link.networks[0].all_reduce, 1.0);
}

// Eight ports of 800 Gb/s of each node are split over two planes. Without one leaf of a plane each node has 15 of 16
// links, but one rail has half of its rate, and the ring through it sets the pace ("1/2 of the original bandwidth", DGX
// SuperPOD B300 reference architecture). Without both leaves of the rail seven rings of eight are left.
TEST(WhatIf, APlaneOfARailHalvesIt) {
  test::Sample s;
  s.feed("A", 1e6);
  s.racks("main", "r[1-8]", s.na60, {0});
  NodeGroupModel& gpu = s.nodes("gpu", "n[1-16]", 0, 8, 10200, 50);
  gpu.server.gpu_count = 8;
  s.spec_of(gpu).scalable_unit = known<std::int64_t>(8);
  NetworkModel& n = s.network("compute", s.sn5610, 400e9, 0);
  n.carries = {Traffic::compute};
  s.network_spec(0).topology = known(NetworkTopology::rail_optimised);
  s.network_spec(0).planes = known<std::int64_t>(2);
  s.network_spec(0).spines = known<std::int64_t>(2);
  s.connect(0, 0, 8);
  n.ends[0].split = 2;
  n.ends[0].rate = BitsPerSecond(800e9);
  const Plan p = plan_cluster(*s.cluster);
  const Fabric& f = p.fabrics[0];
  ASSERT_EQ(f.tiers.size(), 2u);
  ASSERT_EQ(f.rails, 8);
  const WhatIfEngine engine(p);
  const auto leaf_of = [&](std::int64_t port) {
    std::string name = p.switch_name(0, p.leaf_port(0, 0, 0, port).sw);
    return name.replace(name.find('/'), 1, ":");
  };
  const std::string one = leaf_of(0), other = leaf_of(1);
  ASSERT_NE(one, other);
  const WhatIf half = run(engine, {one});
  ASSERT_EQ(half.networks.size(), 1u);
  EXPECT_EQ(half.networks[0].degraded, 8);
  EXPECT_DOUBLE_EQ(half.networks[0].all_reduce.value(), 0.5);
  EXPECT_DOUBLE_EQ(run(engine, {one, other}).networks[0].all_reduce.value(), 7.0 / 8);
}

TEST(WhatIf, WhatCannotBeFoundIsSaid) {
  const test::Sample s = test::superpod();
  const Plan p = plan_cluster(*s.cluster);
  const WhatIfEngine engine(p);
  std::string error;
  EXPECT_FALSE(engine.find("feed", error));
  EXPECT_EQ(error, "'feed' is not of the form KIND:NAME, for example feed:A");
  EXPECT_FALSE(engine.find("feed:Z", error));
  EXPECT_EQ(error, "there is no feed 'Z'");
  EXPECT_FALSE(engine.find("spine:99", error));
  EXPECT_FALSE(engine.find("pdu:r01/d", error));
  EXPECT_EQ(error, "rack 'r01' has PDUs a to c: write pdu:r01/a");
  EXPECT_FALSE(engine.find("dog:A", error));
  // Every name that the table prints is understood.
  for (const auto& one : engine.singles()) {
    if (one.component.kind == ComponentKind::supply && one.component.index > 2) continue;
    std::string name = engine.name(one.component);
    const auto slash = name.find('/');
    const auto found = engine.find(name.substr(0, slash) + ":" + name.substr(slash + 1), error);
    ASSERT_TRUE(found) << name << ": " << error;
    EXPECT_EQ(engine.name(*found), name);
  }
}

}  // namespace
}  // namespace clusterc
