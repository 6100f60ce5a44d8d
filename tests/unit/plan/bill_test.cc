#include <gtest/gtest.h>

#include "plan/cost/accessories.h"
#include "unit/plan/sample.h"

namespace clusterc {
namespace {
using test::known;

const Accessory* of(const std::vector<Accessory>& all, const std::string& part, const std::string& what = {}) {
  for (const Accessory& a : all)
    if (a.part == part && (what.empty() || a.what == what)) return &a;
  return nullptr;
}

// Three racks of 48 U and 0.8 m, two to a row, rows 3 m apart (the language's default). Three nodes of 8 U with six
// supplies each, two in the first rack, one in the second: 3 x 6 = 18 cords; (48 - 2 x 8) + (48 - 8) = 72 empty units,
// none counted in the third rack, where nothing stands; trays of 2 x 0.8 = 1.6 m, 0.8 m and 3 m.
TEST(Accessories, CordsPanelsAndTrays) {
  test::Sample s;
  const int a = s.feed("A", 1e6), b = s.feed("B", 1e6), c = s.feed("C", 1e6);
  s.racks("compute", "r[1-3]", s.na60, {a, b, c});
  s.rack_specs[0]->per_row = known<std::int64_t>(2);
  NodeGroupModel& gpu = s.nodes("gpu", "n[1-3]", 0, 8, 10200, 130);
  s.spec_of(gpu).per_rack = known<std::int64_t>(2);
  PsuSet psus;
  psus.count = known<std::int64_t>(6);
  psus.inlet = known(InletKind::c20);
  gpu.server.part.psus = psus;
  const Plan p = plan_cluster(*s.cluster);
  const std::vector<Accessory> all = accessories_of(p);
  ASSERT_NE(of(all, "power-cord-c19-c20"), nullptr);
  EXPECT_EQ(of(all, "power-cord-c19-c20")->count, 18);
  EXPECT_EQ(of(all, "power-cord-c13-c14"), nullptr);
  ASSERT_NE(of(all, "blanking-panel-1u"), nullptr);
  EXPECT_EQ(of(all, "blanking-panel-1u")->count, 72);
  EXPECT_FALSE(of(all, "blanking-panel-1u")->planning_default);  // the rack's height is confirmed
  std::vector<std::pair<double, std::int64_t>> along;
  for (const Accessory& one : all)
    if (one.part == "cable-tray" && one.what == "over a row of racks") along.emplace_back(one.length.value, one.count);
  ASSERT_EQ(along.size(), 2u);
  EXPECT_NEAR(along[0].first, 0.8, 1e-9);
  EXPECT_EQ(along[0].second, 1);
  EXPECT_NEAR(along[1].first, 1.6, 1e-9);
  EXPECT_EQ(along[1].second, 1);
  const Accessory* across = of(all, "cable-tray", "across the rows");
  ASSERT_NE(across, nullptr);
  EXPECT_NEAR(across->length.value, 3, 1e-9);
  EXPECT_TRUE(across->planning_default);
}

// A fourth node, built for or not, buys six cords and gives eight panels back.
TEST(Accessories, GrowthBuysCordsAndGivesPanelsBack) {
  std::int64_t cords[2], panels[2];
  for (const int n : {3, 4}) {
    test::Sample s;
    const int a = s.feed("A", 1e6), b = s.feed("B", 1e6), c = s.feed("C", 1e6);
    s.racks("compute", "r[1-2]", s.na60, {a, b, c});
    NodeGroupModel& gpu = s.nodes("gpu", n == 3 ? "n[1-3]" : "n[1-4]", 0, 8, 10200, 130);
    s.spec_of(gpu).per_rack = known<std::int64_t>(2);
    PsuSet psus;
    psus.count = known<std::int64_t>(6);
    psus.inlet = known(InletKind::c20);
    gpu.server.part.psus = psus;
    const Plan p = plan_cluster(*s.cluster);
    const std::vector<Accessory> all = accessories_of(p);
    cords[n - 3] = of(all, "power-cord-c19-c20")->count;
    panels[n - 3] = of(all, "blanking-panel-1u")->count;
  }
  EXPECT_EQ(cords[1] - cords[0], 6);
  EXPECT_EQ(panels[1] - panels[0], -8);
}

// Servers that state no supplies need cords that nobody can count: a line without a number. Those that state theirs do
// not.
TEST(Accessories, CordsThatNobodyCanCount) {
  test::Sample s;
  const int a = s.feed("A", 1e6), b = s.feed("B", 1e6), c = s.feed("C", 1e6);
  s.racks("compute", "r[1-2]", s.na60, {a, b, c});
  s.nodes("gpu", "n[1-3]", 0, 8, 10200, 130);
  NodeGroupModel& head = s.nodes("head", "h1", 0, 1, 800, 20);
  PsuSet psus;
  psus.count = known<std::int64_t>(2);
  psus.inlet = known(InletKind::c14);
  head.server.part.psus = psus;
  const Plan p = plan_cluster(*s.cluster);
  const std::vector<Accessory> all = accessories_of(p);
  ASSERT_NE(of(all, "power-cord"), nullptr);
  EXPECT_EQ(of(all, "power-cord")->unknown_for, 3);
  EXPECT_EQ(of(all, "power-cord")->count, 0);
  EXPECT_EQ(of(all, "power-cord")->what, "for 3 of nodes.gpu, whose number of power supplies is not stated");
  EXPECT_EQ(of(all, "power-cord-c13-c14")->count, 2);
}

const BillLine* line_of(const Plan& p, const std::string& part) {
  for (const BillLine& l : p.bill())
    if (l.part == part) return &l;
  return nullptr;
}

TEST(Bill, AssumedStorageAndCoolingAreMarked) {
  for (const bool assumed : {false, true}) {
    test::Sample s;
    s.ddn.units.confirmed = !assumed;
    s.storage("scratch", 2, -1);
    CoolingPart crah;
    crah.heat = known(Watts(100e3));
    crah.heat.confirmed = !assumed;
    s.zone("hall");
    s.zone_specs[0]->model = known<std::string>("crah-100");
    s.zone_specs[0]->units = known<std::int64_t>(3);
    s.cluster->zones[0].part = &crah;
    const Plan p = plan_cluster(*s.cluster);
    ASSERT_NE(line_of(p, "ddn"), nullptr);
    EXPECT_EQ(line_of(p, "ddn")->planning_default, assumed);
    ASSERT_NE(line_of(p, "crah-100"), nullptr);
    EXPECT_EQ(line_of(p, "crah-100")->count, 3);
    EXPECT_EQ(line_of(p, "crah-100")->planning_default, assumed);
  }
}

}  // namespace
}  // namespace clusterc
