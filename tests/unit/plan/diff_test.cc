#include "plan/diff.h"

#include <gtest/gtest.h>

#include "unit/model/examples.h"
#include "unit/plan/superpod.h"

namespace clusterc {
namespace {

std::int64_t total(const std::vector<ChangeList>& lists) {
  std::int64_t n = 0;
  for (const ChangeList& l : lists) n += l.count;
  return n;
}
const ChangeList* of(const std::vector<ChangeList>& lists, const std::string& what) {
  for (const ChangeList& l : lists)
    if (l.what == what) return &l;
  return nullptr;
}
std::int64_t count_of(const std::vector<ChangeList>& lists, const std::string& what) {
  const ChangeList* l = of(lists, what);
  return l ? l->count : 0;
}

TEST(Diff, OfAPlanWithItselfIsNothing) {
  const test::Sample a = test::superpod(), b = test::superpod();
  EXPECT_TRUE(diff_plans(plan_cluster(*a.cluster), plan_cluster(*b.cluster), 3).empty());
}

// Seven nodes more, of a SuperPOD that is built for 128: eight rails, and the ports of the other networks, each.
TEST(Diff, GrowthWithinTheSizeBuiltForMovesNothing) {
  const test::Sample a = test::superpod("gpu[001-120]"), b = test::superpod("gpu[001-127]");
  const PlanDiff d = diff_plans(plan_cluster(*a.cluster), plan_cluster(*b.cluster), 3);
  EXPECT_EQ(count_of(d.added, "nodes of 'gpu'"), 7);
  EXPECT_EQ(total(d.removed), 0);
  // The management network is built for what is there: its switches stand beside the nodes, and may.
  for (const ChangeList& l : d.moved) EXPECT_EQ(l.what, "switches of network 'oob'");
  EXPECT_EQ(total(d.cables_removed), 0);
  EXPECT_EQ(count_of(d.cables_moved, "network 'compute'"), 0);
  EXPECT_EQ(count_of(d.cables_added, "network 'compute'"), 7 * 8);
  EXPECT_EQ(count_of(d.added, "switches of network 'compute'"), 0);
  const ChangeList& nodes = *of(d.added, "nodes of 'gpu'");
  ASSERT_EQ(nodes.items.size(), 3u);  // as many as were asked for
  EXPECT_EQ(nodes.items[0].object, "node/gpu/121");
  EXPECT_EQ(nodes.items[0].before, "");
}

// Rows of ten, 3 m apart: twenty racks take two, so the management racks behind them stand at 6 m; twenty-eight take
// three, and they move to 9 m. In front of the group that grows they stay.
TEST(Diff, RacksBehindAGroupThatGrowsMoveOnTheFloor) {
  const auto spec = [](const char* names, bool last) {
    const std::string grows = std::string("  gpu: { names: \"") + names + "\", model: generic-48u-800x1200 }\n",
                      stays = "  mgmt: { names: \"m[1-3]\", model: generic-48u-800x1200 }\n";
    return "clusterc: 1\nrules: 2026.11\nname: f\nsite: { region: iec, supply: { phases: 3, voltage: 400 V } "
           "}\nracks:\n" +
           (last ? stays + grows : grows + stays) +
           "nodes:\n  gpu: { names: \"g[1-20]\", model: generic-2u, racks: gpu, per_rack: 1 }\n";
  };
  for (const bool last : {false, true}) {
    Resolved a, b;
    a.text(spec("r[01-20]", last));
    b.text(spec("r[01-28]", last));
    const PlanDiff d = diff_plans(plan_cluster(*a.cluster), plan_cluster(*b.cluster), 3);
    EXPECT_EQ(d.floor_moves, !last);
    const ChangeList* moved = of(d.moved, "racks 'mgmt' on the floor, because racks 'gpu' before them take more rows");
    EXPECT_EQ(moved != nullptr, !last);
    if (!moved) continue;
    EXPECT_EQ(moved->count, 3);
    EXPECT_EQ(moved->items[0].object, "rack/m1");
    EXPECT_EQ(moved->items[0].before, "0 m along row, 6 m across");
    EXPECT_EQ(moved->items[0].after, "0 m along row, 9 m across");
  }
}

// docs/names.md: the fabric managers have port 32 of rails 1 to 4 in unit 4, which the 128th node needs; they move to a
// fifth unit.
TEST(Diff, The128thNodeMovesTheFabricManagers) {
  const test::Sample a = test::superpod("gpu[001-127]"), b = test::superpod("gpu[001-128]");
  const PlanDiff d = diff_plans(plan_cluster(*a.cluster), plan_cluster(*b.cluster), 10);
  const ChangeList* moved = of(d.cables_moved, "network 'compute'");
  ASSERT_TRUE(moved);
  std::int64_t managers = 0;
  for (const ObjectChange& c : moved->items)
    if (c.object.starts_with("cable/node/fm/")) {
      ++managers;
      EXPECT_TRUE(c.before.starts_with("leaf/compute/u4/r")) << c.before;
      EXPECT_TRUE(c.after.starts_with("leaf/compute/u5/r")) << c.after;
    }
  EXPECT_EQ(managers, 4);
  EXPECT_EQ(count_of(d.added, "nodes of 'gpu'"), 1);
  EXPECT_GT(count_of(d.added, "switches of network 'compute'"), 0);
}

TEST(Diff, IsTheSameBothWays) {
  const test::Sample a = test::superpod("gpu[001-100]"), b = test::superpod("gpu[001-127]");
  const Plan pa = plan_cluster(*a.cluster), pb = plan_cluster(*b.cluster);
  const PlanDiff there = diff_plans(pa, pb, 0), back = diff_plans(pb, pa, 0);
  EXPECT_EQ(total(there.added), total(back.removed));
  EXPECT_EQ(total(there.removed), total(back.added));
  EXPECT_EQ(total(there.cables_added), total(back.cables_removed));
  EXPECT_EQ(total(there.cables_removed), total(back.cables_added));
  EXPECT_EQ(total(there.cables_moved), total(back.cables_moved));
  EXPECT_EQ(total(there.moved), total(back.moved));
  ASSERT_EQ(there.parts.size(), back.parts.size());
}

TEST(Diff, PartsAreTheDifferenceOfTheBills) {
  const test::Sample a = test::superpod("gpu[001-120]"), b = test::superpod("gpu[001-127]");
  const PlanDiff d = diff_plans(plan_cluster(*a.cluster), plan_cluster(*b.cluster), 0);
  bool servers = false;
  for (const PartChange& p : d.parts) {
    if (p.part != "gpu-server") continue;
    servers = true;
    EXPECT_EQ(p.before, 120);
    EXPECT_EQ(p.after, 127);
  }
  EXPECT_TRUE(servers);
}

TEST(Diff, AnotherServerIsARefitAndAnotherRackAMove) {
  const test::Sample a = test::superpod();
  test::Sample b = test::superpod();
  b.cluster->nodes[0].server.id = "better-server";
  b.spec_of(b.cluster->nodes[0]).per_rack =
      test::known<std::int64_t>(5);  // 5 a rack: the fifth one stands in r01 instead of r02
  const PlanDiff d = diff_plans(plan_cluster(*a.cluster), plan_cluster(*b.cluster), 200);
  EXPECT_EQ(count_of(d.refitted, "nodes of 'gpu'"), 127);
  const ChangeList* moved = of(d.moved, "nodes of 'gpu'");
  ASSERT_TRUE(moved);
  for (const ObjectChange& c : moved->items)
    if (c.object == "node/gpu/005") {
      EXPECT_TRUE(c.before.starts_with("r02 U")) << c.before;
      EXPECT_TRUE(c.after.starts_with("r01 U")) << c.after;
    }
  for (const ObjectChange& c : moved->items) EXPECT_NE(c.object, "node/gpu/001");
}

}  // namespace
}  // namespace clusterc
