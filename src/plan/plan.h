// The plan: everything derived from the cluster. Per-node data lie in flat arrays; switches, ports and cables stay
// patterns until asked for. Names of objects (docs/names.md) never change for another object's sake:
//   node/gpu/017  rack/r07  pdu/r07/b  feed/A  zone/hall  leaf/compute/u1/r3  spine/compute/05  core/compute/p2/07
//   port/leaf/compute/u1/r3/17 cable/<near port>  storage/scratch/3  frame/nvl3  bmc/node/gpu/017
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "model/cluster.h"

namespace clusterc {

// ---- what stands where
// -------------------------------------------------------------------------------------------------
enum class DeviceKind : std::uint8_t { node, storage, switch_, occupied, tray };
struct RackedDevice {
  DeviceKind kind;
  std::int32_t group = -1;  // node: node group; storage: system; switch_: fabric
  std::int64_t index = 0;   // node number; number within the storage system; switch number within the fabric
  std::int16_t unit = 0;    // lowest rack unit, from 1
  std::int16_t units = 0;
};
struct Unplaced {
  enum class Lack : std::uint8_t { units, power, weight, places /* per_rack, trays */, unknown /* its height */ };
  DeviceKind kind;
  std::int32_t group;
  std::int64_t count;
  SourceSpan span;
  std::string why;          // "rack group 'main' has 3 U left, 4 needed"
  std::int64_t first = 0;   // index of the first one that found no place
  Lack lack = Lack::units;  // what there was too little of
};

// One PDU of one rack, in apparent power. Loads are spread as the supplies' cords are: evenly over the rack's PDUs.
struct PduLoad {
  std::int64_t rack = 0;
  std::int16_t pdu = 0;  // index in the rack group's list
  std::int16_t feed = -1;
  VoltAmperes normal{0},
      worst{0};  // worst: after the loss of one feed that it does not hang on (equals normal when it is alone)
  std::int16_t worst_lost_feed = -1;
  std::int16_t cords_c13 = 0, cords_c19 = 0;
};

struct RackPlan {
  std::vector<RackedDevice> devices;  // from the bottom up
  std::vector<RackedDevice> kept;     // places kept free for members to come, from the bottom up; index -1
  Watts typical{0};                   // at the wall; the highest where a device states no typical figure
  Watts power{0}, heat{0};            // at the wall, highest; heat equals power: what goes in comes out
  Watts liquid_heat{0};               // share taken by coolant
  // What the devices state; that with rails and cables (plan/placement.h), nothing where nothing stands; that with the
  // empty rack. An assembly is weighed whole.
  Kilograms devices_weight{0}, load{0}, weight{0};
  AirFlow airflow{0};               // demand of devices that state one; the rest by the formula in plan/heat.cc
  Watts unstated_airflow_power{0};  // power of the devices that state no airflow
  bool weight_complete = true, power_complete = true;  // every device states its figure
  float x = 0, y = 0;                                  // floor position in metres, first rack of the first row at 0, 0
};

// Everything on a feed: racks, assemblies, coolant distribution units, and what the spec says is already `in_use`.
struct FeedLoad {
  VoltAmperes normal{0}, worst{0};
  int worst_lost_feed = -1;
  Watts power{0};
};
struct ZoneLoad {
  Watts heat{0};
  AirFlow airflow{0};
};

// ---- fabrics
// -----------------------------------------------------------------------------------------------------------
struct FabricTier {  // leaf (0), spine (1), core (2)
  std::string word;  // "leaf", "spine", "core"; "switch" for a single one
  std::string model;
  const SwitchPart* part = nullptr;
  std::int64_t count = 0;
  std::int64_t ports = 0;         // of one switch, split as the rate in use asks; of a leaf as for its ends
  std::int64_t down = 0, up = 0;  // links of one switch down and up, as wired at the size built for
};
// What is plugged into a fabric, in the order of its ports: members of networks, and for an out-of-band network the
// management ports of equipment.
struct FabricBlock {
  enum class What : std::uint8_t { ends, switches, pdus, shelves, uplinks };
  What what = What::ends;
  int network = -1, end = -1;  // ends: end points `end` of `network` (this one, or one that shares its switches)
  int of = -1;  // switches: fabric whose switches are managed; uplinks: fabric whose leaves end here; shelves: assembly
                // group
  std::int64_t members = 0, ports_each = 1, built_for = 0;
  std::int64_t first = 0, width = 1;  // first slot, slots of a member on each leaf of its unit (fabric_shape.h)
  std::int64_t room =
      0;  // of built_for: members that can come before they meet the single ports of others (fabric_shape.h)
  bool from_last = false;  // single ports, from the last slot down
  int leaves = -1;         // leaf group that its slots are on; -1: the other leaves
};

struct SwitchRef {
  int tier = -1;
  std::int64_t index = -1;
};  // index within the tier

// Leaves of their own for some members (`leaves` of a network). Of one plane; they lie after the other leaves, group
// after group, and their links end on the spines' ports after those of the other leaves.
struct LeafGroup {
  std::string name;
  std::int64_t first = 0, count = 0;  // of its leaves
  std::int64_t each = 1;              // leaves of a unit: a pair for bonds
  std::int64_t down = 0, up = 0;      // links of one leaf
  std::int64_t links_per_pair = 0;    // leaf to each spine
  double oversubscription = 1;        // as wired
};

struct Fabric {
  int network = -1;
  std::string name;
  std::vector<FabricTier> tiers;  // empty: no switches of ours (cloud), or shared with another network
  bool rail_optimised = false;
  std::int64_t rails = 1;
  std::int64_t unit = 0;  // nodes of one scalable unit (members that share their leaves)
  std::int64_t units = 0;
  std::int64_t planes = 1;  // fabrics side by side that share no switch; counts below are of all of them, units, pods
                            // and leaves_per_unit of one
  std::int64_t leaves_per_unit = 1;                               // rails of one plane, or 1
  std::int64_t pods = 1, leaves_per_pod = 0, spines_per_pod = 0;  // three tiers
  std::int64_t links_per_pair = 0;                                // leaf to each of its spines
  std::int64_t core_links_per_pair = 0;                           // spine to each of its cores
  std::int64_t node_cables = 0;                                   // present end-point cables
  std::int64_t leaf_spine_cables = 0, spine_core_cables = 0;      // at the size built for
  double oversubscription = 1;       // as wired: rates of a leaf's ports down over those up
  double core_oversubscription = 1;  // likewise of a spine, where there are cores
  std::int64_t end_ports = 0, end_ports_built_for = 0;
  BitsPerSecond link_rate{0};         // of an end port
  BitsPerSecond uplink_rate{0};       // between switches of this fabric; as link_rate where it has one tier
  std::int64_t uplink_cables = 0;     // from these leaves into another fabric (management switches)
  std::int64_t cores_per_group = 0;   // three tiers: spine i of every pod goes to core group i / spines_per_group
  std::int64_t spines_per_group = 1;  // of each pod; the last group may have fewer
  std::int64_t ways = 1;              // node ports on one switch port (breakout)
  std::int64_t uplink_ports = 1;      // ports of a leaf that one of its uplinks takes, where only node ports are split
  int uplinks_to = -1;                // fabric that takes the leaves' uplinks
  std::string unbuildable;  // why there are no switches where there should be: "70000 ports, three tiers of 64 ports
                            // carry 65536"
  std::vector<FabricBlock> blocks;
  const FabricBlock* block_of(int network, int end) const;
  std::int64_t switch_count() const;
  std::int64_t core_groups() const {
    return (spines_per_pod + spines_per_group - 1) / spines_per_group;
  }                                                                                                      // of one plane
  double uplink_speed() const { return link_rate.value > 0 ? uplink_rate.value / link_rate.value : 1; }  // in end ports
  std::int64_t per_plane(int tier) const {
    return tiers[tier].count / planes;
  }                               // switches of a tier in one plane; they lie together
  std::int64_t first_switch = 0;  // number of this fabric's first switch in Plan::switch_rack
  bool single_beside = false;     // single ports follow the `down` ports of the last unit's leaves (fabric_shape.h)
  bool rail_pods = false;         // a pod has the leaves of one rail: leaves lie rail by rail, and not unit by unit
  bool direct = false;            // one cable joins its two ports, and there is no switch
  std::vector<LeafGroup> leaf_groups;
  std::int64_t common_leaves() const { return units * leaves_per_unit; }  // of one plane, without those of leaf groups
  const LeafGroup* leaf_group(std::int64_t index) const {                 // of this leaf; none: it is a common one
    const std::int64_t in_plane = leaf_groups.empty() ? 0 : index % per_plane(0);
    for (const LeafGroup& g : leaf_groups)
      if (in_plane >= g.first && in_plane < g.first + g.count) return &g;
    return nullptr;
  }
  std::int64_t leaf_up(std::int64_t index) const {  // links of this leaf to all spines
    const LeafGroup* g = leaf_group(index);
    return g ? g->up : tiers[0].up;
  }
  std::int64_t leaf_links(std::int64_t index) const {  // to each spine
    const LeafGroup* g = leaf_group(index);
    return g ? g->links_per_pair : links_per_pair;
  }
  SwitchRef leaf(std::int64_t plane, std::int64_t of_unit, std::int64_t rail) const {
    return {0, plane * per_plane(0) + (rail_pods ? rail * units + of_unit : of_unit * leaves_per_unit + rail)};
  }
  std::int64_t unit_of_leaf(std::int64_t index) const {
    const std::int64_t in_plane = index % per_plane(0);
    return rail_pods ? in_plane % units : in_plane / leaves_per_unit;
  }
  std::int64_t rail_of_leaf(std::int64_t index) const {
    const std::int64_t in_plane = index % per_plane(0);
    return rail_pods ? in_plane / units : in_plane % leaves_per_unit;
  }
};

struct PortRef {
  SwitchRef sw;
  std::int64_t port = -1;
};  // ports at the rate in use, counted from 1; -1: no such port
struct CableEnd {
  std::string object, port;
};  // "node/gpu/017", "compute/3"
struct Cable {
  CableEnd near, far;
  BitsPerSecond rate{0};
  Meters length{0};
};

// ---- addresses
// --------------------------------------------------------------------------------------------------------- Address of
// port k (from 0) of member i of end points e of a network that has a subnet; one scheme for all: docs/names.md.
struct EquipmentAddresses {  // of an out-of-band network: switches of a fabric, PDUs, shelves and trays; as FabricBlock
                             // has them
  FabricBlock::What what;
  int of = -1;
  std::uint32_t first = 0;
  std::int64_t count = 0;
};
struct AddressPlan {
  int network = -1;
  Ipv4Prefix subnet;
  std::uint32_t gateway = 0;  // 0: none
  std::vector<std::uint32_t>
      first;  // per EndPoints: address of member 0, port 0; members follow one another, ports of a member lie together
  std::vector<std::uint32_t> stride;  // per EndPoints: addresses of one member
  std::uint32_t step = 1;  // from one of them to the next; 2: the address below each is that of the leaf's end of its
                           // link (model/routed.h)
  std::vector<EquipmentAddresses> equipment;
  // Addresses that stand already, in the place of those of the scheme: per EndPoints, then number of the address among
  // those of all members (member * stride + port).
  std::map<std::pair<int, std::int64_t>, std::uint32_t> given;
  std::uint64_t needed = 0, usable = 0;  // 0 in `first` where needed > usable: nobody gets an address then
};

enum class BillKind : std::uint8_t {
  assembly,
  rack,
  pdu,
  server,
  instance,
  storage,
  switch_,
  cable,
  module,
  fibre,
  ups,
  cooling,
  cdu,
  missing /* no part makes it */
};
struct BillLine {
  std::string part, what;
  std::int64_t count = 0;  // that the plan needs
  bool planning_default = false;
  Meters length{0};         // of a cable or fibre, as it is sold; 0: none
  std::int64_t spares = 0;  // bought on top, in a line of their own whose count is 0
  BillKind kind = BillKind::missing;
};

class Cabling;       // plan/fabric/cabling.h: the parts that join the ports
struct PcieTree;     // model/pcie.h
struct PduCurrents;  // plan/power/cords.h
struct PowerClass;   // plan/power/power_chain.h: racks that behave alike
struct PatternLoad;  // plan/fabric/routing.h: how full the links get

struct Plan {
  const Cluster* cluster = nullptr;
  std::vector<std::int32_t> node_rack;  // by node number; -1: in no rack (cloud, or unplaced)
  std::vector<std::int16_t> node_unit;
  std::vector<RackPlan> racks;            // by rack number
  std::vector<std::int32_t> switch_rack;  // by switch number over all fabrics
  std::vector<std::int16_t> switch_unit;
  std::vector<Unplaced> unplaced;
  std::vector<PduLoad> pdus;  // by rack, then PDU
  std::vector<FeedLoad> feeds;
  std::vector<ZoneLoad> zones;
  std::vector<Fabric> fabrics;         // one for each network, same order
  std::vector<AddressPlan> addresses;  // networks with a subnet
  Watts it_power{0}, it_typical{0};    // sum over racks (or nodes where there are no racks)
  std::int64_t gpu_count = 0;
  VoltAmperes apparent(Watts) const;  // by the site's power factor

  // Made when first asked for: rules and outputs need neither. Not for several threads at once.
  const Cabling& cabling() const;
  const Cabling& doubtful_cabling()
      const;  // what cannot be built stands in both; this one leaves out the fabrics where surely all can
  const std::vector<BillLine>& bill() const;
  const std::vector<PowerClass>& power_classes() const;  // once the racks are filled
  const std::vector<PduCurrents>& pdu_currents()
      const;  // by place in `pdus`; all zero where the PDU's voltage is not known
  const PcieTree& pcie_tree(std::size_t group) const;  // of one server of a node group
  const std::vector<PatternLoad>& loads(
      int fabric, bool only_all_to_all = false) const;  // as Routing::loads; more when they are known

  const AddressPlan* addresses_of(int network) const;
  std::uint32_t address(int network, int end_points, std::int64_t member, std::int64_t port = 0) const;  // 0: none
  // The leaf's end of the link that has this address; 0: the members share one subnet.
  std::uint32_t leaf_address(int network, int end_points, std::int64_t member, std::int64_t port = 0) const;
  // The first address of a node in this network, 0 when it has none.
  std::uint32_t node_address(int network, std::int64_t node) const;

  std::uint32_t switch_address(int fabric,
                               SwitchRef) const;      // management address in the first out-of-band network; 0: none
  std::uint32_t pdu_address(std::int64_t pdu) const;  // by place in `pdus`

  // Names. `leaf/compute/u1/r3`; a host name for a switch is the same with hyphens: leaf-compute-u1-r3.
  std::string switch_name(int fabric, SwitchRef) const;
  std::string switch_host_name(int fabric, SwitchRef) const;
  std::string node_object(std::int64_t node) const;

  // Wiring, in constant time each.
  std::int64_t switch_number(int fabric, SwitchRef) const;     // in switch_rack and switch_unit; -1 if none
  SwitchRef switch_ref(int fabric, std::int64_t index) const;  // of the fabric's index-th switch, lowest tier first
  PortRef block_port(int fabric, int block, std::int64_t member, std::int64_t port) const;
  PortRef leaf_port(int fabric, int end_points, std::int64_t member, std::int64_t port) const;
  std::int64_t leaf_of_node(
      int fabric, std::int64_t node) const;  // leaf of its first port: what a scheduler's topology needs; -1 if none
  PortRef up_link(int fabric, SwitchRef lower, std::int64_t link,
                  PortRef* upper) const;  // link counted from 0; fills the far end
  // Every cable of a fabric in a stable order; stops when the callback returns false.
  void each_cable(int fabric, const std::function<bool(const Cable&)>&) const;

 private:
  mutable std::shared_ptr<const Cabling> cabling_, doubtful_cabling_;
  mutable std::shared_ptr<const std::vector<BillLine>> bill_;
  mutable std::shared_ptr<const std::vector<PowerClass>> power_classes_;
  mutable std::shared_ptr<const std::vector<PduCurrents>> pdu_currents_;
  mutable std::vector<std::shared_ptr<const PcieTree>> pcie_trees_;  // by node group
  struct Loads {
    std::shared_ptr<const std::vector<PatternLoad>> patterns;
    bool all = false;
  };
  mutable std::vector<Loads> loads_;  // by fabric
};

// Deterministic, linear in nodes, no findings: what does not fit is in `unplaced`, what is over a limit is for the
// rules to say.
Plan plan_cluster(const Cluster&);

}  // namespace clusterc
