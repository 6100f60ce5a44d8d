#include "plan/fabric/fabric.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <tuple>

#include "spec/network.h"
#include "unit/plan/superpod.h"

namespace clusterc {
namespace {
using test::fabrics_of;
using test::known;

using Port = std::tuple<int, std::int64_t, std::int64_t>;
Port key(const PortRef& r) { return {r.sw.tier, r.sw.index, r.port}; }

// Every port of a fabric that a cable ends on, node side and between switches; fails where one is used twice or does
// not exist.
std::set<Port> ports_in_use(const Plan& p, int fabric) {
  const Fabric& f = p.fabrics[fabric];
  std::set<Port> used;
  auto take = [&](const PortRef& r, const char* what) {
    EXPECT_GE(r.sw.index, 0) << what;
    EXPECT_LT(r.sw.index, f.tiers[r.sw.tier].count) << what;
    EXPECT_GE(r.port, 1) << what;
    const std::int64_t own = r.sw.tier == 0 && own_uplink_ports(f) ? *f.tiers[0].part->uplinks : 0;
    EXPECT_LE(r.port, f.tiers[r.sw.tier].ports + own) << what;
    EXPECT_TRUE(used.insert(key(r)).second)
        << what << ' ' << p.switch_name(fabric, r.sw) << ' ' << r.port << " is used twice";
  };
  for (std::size_t b = 0; b < f.blocks.size(); ++b)
    for (std::int64_t m = 0; m < f.blocks[b].members; ++m)
      for (std::int64_t k = 0; k < f.blocks[b].ports_each; ++k)
        take(p.block_port(fabric, static_cast<int>(b), m, k), "end point");
  if (f.uplink_cables == 0)
    for (int t = 0; t + 1 < static_cast<int>(f.tiers.size()); ++t)
      for (std::int64_t i = 0; i < f.tiers[t].count; ++i)
        for (std::int64_t l = 0; l < (t == 0 ? f.leaf_up(i) : f.tiers[t].up); ++l) {
          PortRef upper;
          take(p.up_link(fabric, {t, i}, l, &upper), "up");
          take(upper, "down");
        }
  return used;
}

TEST(Fabric, SuperpodCompute) {
  const test::Sample s = test::superpod();
  const Plan p = fabrics_of(s);
  const Fabric& f = p.fabrics[test::kCompute];
  ASSERT_EQ(f.tiers.size(), 2u);
  EXPECT_EQ(f.tiers[0].count, 32);
  EXPECT_EQ(f.tiers[1].count, 16);
  EXPECT_EQ(f.node_cables, 1020);  // 127 x 8 + 4
  EXPECT_EQ(f.leaf_spine_cables, 1024);
  EXPECT_EQ(f.links_per_pair, 2);
  EXPECT_EQ(f.units, 4);
  EXPECT_EQ(f.unit, 32);
  EXPECT_DOUBLE_EQ(f.oversubscription, 1);
  EXPECT_EQ(ports_in_use(p, test::kCompute).size(), 1020u + 2 * 1024u);
}

TEST(Fabric, RailsAndUnits) {
  const test::Sample s = test::superpod();
  const Plan p = fabrics_of(s);
  // Node 33 (member 32) is the first of unit 2; its fourth port is on rail 4.
  const PortRef r = p.leaf_port(test::kCompute, 0, 32, 3);
  EXPECT_EQ(p.switch_name(test::kCompute, r.sw), "leaf/compute/u2/r4");
  EXPECT_EQ(r.port, 1);
  EXPECT_EQ(p.switch_host_name(test::kCompute, r.sw), "leaf-compute-u2-r4");
  // The fabric managers stand where the 128th node would be: port 32 of rails 1 to 4 of unit 4.
  for (int i = 0; i < 4; ++i) {
    const PortRef m = p.leaf_port(test::kCompute, 1, i, 0);
    EXPECT_EQ(p.switch_name(test::kCompute, m.sw), "leaf/compute/u4/r" + std::to_string(i + 1));
    EXPECT_EQ(m.port, 32);
  }
  // Links 0 and 1 of a leaf go to spine 1, on neighbouring ports.
  PortRef upper;
  EXPECT_EQ(p.up_link(test::kCompute, {0, 5}, 1, &upper).port, 34);
  EXPECT_EQ(p.switch_name(test::kCompute, upper.sw), "spine/compute/01");
  EXPECT_EQ(upper.port, 12);  // leaf 6, second of two links
}

TEST(Fabric, GrowthWithinTheSizeBuiltForMovesNothing) {
  const test::Sample small = test::superpod("gpu[001-100]"), large = test::superpod("gpu[001-127]");
  const Plan a = fabrics_of(small), b = fabrics_of(large);
  for (std::int64_t m = 0; m < 100; ++m)
    for (std::int64_t k = 0; k < 8; ++k) EXPECT_EQ(key(a.leaf_port(0, 0, m, k)), key(b.leaf_port(0, 0, m, k)));
  for (std::int64_t m = 0; m < 4; ++m) EXPECT_EQ(key(a.leaf_port(0, 1, m, 0)), key(b.leaf_port(0, 1, m, 0)));
  for (std::int64_t leaf = 0; leaf < 32; ++leaf)
    for (std::int64_t l = 0; l < 32; ++l) {
      PortRef x, y;
      EXPECT_EQ(key(a.up_link(0, {0, leaf}, l, &x)), key(b.up_link(0, {0, leaf}, l, &y)));
      EXPECT_EQ(key(x), key(y));
    }
}

// 128 nodes take every port of four units: four fabric managers need a fifth.
TEST(Fabric, NoRoomForFabricManagersOpensAUnit) {
  const test::Sample s = test::superpod("gpu[001-128]");
  EXPECT_EQ(fabrics_of(s).fabrics[0].tiers[0].count, 40);
}

TEST(Fabric, SuperpodOthers) {
  const test::Sample s = test::superpod();
  const Plan p = fabrics_of(s);
  // Storage: 127 x 2 + 8 x 8 = 318 ports at 4:3, worked out in fabric_shape_test.cc.
  EXPECT_EQ(p.fabrics[test::kStorage].switch_count(), 13);
  EXPECT_EQ(p.fabrics[test::kStorage].node_cables, 318);
  // In-band in pairs: 127 + 2 + 2 + 4 = 135 slots on each of a pair of leaves, and the management switches' uplinks.
  const Fabric& in = p.fabrics[test::kInband];
  EXPECT_EQ(in.node_cables, 127 * 2 + 2 * 2 + 2 * 2 + 4);
  EXPECT_EQ(in.leaves_per_unit, 2);
  for (std::int64_t m = 0; m < 127; ++m)
    EXPECT_NE(p.leaf_port(test::kInband, 0, m, 0).sw.index, p.leaf_port(test::kInband, 0, m, 1).sw.index);
  // Management: 135 nodes + 8 storage systems + switches of three fabrics + 32 x 3 + 6 x 2 PDUs, 48 ports a switch.
  const Fabric& oob = p.fabrics[test::kOob];
  const std::int64_t ports = 135 + 8 + 48 + 13 + in.switch_count() + 108;
  EXPECT_EQ(oob.node_cables, ports);
  EXPECT_EQ(oob.switch_count(), (ports + 47) / 48);
  EXPECT_EQ(oob.uplink_cables, 2 * oob.switch_count());
  for (int f = 0; f < 4; ++f) EXPECT_FALSE(ports_in_use(p, f).empty());
  // Both uplinks of a management switch reach the in-band fabric, on different switches of a pair.
  PortRef one, two;
  EXPECT_EQ(p.up_link(test::kOob, {0, 0}, 0, &one).port, 49);
  p.up_link(test::kOob, {0, 0}, 1, &two);
  EXPECT_EQ(one.sw.tier, 0);
  EXPECT_NE(one.sw.index, two.sw.index);
}

TEST(Fabric, OneSwitchAndAPair) {
  test::Sample s;
  s.nodes("n", "n[1-32]", -1, 1, 500, 10);
  s.network("lan", s.sn4600c, 100e9, -1);
  s.connect(0, 0, 2);  // 64 ports
  s.network("pair", s.sn4600c, 100e9, -1);
  s.network_spec(1).bond = known<std::int64_t>(2);
  s.connect(1, 0, 2);
  const Plan p = fabrics_of(s);
  EXPECT_EQ(p.fabrics[0].switch_count(), 1);
  EXPECT_EQ(p.switch_name(0, {0, 0}), "switch/lan/01");
  EXPECT_EQ(p.leaf_port(0, 0, 31, 1).port, 64);
  EXPECT_EQ(p.fabrics[1].switch_count(), 2);
  EXPECT_EQ(p.switch_name(1, {0, 1}), "switch/pair/b");
  EXPECT_EQ(p.leaf_port(1, 0, 31, 1).port, 32);
  EXPECT_EQ(p.leaf_port(1, 0, 31, 1).sw.index, 1);
}

TEST(Fabric, ThreeTiers) {
  test::Sample s;
  s.nodes("gpu", "g[0001-2048]", -1, 8, 10200, 130);
  s.network("compute", s.sn5610, 400e9, -1);
  s.network_spec(0).topology = known(NetworkTopology::rail_optimised);
  s.connect(0, 0, 8);
  const Plan p = fabrics_of(s);
  const Fabric& f = p.fabrics[0];
  EXPECT_EQ(f.ways, 2);
  ASSERT_EQ(f.tiers.size(), 3u);
  EXPECT_EQ(f.tiers[0].count, 256);  // 2,048 / 64 nodes x 8 rails
  EXPECT_EQ(f.tiers[1].count, 256);
  EXPECT_EQ(f.tiers[2].count, 128);  // 16,384 links / 128 ports
  EXPECT_EQ(ports_in_use(p, 0).size(), 16384u * 5);
  // Spine i of every pod ends in core group i.
  for (std::int64_t pod = 0; pod < f.pods; ++pod) {
    PortRef core;
    p.up_link(0, {1, pod * f.spines_per_pod + 6}, 0, &core);
    EXPECT_EQ(core.sw.index / f.cores_per_group, 6);
  }
  EXPECT_EQ(p.switch_name(0, {1, f.spines_per_pod}), "spine/compute/pod2/01");
  EXPECT_EQ(p.switch_name(0, {2, f.cores_per_group}), "core/compute/p2/01");
}

// The published DGX A100 SuperPOD of 140 nodes has 56, 80 and 28 switches of 40 ports, 164, because it keeps each rail
// to itself up to the cores; of what keeps units together 158 is the least (fabric_shape_test.cc).
TEST(Fabric, SeveralSpinesOfAPodOnOneGroupOfCores) {
  test::Sample s;
  s.qm9700.ports = known<std::int64_t>(40);
  s.qm9700.port_rate = known(BitsPerSecond(200e9));
  s.nodes("gpu", "g[001-140]", -1, 8, 10200, 130);
  s.spec_of(s.cluster->nodes[0]).scalable_unit = known<std::int64_t>(20);
  s.network("compute", s.qm9700, 200e9, -1);
  s.network_spec(0).topology = known(NetworkTopology::rail_optimised);
  s.connect(0, 0, 8);
  const Plan p = fabrics_of(s);
  const Fabric& f = p.fabrics[0];
  ASSERT_EQ(f.tiers.size(), 3u);
  EXPECT_EQ(f.switch_count(), 158);
  EXPECT_EQ(f.tiers[2].down, 35);
  EXPECT_EQ(ports_in_use(p, 0).size(), 1120u * 5);  // no port twice: an end, and two of each cable above it
  // Every spine has a link to each core of its group, and the groups share none.
  for (std::int64_t spine = 0; spine < f.tiers[1].count; ++spine) {
    std::set<std::int64_t> cores;
    for (std::int64_t link = 0; link < f.tiers[1].up; ++link) {
      PortRef core;
      p.up_link(0, {1, spine}, link, &core);
      EXPECT_EQ(core.sw.index / 16, spine % 10 / 5);
      cores.insert(core.sw.index);
    }
    EXPECT_EQ(cores.size(), 16u);
  }
}

// Five spines of a pod on two groups of cores, three and two: no port twice, and each spine has a link to each core of
// its group.
TEST(Fabric, CoreGroupsThatAreNotEven) {
  test::Sample s;
  s.sn4600c.ports = known<std::int64_t>(10);
  s.nodes("n", "n[01-56]", -1, 1, 1000, 10);
  s.network("lan", s.sn4600c, 100e9, -1);
  s.connect(0, 0, 1);
  const Plan p = fabrics_of(s);
  const Fabric& f = p.fabrics[0];
  ASSERT_EQ(f.tiers.size(), 3u);
  EXPECT_EQ(f.spines_per_pod, 5);
  EXPECT_EQ(f.spines_per_group, 3);
  EXPECT_EQ(ports_in_use(p, 0).size(), static_cast<std::size_t>(56 + 2 * (f.leaf_spine_cables + f.spine_core_cables)));
  for (std::int64_t spine = 0; spine < f.tiers[1].count; ++spine) {
    std::set<std::int64_t> cores;
    for (std::int64_t link = 0; link < f.tiers[1].up; ++link) {
      PortRef core;
      p.up_link(0, {1, spine}, link, &core);
      EXPECT_EQ(core.sw.index / f.cores_per_group, spine % 5 / 3);
      cores.insert(core.sw.index);
    }
    EXPECT_EQ(cores.size(), static_cast<std::size_t>(f.cores_per_group));
  }
}

// 400 Gb/s on 64 ports of 800 that the spec does not split: 32 down and 16 up at 800, eight of these to each of two
// spines.
TEST(Fabric, UplinksRunAsFastAsTheirPorts) {
  test::Sample s;
  s.nodes("gpu", "g[01-32]", -1, 8, 10200, 130);
  s.network("compute", s.sn5610, 400e9, -1);
  s.network_spec(0).topology = known(NetworkTopology::rail_optimised);
  s.network_spec(0).breakout = known<std::int64_t>(1);
  s.connect(0, 0, 8);
  const Fabric f = fabrics_of(s).fabrics[0];
  EXPECT_EQ(f.uplink_rate.value, 800e9);
  EXPECT_EQ(f.tiers[0].count, 8);
  EXPECT_EQ(f.tiers[0].up, 16);
  EXPECT_EQ(f.tiers[1].count, 2);
  EXPECT_EQ(f.leaf_spine_cables, 128);
  EXPECT_EQ(f.oversubscription, 1);
  // Split in two, the halves are full, and uplinks of 400 Gb/s as fast as what comes up to them.
  s.network_spec(0).breakout = known<std::int64_t>(2);
  s.nodes("more", "h[001-128]", -1, 8, 10200, 130);
  s.connect(0, 1, 8);
  EXPECT_EQ(fabrics_of(s).fabrics[0].uplink_rate.value, 400e9);
  // A spine of 400 Gb/s a port is no faster than that.
  SwitchPart slow = s.sn5610;
  slow.port_rate = known(BitsPerSecond(400e9));
  s.network_spec(0).breakout = known<std::int64_t>(1);
  s.network_spec(0).tiers.entries.push_back({"spine", {}, known<std::string>("slow")});
  s.cluster->networks[0].tier_parts = {{"spine", &slow}};
  EXPECT_EQ(fabrics_of(s).fabrics[0].uplink_rate.value, 400e9);
}

// A core that the spec names slows the links below it where there are cores: 256 nodes are 64 leaves, two tiers; 1,024
// are three.
TEST(Fabric, ASlowerCoreSlowsNothingWhereThereIsNone) {
  const auto of = [](const char* nodes) {
    test::Sample s;
    s.nodes("gpu", nodes, -1, 8, 10200, 130);
    s.network("compute", s.sn5610, 400e9, -1);
    s.network_spec(0).topology = known(NetworkTopology::rail_optimised);
    s.network_spec(0).breakout = known<std::int64_t>(1);
    s.connect(0, 0, 8);
    SwitchPart slow = s.sn5610;
    slow.port_rate = known(BitsPerSecond(400e9));
    s.network_spec(0).tiers.entries.push_back({"core", {}, known<std::string>("slow")});
    s.cluster->networks[0].tier_parts = {{"core", &slow}};
    const Fabric f = fabrics_of(s).fabrics[0];
    return std::pair(f.tiers.size(), f.uplink_rate.value);
  };
  EXPECT_EQ(of("g[001-256]"), std::pair(std::size_t{2}, 800e9));
  EXPECT_EQ(of("g[0001-1024]"), std::pair(std::size_t{3}, 400e9));
}

TEST(Fabric, Sixteen384Nodes) {
  test::Sample s;
  s.nodes("gpu", "g[00001-16384]", -1, 8, 10200, 130);
  s.network("compute", s.sn5610, 400e9, -1);
  s.network_spec(0).topology = known(NetworkTopology::rail_optimised);
  s.network_spec(0).breakout = known<std::int64_t>(2);
  s.connect(0, 0, 8);
  const Fabric f = fabrics_of(s).fabrics[0];
  EXPECT_EQ(f.tiers[0].count, 2048);
  EXPECT_EQ(f.tiers[0].down, 64);
  EXPECT_EQ(f.tiers[0].up, 64);
  EXPECT_EQ(f.tiers[1].count, 2048);
  EXPECT_EQ(f.tiers[2].count, 1024);
  EXPECT_EQ(f.leaf_spine_cables, 131072);
  EXPECT_EQ(f.spine_core_cables, 131072);
}

TEST(Fabric, GuestsUseTheHostsSwitches) {
  test::Sample s;
  s.nodes("gpu", "n[1-4]", -1, 2, 2700, 30);
  s.network("lan", s.sn4600c, 100e9, -1);
  s.connect(0, 0, 1);
  NetworkModel& guest = s.network("storage", s.sn4600c, 100e9, -1);
  guest.shares = 0;
  s.connect(1, 0, 1);  // the same port of the server
  NetworkModel& oob = s.network("oob", s.sn4600c, 100e9, -1);
  oob.shares = 0;
  s.connect(2, 0, 1, 0, -1);  // management ports: cables of their own
  const Plan p = fabrics_of(s);
  EXPECT_EQ(p.fabrics[0].node_cables, 8);
  EXPECT_EQ(p.fabrics[1].switch_count(), 0);
  EXPECT_EQ(key(p.leaf_port(1, 0, 2, 0)), key(p.leaf_port(0, 0, 2, 0)));
  EXPECT_EQ(p.leaf_port(2, 0, 0, 0).port, 5);
}

TEST(Fabric, RadixFollowsRateAndBreakout) {
  test::Sample s;
  EXPECT_EQ(switch_radix(s.sn5610, BitsPerSecond(800e9), {}), 64);
  EXPECT_EQ(switch_radix(s.sn5610, BitsPerSecond(400e9), {}), 128);
  EXPECT_EQ(switch_radix(s.sn5610, BitsPerSecond(100e9), {}), 128);                     // split in two at most
  EXPECT_EQ(switch_radix(s.sn5610, BitsPerSecond(400e9), known<std::int64_t>(1)), 64);  // not split by the spec's wish
  EXPECT_EQ(switch_radix(s.sn4600c, BitsPerSecond(25e9), {}), 64);  // the part says nothing of splitting
}

// 40 nodes with four links of 200 Gb/s on 64 ports of 400 Gb/s (fabric_shape_test.cc). InfiniBand splits the ports of
// nodes only; with `uplink_rate: 200 Gb/s` all are split, and 192 links lead up.
TEST(Fabric, OnlyThePortsOfNodesAreSplit) {
  test::Sample s;
  s.nodes("gpu", "n[1-40]", -1, 4, 10200, 130);
  s.network("compute", s.qm9700, 200e9, -1);
  s.connect(0, 0, 4);
  Plan p = fabrics_of(s);
  const Fabric& f = p.fabrics[0];
  ASSERT_EQ(f.tiers.size(), 2u);
  EXPECT_EQ(f.uplink_rate.value, 400e9);
  EXPECT_EQ(f.leaf_spine_cables, 96);
  EXPECT_EQ(f.tiers[0].ports, 128);
  EXPECT_EQ(f.tiers[1].ports, 64);
  EXPECT_DOUBLE_EQ(f.oversubscription, 1);
  EXPECT_EQ(ports_in_use(p, 0).size(), 160u + 2 * 96u);
  // Port 33 of 64 is named by its first half, 65 of 128; the last by 127.
  PortRef upper;
  EXPECT_EQ(p.up_link(0, {0, 0}, 0, &upper).port, 65);
  EXPECT_EQ(p.up_link(0, {0, 0}, 31, &upper).port, 127);
  EXPECT_EQ(upper.port, 16);
  s.network_spec(0).uplink_rate = known(BitsPerSecond(200e9));
  p = fabrics_of(s);
  EXPECT_EQ(p.fabrics[0].leaf_spine_cables, 192);
  EXPECT_EQ(p.fabrics[0].tiers[1].ports, 128);
  EXPECT_EQ(ports_in_use(p, 0).size(), 160u + 2 * 192u);
}

// 16 nodes of 8 rails fit one switch of 128 ports. Four spines are asked for, so units of 8 nodes have leaves: 16 of 8
// down and 8 up (the two stripes of eight leaves and four spines of Juniper's validated design).
TEST(Fabric, SpinesThatAreAskedForTakeLeaves) {
  test::Sample s;
  NodeGroupModel& gpu = s.nodes("gpu", "n[1-16]", -1, 8, 10200, 130);
  s.spec_of(gpu).scalable_unit = known<std::int64_t>(8);
  s.network("compute", s.sn5610, 400e9, -1);
  s.network_spec(0).topology = known(NetworkTopology::rail_optimised);
  s.connect(0, 0, 8);
  EXPECT_EQ(fabrics_of(s).fabrics[0].switch_count(), 1);
  s.network_spec(0).spines = known<std::int64_t>(4);
  const Plan p = fabrics_of(s);
  ASSERT_EQ(p.fabrics[0].tiers.size(), 2u);
  EXPECT_EQ(p.fabrics[0].tiers[0].count, 16);
  EXPECT_EQ(p.fabrics[0].tiers[1].count, 4);
  EXPECT_EQ(p.fabrics[0].links_per_pair, 2);
  // With 32 links to each of four spines a leaf would have 8 + 128 ports, of 128: that is not followed.
  s.network_spec(0).links_per_spine = known<std::int64_t>(32);
  const Plan q = fabrics_of(s);
  EXPECT_EQ(q.fabrics[0].tiers.size(), 2u);
  EXPECT_NE(q.fabrics[0].links_per_pair, 32);
}

TEST(Fabric, NoSwitchesInACloud) {
  test::Sample s;
  s.nodes("gpu", "n[1-4]", -1, 2, 2700, 30);
  s.network("efa", s.sn4600c, 100e9, -1).kind = LinkKind::efa;
  s.connect(0, 0, 4);
  const Plan p = fabrics_of(s);
  EXPECT_TRUE(p.fabrics[0].tiers.empty());
  EXPECT_EQ(p.leaf_of_node(0, 0), -1);
}

// Eight ports dealt over eight planes: 512 nodes are 512 ports in each plane, 16 leaves and 8 spines of 64 ports.
TEST(Fabric, PlanesAreCopiesThatShareNoSwitch) {
  test::Sample s;
  s.nodes("gpu", "n[1-512]", -1, 8, 10200, 130);
  s.network("compute", s.qm9700, 400e9, -1);
  s.network_spec(0).planes = known<std::int64_t>(8);
  s.connect(0, 0, 8);
  const Plan p = fabrics_of(s);
  const Fabric& f = p.fabrics[0];
  ASSERT_EQ(f.tiers.size(), 2u);
  EXPECT_EQ(f.tiers[0].count, 8 * 16);
  EXPECT_EQ(f.tiers[1].count, 8 * 8);
  EXPECT_EQ(f.leaf_spine_cables, 8 * 512);
  EXPECT_EQ(ports_in_use(p, 0).size(), 4096u + 2 * 4096u);
  for (std::int64_t k = 0; k < 8; ++k) {
    const PortRef r = p.leaf_port(0, 0, 40, k);  // member 40 is the ninth on the second leaf of every plane
    EXPECT_EQ(p.switch_name(0, r.sw), "leaf/compute/plane" + std::to_string(k + 1) + "/02");
    EXPECT_EQ(r.port, 9);
    PortRef upper;
    p.up_link(0, r.sw, 31, &upper);  // 32 uplinks to 8 spines, four to each: the last goes to spine 8
    EXPECT_EQ(p.switch_name(0, upper.sw), "spine/compute/plane" + std::to_string(k + 1) + "/08");
    EXPECT_EQ(upper.port, 8);  // second leaf, fourth of its links
  }
}

// Eight adapters with a port to each of two planes are eight rails in both, written or left out; 32 nodes on the 32
// ports down of a leaf. With one port each, dealt over the planes, four links of a node meet a plane: four rails,
// however many are written.
TEST(Fabric, RailsOfPlanes) {
  struct Case {
    std::int64_t ports, rails, expected;
  };
  for (const Case& one :
       {Case{16, 0, 8}, Case{16, 8, 8}, Case{16, 16, 8}, Case{16, 4, 4}, Case{8, 8, 4}, Case{8, 0, 4}}) {
    test::Sample s;
    s.nodes("gpu", "n[1-128]", -1, 8, 10200, 130);
    s.network("compute", s.qm9700, 400e9, -1);
    s.network_spec(0).topology = known(NetworkTopology::rail_optimised);
    s.network_spec(0).planes = known<std::int64_t>(2);
    if (one.rails) s.network_spec(0).rails = known(one.rails);
    s.connect(0, 0, one.ports);
    const Plan p = fabrics_of(s);
    EXPECT_EQ(p.fabrics[0].rails, one.expected) << one.ports << " ports, rails " << one.rails;
    // Ports of node 1 in the first plane: one on each rail, and the rails once more where there are more ports than
    // rails.
    for (std::int64_t k = 0; k < one.ports / 2; ++k) EXPECT_EQ(p.leaf_port(0, 0, 0, 2 * k).sw.index, k % one.expected);
  }
}

// 61 servers with two links of 25 Gb/s to pairs of 48 x 25 Gb/s + 8 x 100 Gb/s, at 3:1: four leaves of 31 down and 4 up
// at 100 Gb/s, on two spines that the spec asks for.
TEST(Fabric, SpinesOnUplinkPorts) {
  test::Sample s;
  SwitchPart leaf = s.sn2201, spine = s.sn4600c;
  leaf.port_rate = known(BitsPerSecond(25e9));
  leaf.uplinks = known<std::int64_t>(8);
  s.nodes("ceph", "c[01-61]", -1, 2, 600, 40);
  s.network("ceph", leaf, 25e9, -1);
  s.network_spec(0).bond = known<std::int64_t>(2);
  s.network_spec(0).oversubscription = known(3.0);
  s.network_spec(0).spines = known<std::int64_t>(2);
  s.network_spec(0).tiers.entries.push_back({"spine", {}, known<std::string>("sn4600c")});
  s.cluster->networks[0].tier_parts = {{"spine", &spine}};
  s.connect(0, 0, 2);
  Plan p = fabrics_of(s);
  const Fabric& f = p.fabrics[0];
  ASSERT_EQ(f.tiers.size(), 2u);
  EXPECT_EQ(f.tiers[0].count, 4);
  EXPECT_EQ(f.tiers[0].up, 4);
  EXPECT_EQ(f.tiers[1].count, 2);
  EXPECT_EQ(f.tiers[1].model, "sn4600c");
  EXPECT_EQ(f.uplink_rate.value, 100e9);
  EXPECT_EQ(f.leaf_spine_cables, 16);
  EXPECT_EQ(ports_in_use(p, 0).size(), 122u + 2 * 16u);
  PortRef upper;
  EXPECT_EQ(p.up_link(0, {0, 3}, 2, &upper).port, 51);  // counted on after 48
  EXPECT_EQ(p.switch_name(0, upper.sw), "spine/ceph/02");
  EXPECT_EQ(p.switch_name(0, {0, 3}), "leaf/ceph/u2/b");
  // Without the spine's name there is none: a switch of the leaf's kind has eight ports of 100 Gb/s.
  s.cluster->networks[0].tier_parts.clear();
  s.network_spec(0).spines = {};
  p = fabrics_of(s);
  EXPECT_EQ(p.fabrics[0].tiers.size(), 1u);
}

// 144 nodes with four links in units of 18: 32 leaves, of which the last unit's first two have a fabric manager on the
// port after its nodes. Nobody's place is lost.
TEST(Fabric, FabricManagersBesideAUnit) {
  test::Sample s;
  s.nodes("gpu", "g[001-144]", -1, 1, 10200, 30);
  s.nodes("ufm", "u[1-2]", -1, 1, 500, 15);
  s.spec_of(s.cluster->nodes[0]).scalable_unit = known<std::int64_t>(18);
  s.spec_of(s.cluster->nodes[1]).roles = {known(Role::fabric_manager)};
  s.network("compute", s.qm9700, 400e9, -1);
  s.network_spec(0).topology = known(NetworkTopology::rail_optimised);
  s.connect(0, 0, 4);
  s.connect(0, 1, 1);
  const Plan p = fabrics_of(s);
  const Fabric& f = p.fabrics[0];
  EXPECT_EQ(f.tiers[0].count, 32);
  EXPECT_EQ(f.tiers[1].count, 9);
  EXPECT_EQ(f.oversubscription, 1);
  EXPECT_EQ(f.blocks[0].room, 144);
  for (int i = 0; i < 2; ++i) {
    const PortRef port = p.leaf_port(0, 1, i, 0);
    EXPECT_EQ(p.switch_name(0, port.sw), "leaf/compute/u8/r" + std::to_string(i + 1));
    EXPECT_EQ(port.port, 19);
  }
  EXPECT_EQ(ports_in_use(p, 0).size(), 144 * 4 + 2 + 2 * 576u);
}

// The published DGX A100 SuperPOD of 140 nodes: each rail is a pod of its own, and only its leaves meet on its spines.
TEST(Fabric, PodsOfRails) {
  test::Sample s;
  s.qm9700.ports = known<std::int64_t>(40);
  s.qm9700.port_rate = known(BitsPerSecond(200e9));
  s.nodes("gpu", "g[001-140]", -1, 8, 10200, 130);
  s.spec_of(s.cluster->nodes[0]).scalable_unit = known<std::int64_t>(20);
  s.network("compute", s.qm9700, 200e9, -1);
  s.network_spec(0).topology = known(NetworkTopology::rail_optimised);
  s.network_spec(0).pods = known(PodsOf::rails);
  s.connect(0, 0, 8);
  const Plan p = fabrics_of(s);
  const Fabric& f = p.fabrics[0];
  ASSERT_EQ(f.tiers.size(), 3u);
  EXPECT_EQ(f.tiers[0].count, 56);
  EXPECT_EQ(f.tiers[1].count, 80);
  EXPECT_EQ(f.tiers[2].count, 28);
  EXPECT_EQ(ports_in_use(p, 0).size(), 1120u * 5);
  for (std::int64_t node = 0; node < 140; ++node)
    for (std::int64_t rail = 0; rail < 8; ++rail) {
      const PortRef port = p.leaf_port(0, 0, node, rail);
      EXPECT_EQ(p.switch_name(0, port.sw),
                "leaf/compute/u" + std::to_string(node / 20 + 1) + "/r" + std::to_string(rail + 1));
      PortRef upper;
      p.up_link(0, port.sw, 0, &upper);
      EXPECT_EQ(upper.sw.index / f.spines_per_pod, rail);
    }
}

// 64 nodes at 1:1 and 48 login nodes at 4:1 on a leaf of their own (fabric_shape_test.cc).
TEST(Fabric, LeavesOfTheirOwn) {
  test::Sample s;
  s.nodes("gpu", "g[01-64]", -1, 1, 2000, 30);
  s.nodes("login", "l[01-48]", -1, 1, 500, 15);
  s.network("lan", s.sn4600c, 100e9, -1);
  OwnLeaves own;
  own.connects = {known<std::string>("login")};
  own.oversubscription = known(4.0);
  s.network_spec(0).leaves.entries.push_back({"service", {}, own});
  s.connect(0, 0, 1);
  s.connect(0, 1, 1);
  s.cluster->networks[0].ends[1].leaves = 0;
  const Plan p = fabrics_of(s);
  const Fabric& f = p.fabrics[0];
  ASSERT_EQ(f.tiers.size(), 2u);
  EXPECT_EQ(f.tiers[0].count, 3);
  EXPECT_EQ(f.tiers[1].count, 2);
  EXPECT_EQ(f.tiers[1].down, 2 * 16 + 6);
  EXPECT_EQ(f.oversubscription, 1);
  EXPECT_EQ(f.leaf_groups[0].oversubscription, 4);
  EXPECT_EQ(f.leaf_spine_cables, 64 + 12);
  EXPECT_EQ(ports_in_use(p, 0).size(), 112u + 2 * 76u);
  EXPECT_EQ(p.switch_name(0, p.leaf_port(0, 1, 47, 0).sw), "leaf/lan/service/01");
  EXPECT_EQ(p.switch_name(0, p.leaf_port(0, 0, 63, 0).sw), "leaf/lan/02");
  // What no spine joins to others is one kind of leaf.
  s.network_spec(0).topology = known(NetworkTopology::single);
  EXPECT_TRUE(fabrics_of(s).fabrics[0].leaf_groups.empty());
  EXPECT_EQ(fabrics_of(s).fabrics[0].blocks[1].leaves, -1);
}

}  // namespace
}  // namespace clusterc
