// How many switches a fabric takes: the arithmetic alone, without names, nodes or cables.
//
// A leaf of radix N turns D ports down and u ports up, D/u <= o (the oversubscription). R leaves form a unit: a member
// of the unit has its port k on leaf k mod R (R is the number of rails, of a bond's links, or 1). What a member takes
// on each leaf are its slots.
//   one tier    everything fits one unit that needs no uplinks
//   two tiers   each leaf has m links to each of S spines: u = m S, L m <= Ns for L leaves; Ns: ports of a spine
//   three tiers q units are a pod of Lp = q R leaves and Sp spines, wired as two tiers; a spine has as many ports up as
//   down: Lp m <= Ns/2.
//               g spines of every pod go, with c links to each, to the C switches of a core group: C c >= Lp m, pods g
//               c <= Nc, the ports of a core. g is 1 (spine i of every pod goes to core group i) unless more on a group
//               takes fewer cores: 70 spines with 16 links up in 7 pods are 40 cores of 40 ports where each place in
//               the pods has its own (c = 5), and 32 where five places share a group (c = 1). The last group may be of
//               fewer spines, but not on InfiniBand: the fat-tree engine of OpenSM 3.3.23 wants as many neighbours
//               below each core ("Different number of downward port groups on switches") and routes nothing
// Ports of leaves are counted at the rate of what is plugged into them from below. Uplinks may be faster, by the factor
// r: where 400 Gb/s end on ports of 800 that cannot be split, u >= D / (o r). Then no cage has ports down and ports up.
// Where only the ports for ends are split, a link up takes the p ports that one port would be split into: D + p u <= N.
// A leaf may have U ports that only links up take (48 x 25 Gb/s + 8 x 100 Gb/s): then D <= N and u <= U.
// Some members may have leaves of their own, with an oversubscription of their own (storage at 4:1 beside nodes at
// 1:1). In two tiers these have m' links to each of the same S spines: L m + L' m' <= Ns. Three tiers have none. Pods
// may have the leaves of one rail each, in place of those of some units: then R pods of as many leaves as there are
// units, and traffic of one rail does not go through cores. The DGX A100 SuperPOD of 140 nodes is built so: 8 pods of 7
// leaves and 10 spines, 28 cores.
// A spec may fix S (or Sp), m, or both; of both, u = S m is then what it is. It may let spines have fewer links up than
// down: Lp m / o' in place of Lp m.
// Every leaf has the same number of links to each of its spines, so S must divide u: three units of 32 nodes with 8
// rails and 64 ports need 16 spines although 12 have ports enough. Where the ports are there, m is a whole number of
// cages: 21 uplinks to 3 spines from switches with two ports to a cage are 8 to each, not 7, because cages that are
// shared by two spines take modules and fibre, and whole ones a cable. One link stays one. Among all that is possible
// the fewest switches win; then leaves whose cages are whole (none with ports down and ports up, which may run at
// different rates, nor with links to two spines); then wide leaves, large pods, few links. Example: 16,384 nodes of 8
// rails on 128 ports: D = u = 64, 256 units, 2,048 leaves; pods of 8 units, 64 spines each, c = 4: 16 cores a group;
// 2,048 + 2,048 + 1,024 switches. The search costs at most some thousand steps, whatever the number of nodes.
#pragma once
#include <cstdint>
#include <vector>

namespace clusterc {

constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

struct OwnLeavesDemand {
  std::int64_t slots = 0;  // at the size built for, on each leaf of a unit
  std::int64_t each = 1;   // leaves of a unit
  double oversubscription = 1;
};
struct OwnLeavesShape {
  std::int64_t leaves = 0, down = 0, links = 0;  // links: m'
};

struct FabricDemand {
  std::int64_t slots_present = 0;  // of the members that are there, on each leaf of their unit, summed over all members
  std::int64_t slots_built = 0;    // likewise for the sizes built for; >= slots_present
  std::int64_t extra_ports = 0;    // single ports of others (fabric managers): they take slots from the last one down
  std::int64_t extra_busy = 0;     // of these, those that need bandwidth above the leaf
  std::int64_t rails = 1;          // R
  std::int64_t unit_slots = 0;     // slots of one scalable unit where the spec sets its size; 0: as many as are best
  std::int64_t slot_multiple = 1;  // a member's slots, where it must not straddle two units
  std::int64_t radix = 0;          // N, at the rate in use, of a leaf
  std::int64_t spine_radix = 0, core_radix = 0;  // Ns, Nc, at the rate of the uplinks; 0: as a leaf
  double uplink_speed = 1;                       // r: rate of a link between switches over that of an end port; >= 1
  double oversubscription = 1;                   // o
  double core_oversubscription = 1;              // links down over links up of a spine below cores
  std::int64_t spines = 0, links = 0;            // S or Sp, and m, where the spec says; 0: the fewest that do
  bool room_above = false;                       // spines of two tiers keep half of their ports free
  std::int64_t cage = 1;                         // ports that share one cage of the switch
  std::int64_t uplink_ports = 1;                 // p: ports of a leaf that one link up takes; divides the cage
  std::int64_t own_uplinks = 0;                  // U: one to a cage; 0: links up take ports that ends could have
  bool may_be_single = true;                     // one unit without uplinks will do where it fits
  bool rail_pods = false;                        // each pod has the leaves of one rail
  std::vector<OwnLeavesDemand> own_leaves;
  bool even_groups = false;  // each core group has as many spines of a pod as every other
  // Ports of a leaf that stay free for single ports beside the slots of a scalable unit, and those of them that need
  // bandwidth; fabric_shape sets them.
  std::int64_t beside = 0, beside_busy = 0;
};

struct FabricShape {
  int tiers = 0;                  // 0: cannot be built with three
  std::int64_t down = 0, up = 0;  // of a leaf
  std::int64_t units = 0, leaves = 0;
  std::int64_t links = 0;  // m
  std::int64_t pods = 1, units_per_pod = 0, spines_per_pod = 0;
  std::int64_t core_links = 0;        // c
  std::int64_t cores_per_group = 0;   // C
  std::int64_t spines_per_group = 1;  // g: of one pod
  std::int64_t beside_busy = 0;       // ports that need bandwidth, on a leaf of the last unit, beside `down`
  bool single_beside = false;         // single ports are plugged in after the `down` ports of the last unit's leaves
  bool rail_pods = false;
  std::vector<OwnLeavesShape> own_leaves;
  std::int64_t leaves_per_pod(std::int64_t rails) const { return rail_pods ? units : units_per_pod * rails; }
  std::int64_t spines() const { return pods * spines_per_pod; }
  std::int64_t cores() const { return cores_per_group * ((spines_per_pod + spines_per_group - 1) / spines_per_group); }
  std::int64_t switches() const {
    std::int64_t n = leaves + spines() + cores();
    for (const OwnLeavesShape& own : own_leaves) n += own.leaves;
    return n;
  }
};

// Slots that the fabric must have on each leaf of its units. Members to come have theirs, and the single ports come on
// top, so that growth up to the sizes built for moves nobody. One exception, the published one: where the sizes built
// for fill scalable units to the last slot, nobody means another unit for a few single ports; "a DGX system must be
// removed to accommodate for UFM connectivity" (DGX SuperPOD RA, RA-11333-001 V11, table 4, note 1). Then they take the
// last slots of the last unit, as long as no present member needs these, and growth ends before them. Where the leaves
// of scalable units have ports to spare, single ports take those of the last unit instead, and no slot: leaves of 18 +
// 18 of 64 ports (GB200) have 28 each. Nobody then has to make room, and a unit more is not bought for them. Ports of
// fabric managers, which carry management datagrams only, need no uplink; all others do.
std::int64_t slots_needed(const FabricDemand&);

FabricShape fabric_shape(FabricDemand);

// The most slots that two tiers carry, of whole units: the leaf as wide as it may be, one link to each spine, as many
// leaves as a spine has ports. 0: none.
std::int64_t two_tier_slots(FabricDemand);

// End ports that three tiers carry at an oversubscription of 1: as many on each leaf as fit beside their uplinks, Ns/2
// leaves in a pod, Nc pods; N^3 / 4 of one radix and rate.
std::int64_t three_tier_limit(FabricDemand);

}  // namespace clusterc
