#include "plan/power/power_chain.h"

#include <gtest/gtest.h>

#include "unit/plan/superpod.h"

namespace clusterc {
namespace {
using test::known;

// A rack of `n` devices with `supplies` each, on PDUs of these feeds.
struct OneRack {
  test::Sample s;
  OneRack(const std::vector<int>& feeds, std::int64_t nodes, std::int64_t supplies, double watts = 1000) {
    s.feed("A", 1e6);
    s.feed("B", 1e6);
    s.feed("C", 1e6);
    s.racks("main", "r1", s.na60, feeds);
    NodeGroupModel& g = s.nodes("n", "n[1-" + std::to_string(nodes) + "]", 0, 1, watts, 10);
    PsuSet psus;
    psus.count = known<std::int64_t>(supplies);
    psus.spare = known<std::int64_t>(supplies / 2);
    psus.power = known(Watts(2 * watts));
    psus.inlet = known(InletKind::c14);
    g.server.part.psus = psus;
  }
  PowerRack rack() { return plan_cluster(*s.cluster).power_classes().at(0).rack; }
};

std::vector<int> positions(const PowerRack& r) {
  std::vector<int> out;
  for (const PowerCord& c : r.cords) out.push_back(c.position);
  return out;
}

TEST(Cords, TwoOnThreeFeedsGoRound) {
  EXPECT_EQ(positions(OneRack({0, 1, 2}, 3, 2).rack()), (std::vector<int>{0, 1, 2, 0, 1, 2}));
}
TEST(Cords, EachDeviceHasEveryFeed) {
  // PDUs a and b on feed A, c on feed B: one supply on A, in turn a and b, the other on B.
  EXPECT_EQ(positions(OneRack({0, 0, 1}, 2, 2).rack()), (std::vector<int>{0, 2, 1, 2}));
}
TEST(Cords, SixOnThreeAreTwoEach) {
  EXPECT_EQ(positions(OneRack({0, 1, 2}, 1, 6).rack()), (std::vector<int>{0, 1, 2, 0, 1, 2}));
}
TEST(Cords, SingleSuppliesTakeTurns) {
  EXPECT_EQ(positions(OneRack({0, 1}, 3, 1).rack()), (std::vector<int>{0, 1, 0}));
}

// One node of 3,500 W with C20 inlets and four of 2,100 W with C14, two supplies each, on two PDUs of A and two of B.
// Each kind of plug by itself would put the first node and two of the others on one PDU: 7.7 kW after the loss of a
// feed. By what they carry it is 3.5 + 2.1 and 3 x 2.1.
TEST(Cords, TheLargestFirstWhateverTheirPlug) {
  OneRack r({0, 0, 1, 1}, 4, 2, 2100);
  PsuSet large = r.s.cluster->nodes[0].server.part.psus.value();
  large.inlet = known(InletKind::c20);
  r.s.nodes("big", "b1", 0, 1, 3500, 10).server.part.psus = large;
  const PowerRack rack = r.rack();
  PowerState state;
  evaluate(rack, {}, state);
  EXPECT_NEAR(state.position_watts[0], 2800, 1e-9);
  EXPECT_NEAR(state.position_watts[1], 3150, 1e-9);
  EXPECT_NEAR(state.position_watts[2], 2800, 1e-9);
  EXPECT_NEAR(state.position_watts[3], 3150, 1e-9);
}
// Twice the rating, twice the load: of three nodes two hang on the larger PDU of each feed.
TEST(Cords, ALargerPduTakesMore) {
  OneRack r({0, 0, 1, 1}, 3, 2);
  PduPart half = r.s.na60;
  half.apparent = known(VoltAmperes(17250));
  r.s.cluster->racks[0].pdus[0].part = r.s.cluster->racks[0].pdus[2].part = &half;
  EXPECT_EQ(positions(r.rack()), (std::vector<int>{0, 2, 1, 3, 1, 3}));
}
// The light nodes would all go to the PDU that the heavy one leaves alone; it has two outlets, so the third goes beside
// the heavy one.
TEST(Cords, NoPlugWithoutAnOutlet) {
  OneRack r({0, 0}, 3, 1, 100);
  OutletGroup& two = r.s.na60.outlets.emplace_back();
  two.kind = known(OutletKind::c13);
  two.count = known<std::int64_t>(2);
  PsuSet one = r.s.cluster->nodes[0].server.part.psus.value();
  r.s.nodes("heavy", "h1", 0, 1, 3000, 10).server.part.psus = one;
  const PowerRack rack = r.rack();
  EXPECT_EQ(rack.cords_c13, (std::vector<std::int16_t>{2, 2}));
  PowerState state;
  evaluate(rack, {}, state);
  EXPECT_NEAR(state.position_watts[1], 200, 1e-9);
}

// n1 and n3 stand in U1 and U3, on a and a: the place between them is kept for n2, which will hang on b. Without it n3
// would have b.
TEST(Cords, PlacesKeptFreeTakeTheirTurn) {
  OneRack r({0, 1}, 3, 1);
  Plan plan = plan_cluster(*r.s.cluster);
  RackPlan& rack = plan.racks.at(0);
  ASSERT_EQ(rack.devices.at(1).unit, 2);
  rack.kept.push_back(rack.devices[1]);
  rack.devices.erase(rack.devices.begin() + 1);
  const PowerRack with = power_classes_of(plan).at(0).rack;
  EXPECT_EQ(positions(with), (std::vector<int>{0, 0}));
  EXPECT_EQ(with.cords_c13, (std::vector<std::int16_t>{2, 0}));  // who is not there has no cord
  rack.kept.clear();
  EXPECT_EQ(positions(power_classes_of(plan).at(0).rack), (std::vector<int>{0, 1}));
}

// Three devices of 1 kW, two supplies each, on a, b, c: every PDU carries 1 kW. Without a: n1 (a, b) is all on b, n2
// (c, a) all on c, n3 halves.
TEST(Evaluate, WhatADeadPduMoves) {
  const PowerRack r = OneRack({0, 1, 2}, 3, 2).rack();
  PowerState state;
  evaluate(r, {}, state);
  for (double w : state.position_watts) EXPECT_NEAR(w, 1000, 1e-9);
  evaluate(r, {.positions = 1}, state);
  // 940 W DC: 23.5 % of two supplies of 2 kW, 47 % of one: the form rises, the wall takes no less than stated.
  EXPECT_NEAR(state.position_watts[0], 0, 1e-9);
  EXPECT_NEAR(state.position_watts[1], 1500, 1e-9);
  EXPECT_NEAR(state.position_watts[2], 1500, 1e-9);
  for (const SupplyResult& d : state.devices) EXPECT_EQ(d.state, SupplyState::runs);
  evaluate(r, {.positions = 3}, state);  // n1 has lost both
  EXPECT_EQ(state.devices[0].state, SupplyState::dead);
  EXPECT_NEAR(state.position_watts[2], 2000, 1e-9);
  evaluate(r, {.cords = {0}}, state);  // one supply of n1: its kilowatt is on b alone
  EXPECT_NEAR(state.position_watts[0], 500, 1e-9);
  EXPECT_NEAR(state.position_watts[1], 1500, 1e-9);
  evaluate(r, {.devices = {2}}, state);
  EXPECT_NEAR(state.position_watts[0] + state.position_watts[1] + state.position_watts[2], 2000, 1e-9);
}

TEST(Classes, RacksThatAreAlikeAreOne) {
  const test::Sample s = test::superpod();
  const Plan p = plan_cluster(*s.cluster);
  std::size_t racks = 0;
  for (const PowerClass& k : p.power_classes()) racks += k.racks.size();
  EXPECT_EQ(racks, 38u);
  EXPECT_LE(p.power_classes().size(), 10u);
}

}  // namespace
}  // namespace clusterc
