#include "plan/power/cords.h"

#include <gtest/gtest.h>

#include "plan/power/power.h"
#include "spec/site.h"
#include "unit/plan/sample.h"

namespace clusterc {
namespace {
using test::known;

// Nodes of 4,160 W with two supplies on two PDUs: 2,080 W a cord, 10 A at 208 V.
struct TwoPdus {
  test::Sample s;
  explicit TwoPdus(std::int64_t nodes, double volts = 208) {
    s.cluster->spec.site->supply->power_factor = known(1.0);
    s.feed("A", 1e6);
    s.feed("B", 1e6);
    s.na60.voltage = known(Volts(volts));
    s.racks("main", "r1", s.na60, {0, 1});
    NodeGroupModel& g = s.nodes("n", "n[1-" + std::to_string(nodes) + "]", 0, 1, 4160, 10);
    PsuSet psus;
    psus.count = known<std::int64_t>(2);
    psus.spare = known<std::int64_t>(1);
    psus.power = known(Watts(8320));
    psus.inlet = known(InletKind::c20);
    g.server.part.psus = psus;
  }
  PduCurrents first() { return plan_cluster(*s.cluster).pdu_currents().at(0); }
};

// Pairs carry 20, 10 and 10 A: sqrt(400 + 100 + 200) = 26.458, sqrt(300) = 17.321.
TEST(Currents, FourCordsBetweenLines) {
  const PduCurrents c = TwoPdus(4).first();
  EXPECT_NEAR(c.lines[0], 26.4575, 1e-3);
  EXPECT_NEAR(c.lines[1], 26.4575, 1e-3);
  EXPECT_NEAR(c.lines[2], 17.3205, 1e-3);
  // Without the other PDU each cord carries all of its node: 23.5 % of two supplies, 47 % of one, so the wall takes
  // what is stated.
  EXPECT_NEAR(c.worst_highest(), 2 * 26.4575, 1e-3);
  EXPECT_EQ(c.worst_lost_feed, 1);
  EXPECT_EQ(c.bank, 0);
}
// 415 V: to neutral, 2,080 W / 239.6 V = 8.681 A a cord; two on one line.
TEST(Currents, FourCordsToNeutral) {
  const PduCurrents c = TwoPdus(4, 415).first();
  EXPECT_NEAR(c.lines[0], 2 * 8.6811, 1e-3);
  EXPECT_NEAR(c.lines[1], 8.6811, 1e-3);
  EXPECT_NEAR(c.lines[2], 8.6811, 1e-3);
}
// Cords of 2,200 W, 2,167 W and nine times 1,720 W to neutral. The largest first would end with 2,167 + 3 x 1,720 =
// 7,327 W on a line; with 2,200, 2,167 and 1,720 on one and four times 1,720 on the two others it is 6,880 W: at 415 V
// / sqrt(3) = 239.6 V, 28.71 A.
TEST(Currents, CordsAreExchangedWhereThatIsLess) {
  TwoPdus t(9, 415);
  for (const double watts : {2200.0, 2167.0}) {
    const PsuSet psus = *t.s.cluster->nodes[0].server.part.psus;
    t.s.nodes("x" + std::to_string(watts), "x" + std::to_string(int(watts)), 0, 1, 2 * watts, 10).server.part.psus =
        psus;
  }
  t.s.cluster->nodes[0].server.power = known(Watts(2 * 1720.0));
  const PduCurrents c = t.first();
  EXPECT_NEAR(c.highest(), 28.714, 1e-3);
  EXPECT_NEAR(c.lines[0] + c.lines[1] + c.lines[2], (2200 + 2167 + 9 * 1720) / 239.6004, 1e-3);
}
TEST(Currents, BanksTakeTurns) {
  TwoPdus t(5);
  t.s.na60.banks = known<std::int64_t>(6);
  EXPECT_NEAR(t.first().bank, 10, 1e-9);
  EXPECT_NEAR(t.first().worst_bank, 20, 1e-9);
  t.s.na60.banks = known<std::int64_t>(2);  // three cords on the first
  EXPECT_NEAR(t.first().bank, 30, 1e-9);
}
TEST(Currents, NothingIsSaidWithoutAVoltage) {
  TwoPdus t(4);
  t.s.na60.voltage = {};
  EXPECT_EQ(t.first().highest(), 0);
}

TEST(Coolant, FollowsHeatAndRise) {
  constexpr double kLitersPerMinute = 60000;
  EXPECT_NEAR(coolant_for(Watts(115e3), Kelvins(10), Fluid::pg25).value * kLitersPerMinute, 173.65,
              1e-6);  // 15.1 x 115 / 10
  EXPECT_NEAR(coolant_for(Watts(100e3), Kelvins(5), Fluid::water).value * kLitersPerMinute, 288,
              1e-6);  // 14.4 x 100 / 5
}
TEST(Coolant, CapacityFollowsTheApproach) {
  EXPECT_NEAR(heat_at_approach(Watts(250e3), Kelvins(10), Kelvins(4)).value, 100e3, 1e-6);
  EXPECT_NEAR(heat_at_approach(Watts(250e3), Kelvins(10), Kelvins(12)).value, 250e3, 1e-6);  // never more than rated
  EXPECT_EQ(heat_at_approach(Watts(250e3), Kelvins(10), Kelvins(-1)).value, 0);
}
// Psychrometric tables: air of 27 C and 60 % has a dew point of 18.6 C, of 20 C and 50 % one of 9.3 C; saturated air
// its own temperature.
TEST(Coolant, DewPoint) {
  EXPECT_NEAR(dew_point(Celsius(27), 0.6).value, 18.6, 0.05);
  EXPECT_NEAR(dew_point(Celsius(20), 0.5).value, 9.3, 0.05);
  EXPECT_NEAR(dew_point(Celsius(24), 1).value, 24, 1e-9);
}

TEST(SitePower, ByPueAndBySum) {
  TwoPdus t(3);  // 12.48 kW
  t.s.cluster->spec.site->pue = known(1.5);
  EXPECT_NEAR(site_power(plan_cluster(*t.s.cluster)).total.value, 18720, 1e-6);
  t.s.cluster->spec.site->pue = {};
  UpsPart ups;
  ups.efficiency = known(0.96);
  t.s.cluster->feeds[0].ups = &ups;  // half of it: 6,240 W x (1 / 0.96 - 1) = 260 W
  t.s.feed_specs[1]->in_use = known(Watts(1000));
  const SitePower p = site_power(plan_cluster(*t.s.cluster));
  EXPECT_NEAR(p.ups_loss.value, 260, 1e-6);
  EXPECT_NEAR(p.total.value, 12480 + 260 + 1000, 1e-6);
}

}  // namespace
}  // namespace clusterc
