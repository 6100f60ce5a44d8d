#include "plan/fabric/routing.h"

#include <gtest/gtest.h>

#include "plan/fabric/fabric.h"
#include "spec/network.h"
#include "unit/plan/superpod.h"

namespace clusterc {
namespace {
using test::fabrics_of;
using test::known;

const PatternLoad& load_of(const std::vector<PatternLoad>& loads, const std::string& pattern) {
  for (const PatternLoad& l : loads)
    if (l.pattern == pattern) return l;
  static const PatternLoad none;
  ADD_FAILURE() << pattern;
  return none;
}

// 32 leaves, 16 spines, two links to each: the r-th end point of a leaf goes to spine r mod 16 over its link r / 16.
// Port 32 of a leaf holds a fabric manager on rails 1 to 4 of the last unit and nobody on its rails 5 to 8: 28 of 32
// leaves use the second link of spine 16.
TEST(Routing, SuperpodRoutesOnEachUplink) {
  const test::Sample s = test::superpod();
  const Plan p = fabrics_of(s);
  const Routing r(p, test::kCompute);
  for (std::int64_t link = 0; link < 31; ++link)
    EXPECT_EQ(r.routes(0, link), 31);  // one destination on each other leaf
  EXPECT_EQ(r.routes(0, 31), 27);
  EXPECT_EQ(r.routes(31, 31), 28);  // it has none itself: all 28 are elsewhere
  EXPECT_EQ(r.routes(31, 0), 31);
}

// Leaves of 32, the last half empty: 7 x 32 + 16 on eight leaves, whose 256 uplinks fill four spines of 64 ports, eight
// links to each. The last has four end points a spine, on the first four links; a scheme that fills one spine after the
// other would leave two of them without.
TEST(Routing, AHalfFilledLeafLoadsEverySpine) {
  test::Sample s;
  s.nodes("gpu", "n[1-240]", -1, 1, 800, 30);
  s.network("compute", s.qm9700, 400e9, -1);
  s.connect(0, 0, 1);
  const Plan p = fabrics_of(s);
  ASSERT_EQ(p.fabrics[0].tiers[0].count, 8);
  ASSERT_EQ(p.fabrics[0].links_per_pair, 8);
  const Routing r(p, 0);
  for (std::int64_t link = 0; link < 32; ++link) {
    EXPECT_EQ(r.routes(0, link), link % 8 < 4 ? 7 : 6) << link;
    EXPECT_EQ(r.routes(7, link), 7) << link;
  }
}

TEST(Routing, TheWayOfAFlow) {
  const test::Sample s = test::superpod();
  const Plan p = fabrics_of(s);
  const Routing r(p, test::kCompute);
  std::vector<FabricLink> path;
  // Node 1 to node 37 on rail 2: the fifth of leaf u2/r2, so spine 5 and the first of its two links: uplink 9, which is
  // port 41.
  r.route(p.leaf_port(0, 0, 0, 1), p.leaf_port(0, 0, 36, 1), path);
  ASSERT_EQ(path.size(), 2u);
  EXPECT_EQ(r.link_name(path[0]),
            "leaf/compute/u1/r2/41 to spine/compute/05/3");  // second leaf: ports 3 and 4 of each spine
  EXPECT_EQ(r.link_name(path[1]), "spine/compute/05/19 to leaf/compute/u2/r2/41");  // tenth leaf: ports 19 and 20
  r.route(p.leaf_port(0, 0, 0, 1), p.leaf_port(0, 0, 5, 1), path);
  EXPECT_TRUE(path.empty());  // the same leaf
}

// Nothing is oversubscribed: neither a ring nor a shift puts two flows on a link. All to all: 32 senders of a leaf x 31
// destinations behind a link (the managers do not send) over the 1,015 others of each.
TEST(Routing, SuperpodLoads) {
  const test::Sample s = test::superpod();
  s.cluster->networks[test::kCompute].carries = {Traffic::compute};
  const Plan p = fabrics_of(s);
  const std::vector<PatternLoad> loads = Routing(p, test::kCompute).loads();
  EXPECT_DOUBLE_EQ(load_of(loads, "ring").worst, 1);
  EXPECT_DOUBLE_EQ(load_of(loads, "shift by half").worst, 1);
  EXPECT_DOUBLE_EQ(load_of(loads, "all to all").worst, 32.0 * 31 / 1015);
  // Thrown at random, the fullest of some thousand links has several: known from balls and bins, ln n / ln ln n = 3.6
  // for n = 1,016.
  EXPECT_GT(load_of(loads, "random permutations").worst, 2);
  EXPECT_LT(load_of(loads, "random permutations").worst, 7);
}

// 2 to 1: 42 ports down, 21 up. All to all of 84 on two leaves: 42 x 42 / 83 flows over 21 links each way, two
// destinations a link.
TEST(Routing, OversubscriptionDoublesTheLoad) {
  test::Sample s;
  s.nodes("gpu", "n[1-84]", -1, 8, 10200, 130);
  s.network("compute", s.qm9700, 400e9, -1);
  s.network_spec(0).oversubscription = known(2.0);
  s.connect(0, 0, 1);
  const Plan p = fabrics_of(s);
  ASSERT_EQ(p.fabrics[0].tiers[0].down, 42);
  ASSERT_EQ(p.fabrics[0].tiers[0].up, 21);
  const std::vector<PatternLoad> loads = Routing(p, 0).loads();
  EXPECT_DOUBLE_EQ(load_of(loads, "all to all").worst, 42.0 * 2 / 83);
  EXPECT_DOUBLE_EQ(load_of(loads, "shift by half").worst, 2);  // 42 flows over 21 links
}

// 400 Gb/s on ports of 800: 42 ports down and 21 up of twice the rate. The same flows as above fill half as much.
TEST(Routing, FasterUplinksCarryMore) {
  test::Sample s;
  s.nodes("gpu", "n[1-84]", -1, 8, 10200, 130);
  s.network("compute", s.sn5610, 400e9, -1);
  s.network_spec(0).breakout = known<std::int64_t>(1);
  s.connect(0, 0, 1);
  const Plan p = fabrics_of(s);
  ASSERT_EQ(p.fabrics[0].tiers[0].down, 42);
  ASSERT_EQ(p.fabrics[0].tiers[0].up, 21);
  const std::vector<PatternLoad> loads = Routing(p, 0).loads();
  EXPECT_DOUBLE_EQ(load_of(loads, "all to all").worst, 42.0 / 83);
  EXPECT_DOUBLE_EQ(load_of(loads, "shift by half").worst, 1);
}

// Three tiers: every flow of a random permutation is counted on each link of its way, and the sum of all-to-all flows
// is that of the pairs.
TEST(Routing, ThreeTiersCarryWhatIsSent) {
  test::Sample s;
  s.nodes("gpu", "n[0001-4096]", -1, 1, 800, 30);
  s.network("compute", s.qm9700, 400e9, -1);
  s.connect(0, 0, 1);
  const Plan p = fabrics_of(s);
  const Fabric& f = p.fabrics[0];
  ASSERT_EQ(f.tiers.size(), 3u);
  const Routing r(p, 0);
  std::int64_t routes = 0;
  for (std::int64_t leaf = 0; leaf < f.tiers[0].count; ++leaf)
    for (std::int64_t link = 0; link < f.tiers[0].up; ++link) routes += r.routes(leaf, link);
  EXPECT_EQ(routes, f.tiers[0].count * 4096 - 4096);  // from every leaf to all but its own
  std::vector<FabricLink> path;
  const PortRef first = p.leaf_port(0, 0, 0, 0), last = p.leaf_port(0, 0, 4095, 0);
  r.route(first, last, path);
  ASSERT_EQ(path.size(), 4u);
  // The links join up: leaf, spine, core, spine, leaf.
  PortRef spine, core, core_again, spine_again;
  p.up_link(0, path[0].lower, path[0].link, &spine);
  p.up_link(0, path[1].lower, path[1].link, &core);
  p.up_link(0, path[2].lower, path[2].link, &core_again);
  p.up_link(0, path[3].lower, path[3].link, &spine_again);
  EXPECT_EQ(path[0].lower.index, first.sw.index);
  EXPECT_EQ(spine.sw.index, path[1].lower.index);
  EXPECT_EQ(core.sw.index, core_again.sw.index);
  EXPECT_EQ(path[2].lower.index, spine_again.sw.index);
  EXPECT_EQ(path[3].lower.index, last.sw.index);
  const std::vector<PatternLoad> loads = r.loads();
  EXPECT_DOUBLE_EQ(load_of(loads, "ring").worst, 1);
  EXPECT_DOUBLE_EQ(load_of(loads, "shift by half").worst, 1);
  EXPECT_LE(load_of(loads, "all to all").worst, 1.01);
}

}  // namespace
}  // namespace clusterc
