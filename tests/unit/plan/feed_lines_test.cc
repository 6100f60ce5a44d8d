#include "plan/power/feed_lines.h"

#include <gtest/gtest.h>

#include "plan/failures/what_if.h"
#include "plan/power/power.h"
#include "unit/plan/sample.h"

namespace clusterc {
namespace {
using test::known;

// 3 x 10 kVA on L1; 1.5 x 10 along and 0.866 x 10 across of L1-L2; both: 45 and 8.66, sqrt(45^2 + 8.66^2) = 45.826;
// alike on all: what it is.
TEST(FeedLines, TheFullestLineAsABalancedLoad) {
  EXPECT_NEAR((OnLines{.line = {10, 0, 0}}.fullest(10)), 30, 1e-9);
  EXPECT_NEAR((OnLines{.pair = {10, 0, 0}}.fullest(10)), 17.3205, 1e-4);
  EXPECT_NEAR((OnLines{.line = {10, 0, 0}, .pair = {10, 0, 0}}.fullest(20)), 45.8258, 1e-4);
  EXPECT_NEAR((OnLines{.line = {10, 10, 10}}.fullest(30)), 30, 1e-9);
  EXPECT_NEAR((OnLines{.pair = {10, 10, 10}}.fullest(30)), 30, 1e-9);
  EXPECT_NEAR((OnLines{.line = {10, 0, 0}}.fullest(40)), 60, 1e-9);  // 30 of it on all lines alike: 30 + 30
  // Pairs of 20, 10 and 10 A at 100 V: lines of 26.4575, 26.4575 and 17.3205 A (as on a PDU, cords_test.cc); sqrt(3) x
  // 100 V x 26.4575 A = 4582.58 VA.
  EXPECT_NEAR((OnLines{.pair = {2000, 1000, 1000}}.fullest(4000)), 4582.576, 1e-3);
}

// Four racks of one node of 4,608 W on single-phase PDUs, one on A and one on B: 4,608 / 0.96 = 4.8 kVA a rack, 2.4 kVA
// a PDU. Lines L1, L2, L3, L1.
struct FourRacks {
  test::Sample s;
  PduPart single;
  explicit FourRacks(double feed_va, double volts = 230) {
    Supply& supply = *s.cluster->spec.site->supply;
    supply.phases = known<std::int64_t>(3);
    supply.voltage = known(Volts(400));
    s.feed("A", feed_va);
    s.feed("B", feed_va);
    single.phases = known<std::int64_t>(1);
    single.voltage = known(Volts(volts));
    single.apparent = known(VoltAmperes(7360));
    s.racks("main", "r[1-4]", single, {0, 1});
    NodeGroupModel& g = s.nodes("n", "n[1-4]", 0, 40, 4608, 10);
    PsuSet psus;
    psus.count = known<std::int64_t>(2);
    psus.spare = known<std::int64_t>(1);
    psus.power = known(Watts(40000));
    g.server.part.psus = psus;
  }
};

TEST(FeedLines, RacksHangOnTheLinesInTurn) {
  FourRacks t(100e3);
  const FeedLines lines(*t.s.cluster);
  for (const std::size_t pdu : {0u, 1u}) {
    EXPECT_EQ(lines.way(0, 0, pdu), 0);
    EXPECT_EQ(lines.way(0, 1, pdu), 1);
    EXPECT_EQ(lines.way(0, 2, pdu), 2);
    EXPECT_EQ(lines.way(0, 3, pdu), 0);
    EXPECT_FALSE(lines.between(0, pdu));
  }
  // Each feed: 9.6 kVA, 4.8 of it on L1: as full as with 14.4. Without the other twice as much.
  const Plan p = plan_cluster(*t.s.cluster);
  EXPECT_NEAR(p.feeds[0].normal.value, 9600, 1e-6);
  EXPECT_NEAR(feed_line_loads(p)[0].normal.value, 14400, 1e-6);
  EXPECT_NEAR(p.feeds[0].worst.value, 19200, 1e-6);
  EXPECT_NEAR(feed_line_loads(p)[0].worst.value, 28800, 1e-6);
  EXPECT_EQ(feed_line_loads(p)[0].worst_lost_feed, 1);
  // PDUs of 400 V hang between two lines: L1-L2, L2-L3, L3-L1, L1-L2.
  FourRacks pairs(100e3, 400);
  EXPECT_TRUE(FeedLines(*pairs.s.cluster).between(0, 0));
  // 4.8, 2.4 and 2.4 kVA: L1 along 1.5 x 7.2 = 10.8, across 0.866 x 2.4 = 2.0785: 10.998.
  EXPECT_NEAR(feed_line_loads(plan_cluster(*pairs.s.cluster))[0].normal.value, 10998.18, 0.01);
  // Three-phase PDUs load all lines alike.
  t.single.phases = known<std::int64_t>(3);
  EXPECT_FALSE(FeedLines(*t.s.cluster).any());
  EXPECT_NEAR(feed_line_loads(plan_cluster(*t.s.cluster))[0].normal.value, 9600, 1e-6);
}

// A feed of 28 kVA holds 19.2 kVA in all and not the 28.8 of its L1: without B, A trips, and everything is dark. With
// 29 kVA nothing happens.
TEST(FeedLines, AFeedTripsByItsFullestLine) {
  for (const double va : {28e3, 29e3}) {
    const FourRacks t(va);
    const Plan p = plan_cluster(*t.s.cluster);
    const WhatIfEngine engine(p);
    EXPECT_TRUE(engine.normal().nothing());
    std::string error;
    const WhatIf w = engine.run(std::vector<Component>{*engine.find("feed:B", error)});
    EXPECT_EQ(w.dead_nodes.size(), va < 28.5e3 ? 4u : 0u);
    if (w.trips.empty()) continue;
    EXPECT_EQ(w.trips[0].kind, ComponentKind::feed);
    EXPECT_NEAR(w.trips[0].load, 28800, 1e-6);
    // r1 with a PDU of A lost as well leaves 2.4 x 2 = 4.8 kVA on each line: nothing trips.
    const WhatIf two =
        engine.run(std::vector<Component>{*engine.find("feed:B", error), *engine.find("pdu:r1/a", error)});
    EXPECT_EQ(two.dead_nodes.size(), 1u);
    EXPECT_TRUE(two.trips.empty());
  }
}

}  // namespace
}  // namespace clusterc
