#include "plan/power/power.h"

#include <gtest/gtest.h>

#include "spec/site.h"
#include "unit/plan/superpod.h"

namespace clusterc {
namespace {
using test::known;

TEST(Power, OfARackOfFourOnThreePdus) {
  const test::Sample s = test::superpod();
  const Plan p = plan_cluster(*s.cluster);
  // r02: four nodes and nothing else (management switches stand in r01 and r13): 40.8 kW / 0.96 = 42.5 kVA.
  ASSERT_EQ(p.racks[1].power, Watts(40800));
  EXPECT_EQ(p.racks[1].heat, p.racks[1].power);
  const PduLoad& pdu = p.pdus[3];
  EXPECT_EQ(pdu.rack, 1);
  EXPECT_NEAR(pdu.normal.value, 42500.0 / 3, 1e-6);
  EXPECT_NEAR(pdu.worst.value, 42500.0 / 2, 1e-6);
  EXPECT_EQ(pdu.worst_lost_feed, 1);  // it hangs on A itself
  EXPECT_EQ(p.pdus.size(), 32u * 3 + 6 * 2);
}

TEST(Power, SumsAgreeAtEveryLevel) {
  const test::Sample s = test::superpod();
  const Plan p = plan_cluster(*s.cluster);
  double pdus = 0, feeds = 0, racks = 0, zones = 0;
  for (const PduLoad& l : p.pdus) pdus += l.normal.value;
  for (const FeedLoad& l : p.feeds) feeds += l.normal.value;
  for (const RackPlan& r : p.racks) racks += r.power.value;
  for (const ZoneLoad& z : p.zones) zones += z.heat.value;
  EXPECT_NEAR(pdus, feeds, 1e-3);
  EXPECT_NEAR(pdus, p.apparent(Watts(racks)).value, 1e-3);
  EXPECT_NEAR(zones, racks, 1e-3);
  EXPECT_NEAR(p.it_power.value, racks, 1e-3);
  EXPECT_EQ(p.gpu_count, 1016);
}

// Losing a feed is counted again here from the PDUs, one by one.
TEST(Power, WorstOfEachFeedIsWhatItsPdusSay) {
  const test::Sample s = test::superpod();
  const Plan p = plan_cluster(*s.cluster);
  for (int f = 0; f < 3; ++f) {
    double worst = p.feeds[f].normal.value;
    for (int lost = 0; lost < 3; ++lost) {
      if (lost == f) continue;
      double on = 0;
      for (std::size_t r = 0; r < p.racks.size(); ++r) {
        const RackGroupModel& g = s.cluster->racks[r < 32 ? 0 : 1];
        int alive = 0, mine = 0;
        for (const PduModel& m : g.pdus) {
          alive += m.feed != lost;
          mine += m.feed == f;
        }
        on += p.apparent(p.racks[r].power).value * mine / alive;
      }
      worst = std::max(worst, on);
    }
    EXPECT_NEAR(p.feeds[f].worst.value, worst, 1e-3) << f;
  }
}

TEST(Power, AFeedThatIsAloneHasNothingToTakeOver) {
  test::Sample s;
  s.racks("main", "r1", s.na60, {s.feed("A", 1e5)});
  s.nodes("n", "n1", 0, 2, 960, 30);
  const Plan p = plan_cluster(*s.cluster);
  EXPECT_NEAR(p.pdus[0].normal.value, 1000, 1e-9);
  EXPECT_EQ(p.pdus[0].worst, p.pdus[0].normal);
  EXPECT_EQ(p.pdus[0].worst_lost_feed, -1);
  EXPECT_EQ(p.feeds[0].worst_lost_feed, -1);
}

// 1 kW at 10 K: 1000 / (1.20 x 1005 x 10) = 0.0829 m3/s = 176 CFM.
TEST(Air, FormulaAndHeight) {
  EXPECT_NEAR(air_for(Watts(1000), 10, 1).value, 0.0829, 5e-5);
  EXPECT_NEAR(air_for(Watts(1000), 10, 1).value / kCubicMetersPerSecondPerCfm, 175.7, 0.1);
  EXPECT_NEAR(air_density_ratio(Meters(1500)), 0.835, 5e-4);  // ISA
  EXPECT_NEAR(air_density_ratio(Meters(3050)), 0.688, 5e-4);
}

TEST(Air, StatedWhereStatedElseTheFormula) {
  test::Sample s;
  s.racks("main", "r1", s.na60, {s.feed("A", 1e5)});
  s.nodes("a", "a1", 0, 8, 10200, 130).server.airflow = known(AirFlow(0.5));
  s.nodes("b", "b1", 0, 1, 2412, 10);  // 2412 / (1.2 x 1005 x 20) = 0.1 m3/s
  const Plan p = plan_cluster(*s.cluster);
  EXPECT_NEAR(p.racks[0].airflow.value, 0.6, 1e-9);
}

TEST(Floor, RowsOfRacks) {
  const test::Sample s = test::superpod();
  const Plan p = plan_cluster(*s.cluster);
  EXPECT_FLOAT_EQ(p.racks[9].x, 0.8F);  // second rack of the second row
  EXPECT_FLOAT_EQ(p.racks[9].y, 3.0F);
  EXPECT_FLOAT_EQ(p.racks[32].y, 12.0F);  // four rows of eight, then the management racks
}

TEST(Assembly, HeatFeedsAndTrays) {
  test::Sample s;
  const int a = s.feed("A", 1.6e6), b = s.feed("B", 1.6e6), hall = s.zone("hall"), loop = s.zone("loop");
  AssemblyPart part;
  part.power = known(Watts(120000));
  part.liquid_share = known(0.85);
  part.weight = known(Kilograms(1360));
  AssemblyTray tray;
  tray.count = known<std::int64_t>(18);
  tray.server.emplace();
  part.trays.entries.push_back({"compute-trays", {}, tray});
  AssemblyGroup spec;
  AssemblyGroupModel m;
  m.name = "nvl";
  m.spec = &spec;
  m.names = test::pattern("nvl[1-2]");
  m.count = 2;
  m.part = &part;
  m.air = hall;
  m.liquid = loop;
  m.shelves = {{a, 4}, {b, 4}};
  s.cluster->assemblies.push_back(m);
  s.cluster->rack_count = 2;
  NodeGroupModel& gpu = s.nodes("gpu", "gpu[01-36]", -1, 1, 6600, 0);
  gpu.assembly = 0;
  s.spec_of(gpu).from = known<std::string>("nvl.compute-trays");
  const Plan p = plan_cluster(*s.cluster);
  EXPECT_NEAR(p.zones[loop].heat.value, 2 * 102000, 1e-6);  // 85 % of 120 kW
  EXPECT_NEAR(p.zones[hall].heat.value, 2 * 18000, 1e-6);
  EXPECT_NEAR(p.feeds[a].normal.value, 120000 / 0.96, 1e-6);  // half of two
  EXPECT_NEAR(p.feeds[a].worst.value, 240000 / 0.96, 1e-6);   // all of two
  EXPECT_EQ(p.node_rack[17], 0);
  EXPECT_EQ(p.node_rack[18], 1);
  EXPECT_NEAR(p.it_power.value, 240000, 1e-6);  // trays are within their assembly
}

}  // namespace
}  // namespace clusterc
