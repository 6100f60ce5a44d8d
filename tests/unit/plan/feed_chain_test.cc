// What hangs on panels and UPS, and on no feed at all, worked out by hand.
#include <gtest/gtest.h>

#include "plan/power.h"
#include "unit/model/examples.h"

namespace clusterc {
namespace {

// Two racks with one node of 6 kW each, power factor 1, on panel pa (feed A) and feed B; supplies of 6 kW, one spare, so that one carries the node.
constexpr const char* kRoom = R"(clusterc: 1
rules: 2026.11
name: room
site:
  region: iec
  supply: { phases: 3, voltage: 400 V, power_factor: 1 }
  feeds: { A: { capacity: 400 kVA, ups: { model: ups-module-50, modules: 2 } }, B: { capacity: 400 kVA } }
  panels: { pa: { feed: A, breaker: 63 A } }
  cooling: { hall: { method: in-row, each: { heat: 400 kW, airflow: 90000 CFM }, supply: 22 C } }
racks:
  row: { names: "r[1-2]", model: generic-48u-800x1200, cooling: hall, pdus: [ { model: eu-400-3ph-32, panel: pa }, { model: eu-400-3ph-32, feed: B } ] }
  bare: { names: "b1", model: generic-48u-800x1200, cooling: hall }
nodes:
  gpu: { names: "n[1-2]", racks: row, per_rack: 1, server: { like: generic-2u, power: 6 kW, psus: { count: 2, spare: 1, power: 12 kW, inlet: hardwired, efficiency: 90 % } } }
  cpu: { names: "c[1-3]", racks: bare, server: { like: generic-2u, power: 1 kW } }
)";

TEST(FeedChain, PanelsCarryBothHalvesWhenTheOtherFeedIsLost) {
  Resolved r;
  r.text(kRoom);
  const Plan p = plan_cluster(*r.cluster);
  const std::vector<FeedLoad> panels = panel_loads(p);
  ASSERT_EQ(panels.size(), 1u);
  EXPECT_NEAR(panels[0].normal.value, 6000, 1e-6);         // half of two nodes
  // One supply of 12 kW gives 6 kW x 0.9 = 5.4 kW at 45 % of its load instead of 22.5 %: less is lost, but the highest power stays 6 kW each.
  EXPECT_NEAR(panels[0].worst.value, 12000, 1e-6);
  EXPECT_EQ(panels[0].worst_lost_feed, 1);                 // B; its own feed takes the panel along
}

TEST(FeedChain, TheBreakerCarriesWhatTheUpsLoses) {
  Resolved r;
  r.text(kRoom);
  const FeedModel &a = r.cluster->feeds[0], &b = r.cluster->feeds[1];
  ASSERT_TRUE(a.ups && a.ups->efficiency);
  EXPECT_DOUBLE_EQ(*a.ups->efficiency, 0.96);              // catalogue
  EXPECT_NEAR(at_breaker(a, VoltAmperes(48000)).value, 50000, 1e-6);
  EXPECT_EQ(at_breaker(b, VoltAmperes(48000)), VoltAmperes(48000));
  const Plan p = plan_cluster(*r.cluster);
  EXPECT_NEAR(site_power(p).ups_loss.value, 6000 / 0.96 - 6000, 1e-6);   // the cost counts the same
}

TEST(FeedChain, WhatHangsOnNoFeedIsTheRest) {
  Resolved r;
  r.text(kRoom);
  EXPECT_NEAR(power_off_feeds(plan_cluster(*r.cluster)).value, 3000, 1e-6);   // three nodes in a rack without PDUs
}

TEST(FeedChain, FacilityWaterLeavesNoWarmerThanTheCoolantComesBack) {
  Resolved r;
  r.text(R"(clusterc: 1
rules: 2026.11
name: loop
site:
  region: iec
  supply: { phases: 3, voltage: 400 V }
  cooling:
    loop: { method: liquid, supply: 34 C, rise: 12 K, facility: { supply: 30 C, flow: 100 L/min } }
    open: { method: liquid, supply: 34 C }
)");
  ASSERT_EQ(r.cluster->zones.size(), 2u);
  const auto water = facility_water(r.cluster->zones[0], Watts(306000));
  ASSERT_TRUE(water);
  EXPECT_DOUBLE_EQ(water->coolant_back.value, 46);         // 34 + 12
  EXPECT_DOUBLE_EQ(water->most_rise.value, 16);            // 46 - 30
  EXPECT_NEAR(water->least_flow.value * 60000, 14.4 * 306 / 16, 1e-6);   // 275.4 L/min
  EXPECT_FALSE(facility_water(r.cluster->zones[1], Watts(306000)));
}

}  // namespace
}  // namespace clusterc
