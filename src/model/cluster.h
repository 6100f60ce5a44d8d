// The cluster: the spec with every part resolved. Groups are still groups.
// Frozen from here on: every name is resolved (an index of -1 marks what could not be, and was reported), no rule or
// output looks at a part's name again.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/host_pattern.h"
#include "base/ip.h"
#include "catalog/catalog.h"
#include "model/memo.h"
#include "spec/spec.h"

namespace clusterc {

enum class Role;
enum class Traffic;
struct CoolingZone;
struct Feed;
struct Generator;
struct Occupied;
struct Panel;
struct TransferSwitch;

struct NicSet {      // adapters of one kind in a server
  std::string name;  // key in `nics`
  SourceSpan span;
  const NicPart* part = nullptr;
  std::string model;
  std::int64_t count = 0;
};

struct PortSet {     // a named group of network ports of one server
  std::string name;  // "compute"
  SourceSpan span;
  int nics = -1;                                // index into ServerModel::nics
  std::int64_t first_port = 1, ports_each = 1;  // which ports of each adapter
  std::int64_t count = 0;                       // ports of one server in this group
  BitsPerSecond rate{0};
  std::vector<int> cages;  // cage of each port, from 0, where ports share them; empty: each has its own
};

// One resolved server: the part with all changes made, everything it names looked up, and what follows from that.
struct ServerModel {
  std::string id;   // catalogue id; "GROUP (written in the spec)" for one written in full
  SourceSpan span;  // where the spec names it
  ServerPart part;  // merged figures
  // The part as it was when its power was stated, where that is not in the group itself: parts, counts and adapters
  // only. Null: nothing is stated, or the group states it.
  std::shared_ptr<const ServerModel> stated_for;
  const GpuPart* gpu = nullptr;
  const CpuPart* cpu = nullptr;
  std::string gpu_model, cpu_model;
  std::int64_t gpu_count = 0, cpu_count = 0;
  std::int64_t cores = 0, threads_per_core = 1;
  Value<Bytes> memory;
  std::vector<NicSet> nics;
  std::vector<PortSet> ports;
  bool virtual_machine = false, instance = false;
  bool known = true;  // false: a part that it is made from was not found, which was reported; nothing can be said of it
  // At the wall. Origin tells whether the catalogue gave it or it is the sum of the parts (model/power.h).
  Value<Watts> power, power_typical, power_idle;
  Value<AirFlow> airflow;  // that it needs at its highest power
  bool refitted = false;   // the stated power is of other parts, and was made to follow these
  Value<Watts> gpu_limit;  // power limit set on each GPU, where the spec sets one
  Value<std::int64_t> units;
  const PortSet* port_set(std::string_view name) const;
};

struct PduModel {  // one PDU position in every rack of a group; its letter is 'a' + index
  const PduPart* part = nullptr;
  std::string model;
  SourceSpan span;
  int feed = -1, panel = -1;  // feed is filled in from the panel; behind a transfer switch: of the preferred source
  int other_feed = -1, other_panel = -1;  // what a transfer switch, its own or its panel's, changes over to
  int transfer = -1;                      // a transfer switch of its own
  bool dies_with(int lost) const { return feed == lost && (other_feed < 0 || other_feed == lost); }
};

struct RackGroupModel {
  std::string name;
  SourceSpan span;
  const RackGroup* spec = nullptr;
  HostPattern names;
  std::int64_t first = 0, count = 0;  // rack numbers, over all groups; assemblies' frames follow the racks
  const RackPart* part = nullptr;
  std::string model;
  std::vector<PduModel> pdus;
  std::vector<std::pair<int, std::int64_t>> shelves;          // of its busbar: feed, shelves of each rack on it
  int cooling = -1, liquid = -1;                              // zones
  std::vector<std::int64_t> racks_of(const Occupied&) const;  // where it stands, counted from 0, ascending
};

struct AssemblyGroupModel {
  std::string name;
  SourceSpan span;
  const AssemblyGroup* spec = nullptr;
  HostPattern names;
  std::int64_t first = 0, count = 0;  // frame numbers: continue the rack numbers
  const AssemblyPart* part = nullptr;
  std::string model;
  int air = -1, liquid = -1;
  std::vector<std::pair<int, std::int64_t>> shelves;  // feed, shelves of each assembly on it
};

struct NodeGroupModel {
  NodeGroupModel();
  ~NodeGroupModel();
  NodeGroupModel(const NodeGroupModel&);
  NodeGroupModel& operator=(const NodeGroupModel&);
  NodeGroupModel(NodeGroupModel&&) noexcept;
  NodeGroupModel& operator=(NodeGroupModel&&) noexcept;

  std::string name;
  SourceSpan span;  // the group's key
  const NodeGroup* spec = nullptr;
  HostPattern names;
  std::int64_t first = 0, count = 0;  // node numbers, over all groups in the order of the spec
  ServerModel server;
  Apart<Software> software;  // the cluster's with the group's changes
  int racks = -1;            // rack group
  int cooling = -1;          // zone of the room, of nodes on wall circuits
  int assembly = -1;         // assembly group, for trays
  bool computes = true;      // runs users' jobs: has the role compute, or no role at all
  bool has_role(Role) const;
  bool only_manages_fabrics() const;  // its adapters send management datagrams
};

struct StorageModel {
  std::string name;
  SourceSpan span;
  const Storage* spec = nullptr;
  const StoragePart* part = nullptr;  // bought systems
  std::string model;
  std::int64_t count = 0;
  int nodes = -1;  // node group that serves
  int racks = -1;
  std::vector<NicSet> nics;
};

struct EndPoints {  // members of a network
  SourceSpan span;
  int group = -1;    // node group, or
  int storage = -1;  // storage system
  int ports = -1;    // PortSet of the server; -1: management port, a storage system's own, or a virtual machine's
  std::int64_t first_port =
      0;  // of the set's ports (from 0): networks that use one set take its ports one after the other
  std::int64_t members = 0;     // nodes or systems
  std::int64_t ports_each = 0;  // ports of each member in this network
  std::int64_t built_for = 0;   // members to leave room for (>= members)
  std::int64_t split = 1;       // links of one port: one to each plane where the port is fast enough for all of them
  BitsPerSecond rate{0};        // of one port in this network, over all of its links
  int leaves = -1;              // entry of the network's `leaves` that names it
};

struct NetworkModel {
  std::string name;
  SourceSpan span;
  const Network* spec = nullptr;
  LinkKind kind = LinkKind::ethernet;
  const SwitchPart* switch_part = nullptr;
  std::string switch_model;
  std::vector<std::pair<std::string, const SwitchPart*>>
      tier_parts;  // other switches by tier ("spine"), where the spec names them
  int racks = -1;
  int shares = -1;          // network whose switches it uses
  bool everything = false;  // out-of-band: management ports of all equipment
  bool direct = false;      // one cable between two ports, no switch
  BitsPerSecond rate{0};
  std::optional<Ipv4Prefix> subnet;
  std::vector<Traffic> carries;
  std::vector<EndPoints> ends;
  bool carries_traffic(Traffic) const;
};

struct CableModel {
  std::string id;
  const CablePart* part = nullptr;
};

struct GeneratorModel {
  std::string name;
  SourceSpan span;
  const Generator* spec = nullptr;
};
struct FeedModel {
  std::string name;
  SourceSpan span;
  const Feed* spec = nullptr;
  const UpsPart* ups = nullptr;
  Value<VoltAmperes> capacity; /* continuous; from capacity or breaker */
  int generator = -1;
};
struct TransferModel {
  std::string name;
  SourceSpan span;
  const TransferSwitch* spec = nullptr;
  int feeds[2] = {-1, -1}, panels[2] = {-1, -1};  // of the preferred source and of the other one
  bool bridges = false;                           // its break is short enough for what runs behind it
};
struct PanelModel {
  std::string name;
  SourceSpan span;
  const Panel* spec = nullptr;
  int feed = -1;  // behind a transfer switch: the preferred one
  int other_feed = -1, transfer = -1;
};
struct ZoneModel {
  std::string name;
  SourceSpan span;
  const CoolingZone* spec = nullptr;
  const CoolingPart* part = nullptr;
  const CoolingPart* cdu = nullptr;
  Value<Watts> heat;       // of the units that run when the spares have failed; liquid: of the CDUs
  Value<AirFlow> airflow;  // likewise
};

struct Cluster {
  Spec spec;  // the groups below point into it
  bool own_site = true;
  double continuous_factor = 0;  // 0.80 (na) or 1.00 (iec); 0 when the region is missing
  std::vector<GeneratorModel> generators;
  std::vector<FeedModel> feeds;
  std::vector<TransferModel> transfers;
  std::vector<PanelModel> panels;
  std::vector<ZoneModel> zones;
  std::vector<RackGroupModel> racks;
  std::vector<AssemblyGroupModel> assemblies;
  std::vector<NodeGroupModel> nodes;
  std::vector<StorageModel> storage;
  std::vector<NetworkModel> networks;
  std::vector<CableModel>
      cables;  // every cable, module and fibre of the catalogue, by id; empty where nothing is cabled (a cloud)
  Memo memo;   // of what is asked once it is frozen
  std::int64_t node_count = 0, rack_count = 0;  // rack_count counts frames of assemblies too

  int node_group_of(std::int64_t node) const;
  int rack_group_of(std::int64_t rack) const;  // -1 for a frame of an assembly
  std::string node_name(std::int64_t node) const;
  std::string rack_name(std::int64_t rack) const;
  int find_node_group(std::string_view name) const;
  int find_network(std::string_view name) const;
  int first_network_carrying(Traffic) const;  // -1 when none
};

// Heap-allocated once, never moved: groups hold pointers into `spec`. Everything that could not be resolved is in
// `findings`.
std::unique_ptr<Cluster> resolve_cluster(Spec, Catalog&, Findings&);

}  // namespace clusterc
