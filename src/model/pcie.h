// The PCIe tree of one server, and what follows from it: lanes in use, the road between two devices, which NIC a GPU should use.
//
//   socket0 ── root port ── slot1 ── gpus[0]
//           └─ root port ── switch a ─┬─ slot2 ── gpus[1]
//                                     └─ slot3 ── nics.compute[0]
//
// gpus[1] and nics.compute[0] meet in the switch; gpus[0] and the NIC meet in the socket. Across sockets the road leaves PCIe.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "model/cluster.h"

namespace clusterc {

// One lane, one direction, after coding: 8b/10b to generation 2, 128b/130b to 5, 236/256 flit bytes in 6 (PCI Express Base
// Specification 6.0, sections 4.2 and 4.2.3). 2.5, 5, 8, 16, 32 and 64 GT/s; 0 for a generation that is not known.
BytesPerSecond pcie_lane_rate(std::int64_t generation);
BytesPerSecond pcie_link_rate(std::int64_t generation, std::int64_t lanes);

// Closest first. `nvidia-smi topo -m` says PIX or PXB, PHB or NODE, SYS.
enum class PcieRelation { same_switch, same_socket, across_sockets, unknown };
std::string_view pcie_relation_name(PcieRelation);

enum class PcieDeviceKind { gpu, nic, drive };
struct PcieDevice {
  std::string name;                 // "nics.compute[3]", as the spec would write it
  PcieDeviceKind kind;
  int set = -1;                     // nic: index into ServerModel::nics; drive: into part.drives
  std::int64_t index = 0;           // within gpus, or within the set
  int socket = -1;                  // index into PcieTree::sockets
  int through = -1;                 // index into PcieTree::switches; -1: straight from the root port
  const PcieSlot* slot = nullptr;
  std::string slot_name;
  std::int64_t lanes = 0;           // the fewer of slot and card
  std::int64_t generation = 0;      // the lowest of slot, card and what is above them; 0: not known
  BytesPerSecond rate{0};           // 0: not known
};
struct PcieTreeSwitch {
  std::string name;
  int socket = -1;
  std::int64_t uplink_lanes = 16, generation = 0;
  BytesPerSecond uplink_rate{0};
};
struct PcieTreeSocket {
  std::string name;
  SourceSpan span;
  std::int64_t lanes_used = 0;      // of devices and switch uplinks that hang on it directly
  std::int64_t lanes = 0;           // that the processor has; 0: not known
  std::int64_t generation = 0;
};
struct PcieMisfit {                 // a slot that names no device of this server, or a switch that does not exist
  std::string slot_name;
  SourceSpan span;
  bool switch_missing = false;
  Origin origin = Origin::absent;
};
struct PcieTree {
  std::vector<PcieTreeSocket> sockets;
  std::vector<PcieTreeSwitch> switches;
  std::vector<PcieDevice> devices;  // in the order of the tree
  std::vector<PcieMisfit> misfits;
  const PcieDevice* gpu(std::int64_t index) const;
  const PcieDevice* nic(int set, std::int64_t index) const;
};
PcieTree pcie_tree(const ServerModel&);      // holds pointers into the server's part

struct PcieRoad {
  PcieRelation relation = PcieRelation::unknown;
  BytesPerSecond rate{0};           // narrowest PCIe link on the way, one direction; 0: not known. Across sockets the link between them may be narrower
  bool crosses_uplink = false;      // shares a switch uplink with others
};
PcieRoad pcie_road(const PcieTree&, const PcieDevice&, const PcieDevice&);

// The NIC of each GPU: the closest; among equally close ones the least used, then the lowest index. Without a tree GPUs and NICs
// are paired in order, in equal shares, and the relation is unknown.
struct GpuNicPair {
  std::int64_t gpu = 0, nic = -1;
  PcieRoad road;
};
std::vector<GpuNicPair> pair_gpus_with_nics(const ServerModel&, const PcieTree&, int nic_set);

// Socket of a device, -1 where the tree does not say.
int socket_of_gpu(const PcieTree&, std::int64_t gpu);

// "nics.compute[3]" -> nics, compute, 3; "gpus[0]" -> gpus, "", 0. False when it is not of that form.
struct DeviceName { PcieDeviceKind kind; std::string_view set; std::int64_t index = 0; };
bool parse_device_name(std::string_view, DeviceName&);

}  // namespace clusterc
