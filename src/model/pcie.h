// The PCIe tree of one server, and what follows from it: lanes in use, the road between two devices, which NIC a GPU
// should use.
//
//   socket0 ── root port ── slot1 ── gpus[0]
//           └─ root port ── switch a ─┬─ slot2 ── gpus[1]
//                                     └─ slot3 ── nics.compute[0]
//
// gpus[1] and nics.compute[0] meet in the switch; gpus[0] and the NIC meet in the socket. Across sockets the road
// leaves PCIe. A switch may hang below another one; a slot may be split among several devices; with access control
// (ACS) nothing turns round in a switch.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "model/cluster.h"

namespace clusterc {

// One lane, one direction, after coding: 8b/10b to generation 2, 128b/130b to 5, 236/256 flit bytes in 6 (PCI Express
// Base Specification 6.0, sections 4.2 and 4.2.3). 2.5, 5, 8, 16, 32 and 64 GT/s; 0 for a generation that is not known.
BytesPerSecond pcie_lane_rate(std::int64_t generation);
BytesPerSecond pcie_link_rate(std::int64_t generation, std::int64_t lanes);

// Closest first. `nvidia-smi topo -m` says PIX or PXB, PHB or NODE, SYS. Within a socket of several NUMA nodes two root
// ports share a node only where the tree says so (`numa`).
enum class PcieRelation { same_switch, same_numa, same_socket, across_sockets, unknown };
std::string_view pcie_relation_name(PcieRelation);

enum class PcieDeviceKind { gpu, nic, drive };
struct PcieDevice {
  std::string name;  // "nics.compute[3]", as the spec would write it
  PcieDeviceKind kind;
  int set = -1;            // nic: index into ServerModel::nics; drive: into part.drives
  std::int64_t index = 0;  // within gpus, or within the set
  int socket = -1;         // index into PcieTree::sockets
  int through = -1;        // index into PcieTree::switches; -1: straight from the root port
  const PcieSlot* slot = nullptr;
  std::string slot_name;
  std::int64_t lanes = 0;                            // the fewer of slot (or its share of a split slot) and card
  std::int64_t parts = 1;                            // in how many parts its slot is split
  std::int64_t numa = -1;                            // NUMA node, where the tree says so
  std::int64_t card_lanes = 0, card_generation = 0;  // what the card itself has; 0: not known
  std::int64_t generation = 0;                       // the lowest of slot, card and what is above them; 0: not known
  BytesPerSecond rate{0};                            // 0: not known
};
struct PcieTreeSwitch {
  std::string name;
  SourceSpan span;
  int socket = -1;
  int through = -1;  // switch above it; -1: the root port
  std::int64_t uplink_lanes = 16, generation = 0;
  BytesPerSecond uplink_rate{0};
  std::int64_t lanes_used = 0;  // uplink, slots and switches below
  std::int64_t lanes = 0;       // that it has; 0: not known
  std::int64_t numa = -1;
};
struct PcieTreeSocket {
  std::string name;
  SourceSpan span;
  std::int64_t lanes_used = 0;  // of devices and switch uplinks that hang on it directly
  std::int64_t lanes = 0;       // that devices can use; 0: not known
  std::int64_t between = 0;     // that the sockets use among themselves
  std::int64_t generation = 0;
};
struct PcieMisfit {  // a slot that names no device of this server, or what hangs below a switch that does not exist, or
                     // below itself
  enum class What : std::uint8_t { device, slot_below_none, switch_below_none, circle };
  std::string name;  // of the slot; of the switch
  SourceSpan span;
  What what = What::device;
  Origin origin = Origin::absent;
};
struct PcieTree {
  std::vector<PcieTreeSocket> sockets;
  std::vector<PcieTreeSwitch> switches;
  std::vector<PcieDevice> devices;  // in the order of the tree
  std::vector<PcieMisfit> misfits;
  const PcieDevice* gpu(std::int64_t index) const;
  const PcieDevice* nic(int set, std::int64_t index) const;
  const PcieDevice* drive(int set, std::int64_t index) const;
};
PcieTree pcie_tree(const ServerModel&);  // holds pointers into the server's part

struct PcieRoad {
  PcieRelation relation = PcieRelation::unknown;
  BytesPerSecond rate{0};       // narrowest PCIe link on the way, one direction; 0: not known. Across sockets the link
                                // between them may be narrower
  bool crosses_uplink = false;  // shares a switch uplink with others
  std::vector<int> uplinks;     // whose: indices into PcieTree::switches
  int narrowest = -1;  // the uplink that is the narrowest link; -1: a slot of the two is, or a rate is not known
};
enum class PcieAcs { off, on };  // on: requests between peers go up to the root port first, also below one switch
PcieRoad pcie_road(const PcieTree&, const PcieDevice&, const PcieDevice&, PcieAcs = PcieAcs::off);
// Switches from the device to the root port, the nearest first.
std::vector<int> switches_above(const PcieTree&, const PcieDevice&);
// The way in which a slot must be split for so many devices: "4x4"; "" for one.
std::string needed_split(const PcieSlot&, std::int64_t devices);

// The NIC of each GPU: the closest; among equally close ones the least used, then the lowest index. Without a tree GPUs
// and NICs are paired in order, in equal shares, and the relation is unknown.
struct GpuNicPair {
  std::int64_t gpu = 0, nic = -1;
  PcieRoad road;
};
std::vector<GpuNicPair> pair_gpus_with_nics(const ServerModel&, const PcieTree&, int nic_set);

// What the networks ask of one adapter of a set, one direction: all its ports in use at once, and the fastest of them
// alone. 0: no network uses it.
struct NicDemand {
  BitsPerSecond all{0}, fastest{0};
};
NicDemand nic_demand(const Cluster&, int group, int nic_set);

// PCIe lanes of one socket that devices can use. Two EPYC sockets talk over some of theirs: `between` says how many.
struct LaneBudget {
  std::int64_t usable = 0, between = 0;
};  // 0: not known
LaneBudget lane_budget(const ServerModel&);

// Socket of a device, -1 where the tree does not say.
int socket_of_gpu(const PcieTree&, std::int64_t gpu);

// "nics.compute[3]" -> nics, compute, 3; "gpus[0]" -> gpus, "", 0. False when it is not of that form.
struct DeviceName {
  PcieDeviceKind kind;
  std::string_view set;
  std::int64_t index = 0;
};
bool parse_device_name(std::string_view, DeviceName&);

}  // namespace clusterc
