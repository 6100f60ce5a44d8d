// Switch counts against published fabric tables. Sources: NVIDIA DGX SuperPOD reference architecture with DGX H100,
// RA-11333-001 V11 (2023-09-22), tables 3 and 4; the same with DGX B200, RA-11334-001; Asterfusion "Middle-to-Large
// Scale AI Compute Backend Fabric Configuration Guide". The others are worked out by hand beside the test.
#include "plan/fabric/fabric_shape.h"

#include <gtest/gtest.h>

namespace clusterc {
namespace {

FabricDemand superpod(std::int64_t present, std::int64_t built, std::int64_t extra) {
  return {.slots_present = present,
          .slots_built = built,
          .extra_ports = extra,
          .rails = 8,
          .unit_slots = 32,
          .radix = 64,
          .may_be_single = false};
}

// 20 slots on each of 8 rails need 20 ports up. 3 spines take 7 each (8 x 7 = 56 of 64 ports); with two ports to a cage
// 8 each: 20 + 24 of 64 ports of a leaf, 8 x 8 = 64 of a spine. One link stays one: 4 spines with 60 down, 4 up have no
// cage to fill.
TEST(FabricShape, WholeCagesToEachSpine) {
  FabricDemand d{.slots_present = 20, .slots_built = 20, .rails = 8, .radix = 64, .may_be_single = false};
  EXPECT_EQ(fabric_shape(d).links, 7);
  d.cage = 2;
  const FabricShape s = fabric_shape(d);
  EXPECT_EQ(s.spines(), 3);
  EXPECT_EQ(s.links, 8);
  EXPECT_EQ(s.up, 24);
  EXPECT_EQ(s.leaves, 8);
  // Where the eighth has no port on the spine, 7 it is: 9 leaves x 8 = 72 of 64.
  d.rails = 9;
  EXPECT_EQ(fabric_shape(d).links, 7);
}

// 64 leaves of a 64-port spine are 8 units of 8 rails: 8 x 32 slots, 8 x 30 in units of 30; spines of 40 ports under
// leaves of 128: 40 x 64; at 3:1 a leaf of 64 turns 48 down.
TEST(FabricShape, WhatTwoTiersReach) {
  EXPECT_EQ(two_tier_slots({.rails = 8, .radix = 64}), 256);
  EXPECT_EQ(two_tier_slots({.rails = 8, .unit_slots = 30, .radix = 64}), 240);
  EXPECT_EQ(two_tier_slots({.radix = 128, .spine_radix = 40}), 2560);
  EXPECT_EQ(two_tier_slots({.radix = 64, .oversubscription = 3}), 3072);
  // What is reached takes two tiers, one slot more takes three.
  EXPECT_EQ(fabric_shape({.slots_present = 240, .slots_built = 240, .rails = 8, .unit_slots = 30, .radix = 64}).tiers,
            2);
  EXPECT_EQ(fabric_shape({.slots_present = 241, .slots_built = 241, .rails = 8, .unit_slots = 30, .radix = 64}).tiers,
            3);
}

// 162 ports at 2:1 on 128 ports, two to a cage. The widest leaf is 85 + 43 = 128, whose port 85 shares a cage with the
// first uplink, port 86; 84 + 42 = 126 carry 2 x 84 = 168 at exactly 2:1 with the same three switches, 42 links (21
// cages) from each leaf to the one spine.
TEST(FabricShape, NoCageWithPortsDownAndUp) {
  FabricDemand d{.slots_present = 162, .slots_built = 162, .radix = 128, .oversubscription = 2};
  EXPECT_EQ(fabric_shape(d).down, 85);
  EXPECT_EQ(fabric_shape(d).up, 43);
  d.cage = 2;
  const FabricShape s = fabric_shape(d);
  EXPECT_EQ(s.down, 84);
  EXPECT_EQ(s.up, 42);
  EXPECT_EQ(s.switches(), 3);
  // 169 and 170 ports fit two leaves of 85 only: no third switch more for whole cages.
  d.slots_present = d.slots_built = 170;
  EXPECT_EQ(fabric_shape(d).down, 85);
  EXPECT_EQ(fabric_shape(d).switches(), 3);
}

// 8 rails of 64 slots on 144 ports that cannot be split: 64 links up from each of 8 leaves are 512, four spines; at
// twice the rate 32, and 256 are two spines.
TEST(FabricShape, FasterUplinksAreFewer) {
  FabricDemand d{.slots_present = 64, .slots_built = 64, .rails = 8, .radix = 144, .may_be_single = false};
  EXPECT_EQ(fabric_shape(d).spines(), 4);
  EXPECT_EQ(fabric_shape(d).up, 64);
  d.uplink_speed = 2;
  FabricShape s = fabric_shape(d);
  EXPECT_EQ(s.leaves, 8);
  EXPECT_EQ(s.spines(), 2);
  EXPECT_EQ(s.up, 32);
  // 36 ports down at 3:1 and four times the rate need 3 up: 36 + 3 of 40. With two ports to a cage that run at one rate
  // 37 down would take 38 and 4 up, 42.
  d = {.slots_present = 72, .slots_built = 72, .radix = 40, .uplink_speed = 4, .oversubscription = 3, .cage = 2};
  s = fabric_shape(d);
  EXPECT_EQ(s.leaves, 2);
  EXPECT_EQ(s.down, 36);
  EXPECT_EQ(s.up, 4);  // 3 are rounded up to two cages
}

// 40 nodes with four links of 200 Gb/s on 64 ports of 400 Gb/s, two ports to a cage. Only ports for nodes are split:
// 64 down are 32 ports, the other 32 lead up at 400 Gb/s. 160 ports are three leaves with 96 links, on two spines.
TEST(FabricShape, WholePortsUpBesideSplitOnes) {
  FabricDemand d{.slots_present = 160,
                 .slots_built = 160,
                 .radix = 128,
                 .spine_radix = 64,
                 .uplink_speed = 2,
                 .cage = 4,
                 .uplink_ports = 2};
  const FabricShape s = fabric_shape(d);
  EXPECT_EQ(s.down, 64);
  EXPECT_EQ(s.leaves, 3);
  EXPECT_EQ(s.leaves * s.up, 96);
  EXPECT_EQ(s.spines(), 2);
  EXPECT_EQ(s.links, 16);
}

// DGX A100, one unit of 20 nodes on 40 ports: four spines have 8 x 5 = 40 links. The published design has five, with
// 8 x 4 = 32. Three would take 7 links each, and 20 + 21 ports of a leaf.
TEST(FabricShape, AsManySpinesAsTheSpecAsks) {
  FabricDemand d{
      .slots_present = 20, .slots_built = 20, .rails = 8, .unit_slots = 20, .radix = 40, .may_be_single = false};
  EXPECT_EQ(fabric_shape(d).spines(), 4);
  d.spines = 5;
  EXPECT_EQ(fabric_shape(d).spines(), 5);
  EXPECT_EQ(fabric_shape(d).links, 4);
  EXPECT_EQ(fabric_shape(d).up, 20);
  d.spines = 3;
  EXPECT_EQ(fabric_shape(d).tiers, 0);
  d.spines = 0;
  d.links = 2;
  EXPECT_EQ(fabric_shape(d).spines(), 10);
  d.spines = 5;  // both: half of the links that 1:1 takes
  EXPECT_EQ(fabric_shape(d).up, 10);
}

// 20 slots on each of 8 rails, 64 ports: three spines have 8 x 7 = 56 links. Half of their ports are 32, four from each
// leaf: five spines.
TEST(FabricShape, HalfOfASpineIsFreeForCores) {
  FabricDemand d{.slots_present = 20, .slots_built = 20, .rails = 8, .radix = 64, .may_be_single = false};
  EXPECT_EQ(fabric_shape(d).spines(), 3);
  d.room_above = true;
  const FabricShape s = fabric_shape(d);
  EXPECT_EQ(s.tiers, 2);
  EXPECT_EQ(s.spines(), 5);
  EXPECT_EQ(s.leaves * s.links, 32);
}

// 640 nodes of 8 rails in units of 32 on 64 ports, two links down for each one up to the cores: 40 leaves and 20 links
// up are 60 ports of a spine. Four pods of 40 leaves and 32 spines; 128 x 20 links are 40 cores.
TEST(FabricShape, FewerLinksToCores) {
  FabricDemand d{.slots_present = 640, .slots_built = 640, .rails = 8, .unit_slots = 32, .radix = 64};
  d.core_oversubscription = 2;
  const FabricShape s = fabric_shape(d);
  EXPECT_EQ(s.tiers, 3);
  EXPECT_EQ(s.leaves, 160);
  EXPECT_EQ(s.pods, 4);
  EXPECT_EQ(s.spines(), 128);
  EXPECT_EQ(s.core_links * s.cores_per_group, 20);
  EXPECT_EQ(s.cores(), 40);
}

// DGX A100 with 40 ports, 20 nodes a unit: 140 nodes are 56 leaves and, two links to each, 10 spines in each of 7 pods,
// 16 links down and 16 up. A core of 40 ports takes 5 links from each pod: five from one spine are 4 cores for each of
// 10 places; one from each of five spines are 16 for each of two groups.
TEST(FabricShape, SeveralSpinesOfAPodOnOneGroupOfCores) {
  const FabricShape s =
      fabric_shape({.slots_present = 140, .slots_built = 140, .rails = 8, .unit_slots = 20, .radix = 40});
  EXPECT_EQ(s.leaves, 56);
  EXPECT_EQ(s.spines(), 70);
  EXPECT_EQ(s.spines_per_group, 5);
  EXPECT_EQ(s.core_links, 1);
  EXPECT_EQ(s.cores(), 32);
}

// 640 nodes of 8 rails in units of 32 on 64 ports: 5 pods of 32 leaves and 32 spines with 32 links up. Four links from
// each of three places in five pods are 60 of a core's ports: 11 groups of 8 cores, the last one of two places. Even
// groups would be of two places with 40 ports in use: 16 x 8 = 128, as a group for each place is.
TEST(FabricShape, GroupsOfCoresMayBeUneven) {
  FabricDemand d{.slots_present = 640, .slots_built = 640, .rails = 8, .unit_slots = 32, .radix = 64};
  const FabricShape s = fabric_shape(d);
  EXPECT_EQ(s.leaves, 160);
  EXPECT_EQ(s.pods, 5);
  EXPECT_EQ(s.spines_per_group, 3);
  EXPECT_EQ(s.cores(), 88);
  d.even_groups = true;
  EXPECT_EQ(fabric_shape(d).cores(), 128);
}

// 128 ports at 1.1:1 on 64 ports, two to a cage, four leaves and two spines. 33 down need 30 up, 15 to each spine; a
// sixteenth has no port (33 + 32 = 65). 32 down need 30 as well and have room for 16 to each: eight cages, 4 x 16 = 64
// ports of a spine.
TEST(FabricShape, NoCageWithLinksToTwoSpines) {
  FabricDemand d{.slots_present = 128, .slots_built = 128, .radix = 64, .oversubscription = 1.1};
  EXPECT_EQ(fabric_shape(d).down, 33);
  EXPECT_EQ(fabric_shape(d).links, 15);
  d.cage = 2;
  const FabricShape s = fabric_shape(d);
  EXPECT_EQ(s.leaves, 4);
  EXPECT_EQ(s.spines(), 2);
  EXPECT_EQ(s.down, 32);
  EXPECT_EQ(s.links, 16);
}

struct Row {
  std::int64_t units, present, leaves, spines, cores;
};

TEST(FabricShape, SuperpodTable4WithFabricManagers) {
  for (const Row r : {Row{1, 31, 8, 4, 0}, Row{2, 63, 16, 8, 0}, Row{3, 95, 24, 16, 0}, Row{4, 127, 32, 16, 0}}) {
    const FabricShape s = fabric_shape(superpod(r.present, 32 * r.units, 4));
    EXPECT_EQ(s.tiers, 2);
    EXPECT_EQ(s.leaves, r.leaves);
    EXPECT_EQ(s.spines(), r.spines) << r.units << " units";
    EXPECT_EQ(s.leaves * s.up, 256 * r.units);  // leaf-spine cables of the table
    EXPECT_EQ(s.up, s.links * s.spines_per_pod);
  }
}

// Everybody who is built for keeps a place beside the single ports; only units that are built for to the last node take
// them in, while that node is not there.
TEST(FabricShape, SinglePortsStandBesideAllThatIsBuiltFor) {
  EXPECT_EQ(slots_needed(superpod(127, 128, 4)), 128);
  EXPECT_EQ(slots_needed(superpod(1, 128, 4)), 128);
  EXPECT_EQ(slots_needed(superpod(128, 128, 4)), 129);  // the 128th node is there
  EXPECT_EQ(slots_needed(superpod(127, 128, 9)), 130);  // nine ports on eight rails are two slots
  EXPECT_EQ(slots_needed(superpod(126, 128, 9)), 128);
  EXPECT_EQ(slots_needed(superpod(100, 127, 4)), 128);  // 127 are no whole units
  EXPECT_EQ(slots_needed({.slots_present = 20, .slots_built = 32, .extra_ports = 4, .rails = 8, .radix = 64}), 33);
  // Growth up to the size built for changes no shape.
  for (std::int64_t built = 2; built <= 300; built += 7)
    for (std::int64_t extra : {0, 1, 4}) {
      const FabricDemand all{
          .slots_present = built, .slots_built = built, .extra_ports = extra, .rails = 8, .radix = 64};
      for (std::int64_t present = 1; present < built; present += 1 + built / 5) {
        FabricDemand some = all;
        some.slots_present = present;
        EXPECT_EQ(fabric_shape(some).switches(), fabric_shape(all).switches()) << present << " of " << built;
        EXPECT_EQ(fabric_shape(some).down, fabric_shape(all).down);
      }
    }
}

TEST(FabricShape, SuperpodTable3AndB200) {
  for (const Row r : {Row{2, 64, 16, 8, 0}, Row{4, 128, 32, 16, 0}, Row{8, 256, 64, 32, 0}, Row{16, 512, 128, 128, 64},
                      Row{32, 1024, 256, 256, 128}, Row{64, 2048, 512, 512, 256}}) {
    const FabricShape s = fabric_shape(superpod(r.present, r.present, 0));
    EXPECT_EQ(s.leaves, r.leaves) << r.units << " units";
    EXPECT_EQ(s.spines(), r.spines) << r.units << " units";
    EXPECT_EQ(s.cores(), r.cores) << r.units << " units";
    EXPECT_EQ(s.leaves * s.up, r.present * 8);
    EXPECT_EQ(s.spines() * s.core_links * s.cores_per_group,
              r.cores ? r.present * 8 : 0);  // spine-core cables of the table
  }
}

TEST(FabricShape, TwoTiersEndAtHalfTheSquareOfTheRadix) {
  EXPECT_EQ(fabric_shape({.slots_present = 2048, .slots_built = 2048, .radix = 64}).tiers, 2);  // 64 x 64 / 2
  EXPECT_EQ(fabric_shape({.slots_present = 2049, .slots_built = 2049, .radix = 64}).tiers, 3);
}

TEST(FabricShape, ThreeTiersEndAtAQuarterOfTheCube) {
  EXPECT_EQ(fabric_shape({.slots_present = 16, .slots_built = 16, .radix = 4}).tiers, 3);  // 4^3 / 4
  EXPECT_EQ(fabric_shape({.slots_present = 17, .slots_built = 17, .radix = 4}).tiers, 0);
  EXPECT_EQ(three_tier_limit({.radix = 128}), 524288);
  EXPECT_EQ(three_tier_limit({.radix = 64, .spine_radix = 144, .core_radix = 144}), 32 * 72 * 144);
  EXPECT_EQ(three_tier_limit({.radix = 64, .uplink_speed = 2}), 42 * 32 * 64);  // 42 down, 21 up of twice the rate
}

// 64 nodes of 4 GPUs on 64 ports of 800 Gb/s used as 128 of 400: 4 leaves, 2 spines, 256 links.
TEST(FabricShape, RoceRailsOfAPublishedGuide) {
  const FabricShape s =
      fabric_shape({.slots_present = 64, .slots_built = 64, .rails = 4, .radix = 128, .may_be_single = false});
  EXPECT_EQ(s.leaves, 4);
  EXPECT_EQ(s.spines(), 2);
  EXPECT_EQ(s.leaves * s.up, 256);
}

// One QM9700 takes 8 nodes of 8 ports of 400 Gb/s (DGX BasePOD reference architecture V5).
TEST(FabricShape, BasepodIsOneSwitch) {
  EXPECT_EQ(fabric_shape({.slots_present = 64, .slots_built = 64, .radix = 64}).switches(), 1);
  EXPECT_EQ(fabric_shape({.slots_present = 65, .slots_built = 65, .radix = 64}).tiers, 2);
}

TEST(FabricShape, Sixteen384NodesOn128Ports) {
  const FabricShape s = fabric_shape({.slots_present = 16384, .slots_built = 16384, .rails = 8, .radix = 128});
  EXPECT_EQ(s.down, 64);
  EXPECT_EQ(s.up, 64);
  EXPECT_EQ(s.leaves, 2048);    // 131,072 ports / 64
  EXPECT_EQ(s.spines(), 2048);  // as many ports down as leaves have up, half of each spine
  EXPECT_EQ(s.cores(), 1024);   // 131,072 links / 128 ports
}

// 318 ports, 4:3 on 64 ports: 36 down, 28 up (36/28 = 1.29); 9 leaves, 252 uplinks; 4 spines with 7 links from each
// leaf: 63 ports.
TEST(FabricShape, StorageFabricOfFourToThree) {
  const FabricShape s =
      fabric_shape({.slots_present = 318, .slots_built = 318, .radix = 64, .oversubscription = 4.0 / 3});
  EXPECT_EQ(s.leaves, 9);
  EXPECT_EQ(s.spines(), 4);
  EXPECT_EQ(s.links, 7);
  EXPECT_LE(s.down * 3, s.up * 4);
}

// 144 trays of 4 rails on 64 ports need 5 units. Units of 32 need 16 spines (two links: 20 x 2 = 40 ports; three would
// be 33 up). Units of 29: 30 up = 3 links to 10 spines, 59 ports of a leaf, 60 of a spine.
TEST(FabricShape, NarrowerUnitsWhereTheySaveSpines) {
  const FabricShape s = fabric_shape({.slots_present = 144, .slots_built = 144, .rails = 4, .radix = 64});
  EXPECT_EQ(s.units, 5);
  EXPECT_EQ(s.leaves, 20);
  EXPECT_LE(s.spines(), 10);
  EXPECT_GE(s.up, s.down);
}

// Whatever comes out keeps its own rules.
TEST(FabricShape, EveryShapeHoldsItsEquations) {
  for (std::int64_t radix : {8, 32, 36, 48, 64, 128})
    for (std::int64_t rails : {1, 2, 4, 8})
      for (double o : {1.0, 4.0 / 3, 2.0, 3.0})
        for (std::int64_t n = 1; n < 3000; n = n * 3 / 2 + 1) {
          const FabricDemand d{.slots_present = n,
                               .slots_built = n + n / 10,
                               .extra_ports = n % 5,
                               .rails = rails,
                               .radix = radix,
                               .oversubscription = o};
          const FabricShape s = fabric_shape(d);
          if (s.tiers == 0) {
            EXPECT_GT(d.slots_built * rails * 4, radix * radix * radix / 4 / 3) << radix << ' ' << rails << ' ' << n;
            continue;
          }
          EXPECT_GE(s.units * s.down, slots_needed(d));
          EXPECT_EQ(s.leaves, s.units * rails);
          EXPECT_LE(s.down + s.up, radix);
          if (s.tiers == 1) continue;
          EXPECT_LE(static_cast<double>(s.down), static_cast<double>(s.up) * o + 1e-6);
          EXPECT_EQ(s.up, s.links * s.spines_per_pod);
          EXPECT_LE(s.units_per_pod * rails * s.links + s.core_links * s.cores_per_group, radix);
          EXPECT_LE(s.pods * s.core_links, radix);
          if (s.tiers == 3) {
            EXPECT_GE(s.core_links * s.cores_per_group, s.units_per_pod * rails * s.links);
          }
        }
}

// 64 nodes of 8 rails on leaves of 64 ports: 16 leaves with 32 uplinks. Spines of 144 ports: 4, with 8 links from each
// leaf, 128 of 144. Of 64 ports: 8.
TEST(FabricShape, SpinesOfOtherSwitches) {
  FabricDemand d{
      .slots_present = 64, .slots_built = 64, .rails = 8, .radix = 64, .spine_radix = 144, .may_be_single = false};
  FabricShape s = fabric_shape(d);
  EXPECT_EQ(s.leaves, 16);
  EXPECT_EQ(s.spines(), 4);
  EXPECT_EQ(s.links, 8);
  d.spine_radix = 0;
  EXPECT_EQ(fabric_shape(d).spines(), 8);
  // Smaller spines under leaves of 144 ports, 72 down and 72 up: 8 leaves; 64 / 8 links from each leaf, so 9 spines.
  d = {.slots_present = 72, .slots_built = 72, .rails = 8, .radix = 144, .spine_radix = 64, .may_be_single = false};
  s = fabric_shape(d);
  EXPECT_EQ(s.leaves, 8);
  EXPECT_EQ(s.spines(), 9);
  EXPECT_EQ(s.links, 8);
  // 300 nodes: 2,400 ports are beyond two tiers of 64, and within 144 x 32. 10 units of 30 to 32 are 80 leaves; 80 x 2
  // links are beyond 144, so 30 spines with one.
  d = {.slots_present = 300,
       .slots_built = 300,
       .rails = 8,
       .radix = 64,
       .spine_radix = 144,
       .core_radix = 144,
       .may_be_single = false};
  s = fabric_shape(d);
  EXPECT_EQ(s.tiers, 2);
  EXPECT_EQ(s.switches(), 110);
}

// 48 x 25 Gb/s and 8 x 100 Gb/s, spines of 32 x 100 Gb/s. At 1:1 eight uplinks carry 32 ports: 192 are six leaves with
// 48 links, two spines. At 1.5:1 they carry all 48 (48 x 25 = 1.5 x 8 x 100): four leaves, 32 links, one spine. At 3:1
// four of the eight do.
TEST(FabricShape, UplinkPortsOfTheirOwn) {
  FabricDemand d{.slots_present = 192,
                 .slots_built = 192,
                 .radix = 48,
                 .spine_radix = 32,
                 .uplink_speed = 4,
                 .own_uplinks = 8,
                 .may_be_single = false};
  FabricShape s = fabric_shape(d);
  EXPECT_EQ(s.leaves, 6);
  EXPECT_EQ(s.down, 32);
  EXPECT_EQ(s.up, 8);
  EXPECT_EQ(s.spines(), 2);
  d.oversubscription = 1.5;
  s = fabric_shape(d);
  EXPECT_EQ(s.leaves, 4);
  EXPECT_EQ(s.down, 48);
  EXPECT_EQ(s.up, 8);
  EXPECT_EQ(s.spines(), 1);
  d.oversubscription = 3;
  EXPECT_EQ(fabric_shape(d).up, 4);
  // Three spines share no eight ports evenly: two links to each are six, which carry 36 at 1.5:1.
  d.oversubscription = 1.5;
  d.spines = 3;
  s = fabric_shape(d);
  EXPECT_EQ(s.down, 36);
  EXPECT_EQ(s.up, 6);
}

// One scalable unit of GB200: 8 racks of 18 nodes on four rails, leaves of 64 ports: 32 leaves, 18 links up, nine
// spines (the published counts). Two fabric managers take ports that are free on every leaf. Two ports that need
// bandwidth make it 19 links: ten spines with two each.
TEST(FabricShape, SinglePortsBesideAUnit) {
  FabricDemand d{.slots_present = 144,
                 .slots_built = 144,
                 .extra_ports = 2,
                 .rails = 4,
                 .unit_slots = 18,
                 .radix = 64,
                 .may_be_single = false};
  FabricShape s = fabric_shape(d);
  EXPECT_EQ(s.leaves, 32);
  EXPECT_EQ(s.spines(), 9);
  EXPECT_EQ(s.down, 18);
  EXPECT_TRUE(s.single_beside);
  d.extra_busy = 2;
  s = fabric_shape(d);
  EXPECT_EQ(s.leaves, 32);
  EXPECT_EQ(s.spines(), 10);
  EXPECT_EQ(s.up, 20);
  // Leaves that are full have no port beside the unit: 32 + 32 of 64.
  s = fabric_shape(superpod(128, 128, 4));
  EXPECT_EQ(s.leaves, 40);
  EXPECT_FALSE(s.single_beside);
}

// DGX A100 SuperPOD of 140 nodes (NVIDIA, DGX SuperPOD reference architecture, RA-09950): 56 leaves, 80 spines, 28
// cores of 40 ports. A pod has the seven leaves of one rail, and ten spines with two links from each.
TEST(FabricShape, PodsOfRails) {
  const FabricShape s = fabric_shape({.slots_present = 140,
                                      .slots_built = 140,
                                      .rails = 8,
                                      .unit_slots = 20,
                                      .radix = 40,
                                      .may_be_single = false,
                                      .rail_pods = true,
                                      .even_groups = true});
  EXPECT_EQ(s.tiers, 3);
  EXPECT_EQ(s.leaves, 56);
  EXPECT_EQ(s.pods, 8);
  EXPECT_EQ(s.leaves_per_pod(8), 7);
  EXPECT_EQ(s.spines(), 80);
  EXPECT_EQ(s.cores(), 28);
  EXPECT_EQ(s.links, 2);
}

// 64 ports at 1:1 are two leaves of 32 + 32; 48 others at 4:1 are one leaf of 48 + 12. One spine of 64 ports would need
// 64 + 12; two have 16 links from each of the two, and six from the other.
TEST(FabricShape, LeavesOfTheirOwn) {
  const FabricShape s = fabric_shape({.slots_present = 64,
                                      .slots_built = 64,
                                      .radix = 64,
                                      .may_be_single = false,
                                      .own_leaves = {{.slots = 48, .oversubscription = 4}}});
  EXPECT_EQ(s.tiers, 2);
  EXPECT_EQ(s.leaves, 2);
  EXPECT_EQ(s.spines(), 2);
  EXPECT_EQ(s.links, 16);
  ASSERT_EQ(s.own_leaves.size(), 1u);
  EXPECT_EQ(s.own_leaves[0].leaves, 1);
  EXPECT_EQ(s.own_leaves[0].down, 48);
  EXPECT_EQ(s.own_leaves[0].links, 6);
  EXPECT_EQ(s.switches(), 5);
}

}  // namespace
}  // namespace clusterc
