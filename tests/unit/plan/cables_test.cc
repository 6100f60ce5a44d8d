#include <gtest/gtest.h>

#include <set>

#include "unit/plan/superpod.h"

namespace clusterc {
namespace {

std::int64_t bought(const Plan& p, const std::string& part, const std::string& what) {
  for (const BillLine& l : p.bill())
    if (l.part == part && l.what == what) return l.count;
  return 0;
}

TEST(Cables, AllOfTheSuperpodOnceEach) {
  const test::Sample s = test::superpod();
  const Plan p = plan_cluster(*s.cluster);
  std::set<std::string> ends;
  for (int f = 0; f < 4; ++f) {
    std::int64_t n = 0;
    p.each_cable(f, [&](const Cable& c) {
      EXPECT_TRUE(ends.insert(c.near.object + "/" + c.near.port).second) << c.near.object << ' ' << c.near.port;
      EXPECT_TRUE(ends.insert(c.far.object + "/" + c.far.port).second) << c.far.object << ' ' << c.far.port;
      EXPECT_GT(c.length.value, 1);
      ++n;
      return true;
    });
    const Fabric& fabric = p.fabrics[f];
    EXPECT_EQ(n, fabric.node_cables + fabric.leaf_spine_cables + fabric.uplink_cables);
  }
}

TEST(Cables, StopsWhenAsked) {
  const test::Sample s = test::superpod();
  const Plan p = plan_cluster(*s.cluster);
  int n = 0;
  p.each_cable(0, [&](const Cable&) { return ++n < 3; });
  EXPECT_EQ(n, 3);
}

// Two racks side by side, 0.8 m apart: node in U1 of r1 (0.122 m high), switch in U48 of r2 (2.211 m); racks 2.285 m
// high, tray 0.3 m above. (2.585 - 0.122) + 0.8 + (2.585 - 2.211) + 2 x 0.5 = 4.637 m.
TEST(Cables, LengthOverhead) {
  test::Sample s;
  const int a = s.feed("A", 1e6);
  s.racks("nodes", "r1", s.na60, {a});
  s.racks("switches", "r2", s.na60, {a});
  s.nodes("n", "n1", 0, 1, 500, 10);
  s.network("lan", s.qm9700, 400e9, 1);
  s.connect(0, 0, 1);
  Plan p = plan_cluster(*s.cluster);
  ASSERT_EQ(p.switch_unit[0], 48);
  p.racks[1].x = 0.8F;
  p.racks[1].y = 0;
  p.each_cable(0, [](const Cable& c) {
    EXPECT_NEAR(c.length.value, 4.637, 0.002);
    EXPECT_EQ(c.near.object, "node/n/n1");
    EXPECT_EQ(c.far.object, "switch/lan/01");
    EXPECT_EQ(c.far.port, "1");
    return true;
  });
}

TEST(Bill, SuperpodAsPublished) {
  const test::Sample s = test::superpod();
  const Plan p = plan_cluster(*s.cluster);
  // NVIDIA DGX SuperPOD reference architecture with DGX H100, RA-11333-001 V11, appendix A: 48 QM9700 for compute, 38
  // racks, 96 + 12 PDUs. The cables: cabling_test.cc. Here there is no catalogue to choose them from, and the bill says
  // so.
  EXPECT_EQ(bought(p, "compute-switch", "switch"), 48);
  EXPECT_EQ(bought(p, "generic-48u", "rack"), 38);
  EXPECT_EQ(bought(p, "pdu", "PDU"), 108);
  EXPECT_EQ(bought(p, "gpu-server", "server"), 127);
  EXPECT_EQ(bought(p, "no part (no cable is in the catalogue)", "compute: gpu to leaf"), 127 * 8);
  EXPECT_EQ(bought(p, "no part (no cable is in the catalogue)", "compute: leaf to spine"), 1024);
}

TEST(Plan, SameInputSamePlan) {
  const test::Sample a = test::superpod(), b = test::superpod();
  const Plan p = plan_cluster(*a.cluster), q = plan_cluster(*b.cluster);
  EXPECT_EQ(p.node_rack, q.node_rack);
  EXPECT_EQ(p.switch_rack, q.switch_rack);
  EXPECT_EQ(p.switch_unit, q.switch_unit);
  ASSERT_EQ(p.bill().size(), q.bill().size());
  for (std::size_t i = 0; i < p.bill().size(); ++i) EXPECT_EQ(p.bill()[i].count, q.bill()[i].count);
}

// Two servers in U1 and U3 of one rack: 2 x 0.04445 m between them, the rack's width of 0.8 m, and 2 x 0.5 m.
TEST(Cables, OneBetweenTwoPortsWithoutASwitch) {
  test::Sample s;
  const int a = s.feed("A", 1e6);
  s.racks("main", "r1", s.na60, {a});
  s.nodes("head", "h[1-2]", 0, 2, 500, 10);
  NetworkModel& n = s.network("pair", s.sn4600c, 100e9, -1);
  n.switch_part = nullptr;
  n.switch_model.clear();
  n.direct = true;
  s.connect(0, 0, 1, 0, -1);
  const Plan p = plan_cluster(*s.cluster);
  EXPECT_TRUE(p.fabrics[0].direct);
  EXPECT_EQ(p.fabrics[0].switch_count(), 0);
  int cables = 0;
  p.each_cable(0, [&](const Cable& c) {
    ++cables;
    EXPECT_EQ(c.near.object, "node/head/1");
    EXPECT_EQ(c.far.object, "node/head/2");
    EXPECT_EQ(c.near.port, "pair/1");
    EXPECT_EQ(c.far.port, "pair/1");
    EXPECT_EQ(c.rate.value, 100e9);
    EXPECT_NEAR(c.length.value, 2 * 0.04445 + 0.8 + 1, 0.001);
    return true;
  });
  EXPECT_EQ(cables, 1);
}

}  // namespace
}  // namespace clusterc
