// Servers and what they are fitted with: GPUs, processors, adapters, PCIe; storage systems and assemblies, which are
// made of servers. As in catalog/parts.h.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "catalog/parts.h"

namespace clusterc {

struct GpuPart {
  SourceSpan span;
  Value<std::string> name;
  Value<Vendor> vendor;
  Value<Version> sm;
  Value<GpuForm> form;
  Value<Watts> tdp, power_min, power_max, transient;
  Value<Bytes> memory;
  Value<BytesPerSecond> memory_bandwidth, gpu_link;
  Value<FlopsPerSecond> fp64, fp64_tensor, fp32, tf32, bf16, fp8, fp4;
  Value<std::int64_t> pcie_generation, pcie_lanes, slot_width, devices, render_nodes;
  Value<std::string> cooling, power_connector, card;
  Value<Bytes> bar;
  Value<Celsius> temperature_max;
  std::vector<Value<std::int64_t>> bridges;
  std::vector<Value<PciId>> pci_ids;
  static constexpr std::string_view type_name = "gpu";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("name", s.name, {.doc = "name for people"});
    v("vendor", s.vendor, {.doc = "maker of the chip"});
    v("sm", s.sm, {.doc = "CUDA compute capability without the dot: 90"});
    v("form", s.form, {.doc = "form factor"});
    v("tdp", s.tdp, {.doc = "power limit as shipped"});
    v("power_min", s.power_min, {.doc = "lowest power limit that the board takes"});
    v("power_max", s.power_max, {.doc = "highest power limit that the board takes"});
    v("transient", s.transient, {.doc = "published peak of less than a millisecond"});
    v("memory", s.memory, {.doc = "device memory"});
    v("memory_bandwidth", s.memory_bandwidth, {.doc = "data sheet bandwidth of the device memory"});
    v("gpu_link", s.gpu_link, {.doc = "NVLink or xGMI, one direction, all links of one GPU together"});
    v("fp64", s.fp64, {.doc = "FP64 vector peak"});
    v("fp64_tensor", s.fp64_tensor, {.doc = "FP64 matrix peak"});
    v("fp32", s.fp32, {.doc = "FP32 vector peak"});
    v("tf32", s.tf32, {.doc = "TF32 matrix peak, dense"});
    v("bf16", s.bf16, {.doc = "BF16 matrix peak, dense"});
    v("fp8", s.fp8, {.doc = "FP8 matrix peak, dense"});
    v("fp4", s.fp4, {.doc = "FP4 matrix peak, dense"});
    v("pcie_generation", s.pcie_generation, {.doc = "PCIe generation of the host interface", .least = 1, .most = 7});
    v("pcie_lanes", s.pcie_lanes, {.doc = "lanes of the host interface", .least = 1, .most = 32});
    v("slot_width", s.slot_width, {.doc = "slots that a card covers", .least = 1, .most = 4});
    v("cooling", s.cooling, {.doc = "passive, active or liquid"});
    v("power_connector", s.power_connector, {.doc = "auxiliary power connector"});
    v("card", s.card, {.doc = "size of the card: half or full height, half or full length", .words = "hhhl|fhhl|fhfl"});
    v("bar", s.bar, {.doc = "address space that it asks the board for (BAR1 of `nvidia-smi -q`)"});
    v("temperature_max", s.temperature_max,
      {.doc = "highest temperature of the chip in operation (GPU Max Operating Temp of `nvidia-smi -q`)"});
    v("devices", s.devices,
      {.doc = "GPUs that software sees in one module, each with its share of power, memory and arithmetic: 2 for an "
              "MI250X, of which four make eight; `gpu_link`, `pcie_lanes` and `render_nodes` are of one of them",
       .least = 1,
       .most = 16});
    v("render_nodes", s.render_nodes,
      {.doc =
           "DRM render nodes (/dev/dri/renderD128 and on) that the amdgpu driver makes of one GPU, the first of which "
           "is the GPU's and the others its partitions'; left out: one, and the health check does not compare",
       .least = 1,
       .most = 64});
    v("bridges", s.bridges, {.doc = "how many cards one NVLink bridge can join: [2, 4]", .least = 2, .most = 8});
    v("pci_ids", s.pci_ids, {.doc = "PCI vendor and device by which a machine reports it"});
  }
};

// Facts of a module become those of one of its `devices`, the GPU of everything else in this program.
void divide_among_devices(GpuPart&);

struct CpuPart {
  SourceSpan span;
  Value<std::string> name;
  Value<Vendor> vendor;
  Value<Arch> arch;
  Value<std::int64_t> cores, threads_per_core, pcie_generation, pcie_lanes, memory_channels, flop_per_cycle;
  Value<Watts> tdp;
  Value<Hertz> clock;
  Value<TransfersPerSecond> memory_rate;
  Value<std::string> socket;
  static constexpr std::string_view type_name = "cpu";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("name", s.name, {.doc = "name for people"});
    v("vendor", s.vendor, {.doc = "maker"});
    v("arch", s.arch, {.doc = "instruction set"});
    v("cores", s.cores, {.doc = "cores of one socket", .least = 1, .most = 4096});
    v("threads_per_core", s.threads_per_core, {.doc = "hardware threads of one core", .least = 1, .most = 8});
    v("clock", s.clock, {.doc = "highest clock that all cores can reach; the ceiling of FLOP/s rests on it"});
    v("flop_per_cycle", s.flop_per_cycle,
      {.doc = "FP64 operations of one core in one cycle", .least = 1, .most = 1024});
    v("tdp", s.tdp, {.doc = "thermal design power"});
    v("pcie_generation", s.pcie_generation, {.doc = "PCIe generation of the root ports", .least = 1, .most = 7});
    v("pcie_lanes", s.pcie_lanes, {.doc = "PCIe lanes of one socket", .least = 0, .most = 256});
    v("memory_channels", s.memory_channels, {.doc = "memory channels of one socket", .least = 1, .most = 32});
    v("memory_rate", s.memory_rate, {.doc = "highest transfer rate with one module a channel"});
    v("socket", s.socket, {.doc = "socket that it is made for: sp5, lga4677"});
  }
};

struct NicPart {
  SourceSpan span;
  Value<std::string> name;
  std::vector<Value<LinkKind>> links;
  Value<std::int64_t> ports, pcie_generation, pcie_lanes;
  Value<BitsPerSecond> port_rate, ethernet_rate;
  Value<Watts> power;
  Value<std::string> connector, card;
  std::vector<Value<PciId>> pci_ids;
  static constexpr std::string_view type_name = "nic";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("name", s.name, {.doc = "name for people"});
    v("links", s.links, {.doc = "link layers that the ports speak"});
    v("ports", s.ports, {.doc = "network ports of one adapter", .least = 1, .most = 64});
    v("port_rate", s.port_rate, {.doc = "highest rate of one port, one direction"});
    v("ethernet_rate", s.ethernet_rate, {.doc = "highest rate of one Ethernet link, where it is lower"});
    v("pcie_generation", s.pcie_generation, {.doc = "PCIe generation", .least = 1, .most = 7});
    v("pcie_lanes", s.pcie_lanes, {.doc = "PCIe lanes", .least = 1, .most = 32});
    v("power", s.power, {.doc = "highest power of the adapter without modules"});
    v("connector", s.connector, {.doc = "cage: osfp-flat (riding heat sink), qsfp112, qsfp56, qsfp28, sfp28, rj45"});
    v("card", s.card,
      {.doc = "size of the card: half or full height, half or full length, OCP 3.0; board: it is no card",
       .words = "hhhl|fhhl|fhfl|ocp3|board"});
    v("pci_ids", s.pci_ids, {.doc = "PCI vendor and device by which a machine reports it"});
  }
};

// A PCIe path in a server: socket -> root port -> (switch ->) slot -> device.
struct PcieSlot {
  SourceSpan span;
  Value<std::string> device;
  std::vector<Value<std::string>> devices, splits;
  Value<std::int64_t> lanes, generation, width, numa;
  Value<std::string> through, card;
  Value<Watts> power;
  static constexpr std::string_view type_name = "slot";
  static bool from_text(std::string_view, PcieSlot&, std::string& error);  // "gpus[0]": the device
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("device", s.device, {.doc = "what sits in it: gpus[0], nics.data, nics.compute[3], drives.scratch[1]"});
    v("devices", s.devices, {.doc = "several devices that share its lanes in equal parts (bifurcation)"});
    v("splits", s.splits,
      {.doc = "ways in which the board can split it", .words = "1x16|2x8|4x4|8x2|1x8|2x4|4x2|1x4|2x2|4x1"});
    v("lanes", s.lanes,
      {.standard = "16",
       .why = "accelerator slots are x16",
       .doc = "electrical lanes: 1, 2, 4, 8 or 16",
       .least = 1,
       .most = 16});
    v("generation", s.generation, {.doc = "PCIe generation; left out: the socket's", .least = 1, .most = 7});
    v("width", s.width, {.doc = "card widths that fit", .least = 1, .most = 4});
    v("card", s.card, {.doc = "largest card that fits; ocp3 takes nothing else", .words = "hhhl|fhhl|fhfl|ocp3"});
    v("power", s.power, {.doc = "power that the slot and its cable give a card"});
    v("numa", s.numa,
      {.doc = "NUMA node of its root port, counted from 0 over the whole server", .least = 0, .most = 63});
    v("through", s.through, {.doc = "PCIe switch between the root port and the slot"});
  }
};
struct PcieSwitch {
  SourceSpan span;
  Value<std::int64_t> uplink_lanes, generation, lanes, numa;
  Value<std::string> through;
  static constexpr std::string_view type_name = "pcie switch";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("uplink_lanes", s.uplink_lanes,
      {.standard = "16",
       .why = "one x16 uplink",
       .doc = "lanes to the root port, or to the switch above",
       .least = 1,
       .most = 64});
    v("generation", s.generation, {.doc = "PCIe generation; left out: the socket's", .least = 1, .most = 7});
    v("lanes", s.lanes, {.doc = "lanes of the switch in all, uplink and slots", .least = 2, .most = 1024});
    v("numa", s.numa,
      {.doc = "NUMA node of its root port, counted from 0 over the whole server", .least = 0, .most = 63});
    v("through", s.through, {.doc = "switch above it, where it does not hang on the root port"});
  }
};
struct PcieSocket {
  SourceSpan span;
  NamedMap<PcieSwitch> switches;
  NamedMap<PcieSlot> slots;
  static constexpr std::string_view type_name = "pcie socket";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("switches", s.switches, {.doc = "PCIe switches below this socket"});
    v.rest(s.slots, {.doc = "slots by name"});
  }
};

// What a server is fitted with. A part's own fitting, `server:` in a group and the group itself use the same keys; the
// nearest wins.
struct Fittings {
  std::optional<PartCount> cpus, gpus;
  std::optional<Dimms> memory;
  NamedMap<PartCount> nics;
  NamedMap<Drives> drives;
  std::optional<PsuSet> psus;
  NamedMap<PcieSocket> pcie;
  Value<std::int64_t> nvlink_bridge;
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("cpus", s.cpus, {.doc = "processors: 2 x epyc-9654"});
    v("memory", s.memory, {.doc = "memory modules: 24 x 32 GiB"});
    v("gpus", s.gpus, {.doc = "GPUs: 8 x nvidia-h100-sxm5-80"});
    v("nics", s.nics, {.doc = "network adapters by use: { compute: 8 x cx7-ndr-osfp }"});
    v("drives", s.drives, {.doc = "drives by use: { boot: 2 x 1.92 TB nvme }"});
    v("psus", s.psus, {.doc = "power supplies"});
    v("pcie", s.pcie, {.doc = "PCIe tree by socket (socket0, socket1): slots, switches, devices"});
    v("nvlink_bridge", s.nvlink_bridge,
      {.doc = "PCIe cards that one NVLink bridge joins, in the order of their indices", .least = 2, .most = 8});
  }
};

// Which ports of which adapters make a named group of ports, where it is not simply all ports of one `nics` entry.
struct PortGroup {
  SourceSpan span;
  Value<std::string> nics;
  Value<std::int64_t> port;
  Value<BitsPerSecond> rate;
  std::vector<Value<std::int64_t>> cages;
  static constexpr std::string_view type_name = "ports";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("nics", s.nics, {.required = true, .doc = "entry of nics"});
    v("port", s.port, {.doc = "only this port of each adapter, counted from 1; left out: all", .least = 1, .most = 64});
    v("rate", s.rate, {.doc = "rate of the port, where lower than the adapter's"});
    v("cages", s.cages,
      {.doc = "cage of each port in turn, where ports share twin-port cages: [1, 1, 2, 2]", .least = 1, .most = 1024});
  }
};

struct ServerPart : Fittings {
  SourceSpan span;
  Value<std::string> name, like;
  Value<Arch> arch;
  Value<std::int64_t> units, sockets, dimm_slots, drive_bays, gpu_slots, pcie_slots, pcie_generation, pcie_lanes,
      numa_nodes;
  Value<Meters> depth, height;
  Value<Kilograms> weight;
  Value<Watts> power, power_typical, power_idle;
  Value<AirFlow> airflow;
  Value<Celsius> inlet_min, inlet_max, coolant_max;
  Value<double> liquid_share;
  std::vector<Value<GpuForm>> gpu_forms;
  Value<bool> liquid_cooled, bmc;
  Value<Bytes> bar_window;
  Value<Watts> cpu_tdp;
  Value<std::string> cpu_socket, nic_side;
  NamedMap<PortGroup> ports;
  Value<BytesPerSecond> gpu_link;
  static constexpr std::string_view type_name = "server";
  static bool from_text(std::string_view, ServerPart&, std::string& error);  // a bare name is `like`
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("name", s.name, {.doc = "name for people"});
    v("like", s.like, {.doc = "catalogue part that this one changes"});
    v("arch", s.arch, {.doc = "instruction set"});
    v("units", s.units, {.doc = "height in rack units", .least = 1, .most = 60});
    v("depth", s.depth, {.doc = "depth of the chassis"});
    v("height", s.height, {.doc = "height of the chassis"});
    v("weight", s.weight, {.doc = "weight with all its parts installed"});
    v("power", s.power, {.doc = "highest power at the wall; left out: the sum of the parts"});
    v("power_typical", s.power_typical, {.doc = "typical power under load"});
    v("power_idle", s.power_idle, {.doc = "power when idle"});
    v("airflow", s.airflow, {.doc = "air that it needs at full power"});
    v("inlet_min", s.inlet_min, {.doc = "lowest air inlet temperature"});
    v("inlet_max", s.inlet_max, {.doc = "highest air inlet temperature"});
    v("sockets", s.sockets, {.doc = "processor sockets", .least = 1, .most = 16});
    v("dimm_slots", s.dimm_slots, {.doc = "memory slots", .least = 1, .most = 256});
    v("drive_bays", s.drive_bays, {.doc = "drive bays", .least = 0, .most = 256});
    v("gpu_slots", s.gpu_slots, {.doc = "places for GPUs", .least = 0, .most = 64});
    v("gpu_forms", s.gpu_forms, {.doc = "forms of GPU that fit"});
    v("pcie_slots", s.pcie_slots, {.doc = "x16 slots", .least = 0, .most = 64});
    v("pcie_generation", s.pcie_generation, {.doc = "PCIe generation of the slots", .least = 1, .most = 7});
    v("pcie_lanes", s.pcie_lanes,
      {.doc = "PCIe lanes that the board brings out, of all sockets together", .least = 1, .most = 1024});
    v("bar_window", s.bar_window, {.doc = "64-bit address space that the board gives to devices (MMIO high)"});
    v("cpu_socket", s.cpu_socket, {.doc = "processor socket: sp5, lga4677"});
    v("cpu_tdp", s.cpu_tdp, {.doc = "design power of a processor that the chassis cools"});
    v("nic_side", s.nic_side, {.doc = "side where the network ports are", .words = "front|rear"});
    v("numa_nodes", s.numa_nodes, {.doc = "NUMA nodes as shipped", .least = 1, .most = 64});
    v("liquid_cooled", s.liquid_cooled, {.doc = "needs a coolant loop"});
    v("liquid_share", s.liquid_share, {.doc = "share of the heat that the coolant takes", .least = 0, .most = 1});
    v("coolant_max", s.coolant_max, {.doc = "warmest coolant that it may be given"});
    v("bmc", s.bmc, {.doc = "has a management port on the out-of-band network"});
    v("gpu_link", s.gpu_link, {.doc = "NVLink or xGMI inside the server, one way for one GPU"});
    v("ports", s.ports, {.doc = "groups of network ports, where they differ from nics"});
    Fittings::describe(s, v);
  }
};

struct StoragePart {
  SourceSpan span;
  Value<std::string> name;
  Value<std::int64_t> units, nodes;
  Value<BytesPerSecond> read, write;
  Value<Bytes> capacity;
  Value<Watts> power;
  Value<Kilograms> weight;
  Value<Meters> depth;
  NamedMap<PartCount> nics;
  std::optional<PsuSet> psus;
  static constexpr std::string_view type_name = "storage";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("name", s.name, {.doc = "name for people"});
    v("units", s.units, {.doc = "height in rack units", .least = 1, .most = 60});
    v("nodes", s.nodes, {.doc = "servers inside", .least = 1, .most = 64});
    v("read", s.read, {.doc = "sequential read of one unit as bought"});
    v("write", s.write, {.doc = "sequential write"});
    v("capacity", s.capacity, {.doc = "usable capacity"});
    v("power", s.power, {.doc = "highest power"});
    v("weight", s.weight, {.doc = "weight"});
    v("depth", s.depth, {.doc = "depth"});
    v("nics", s.nics, {.doc = "network adapters by use"});
    v("psus", s.psus, {.doc = "power supplies"});
  }
};

// A rack-scale system, bought as one part: trays, switches, shelves, busbar, manifold.
struct AssemblyTray {
  SourceSpan span;
  Value<std::int64_t> count, units;
  std::optional<ServerPart> server;
  static constexpr std::string_view type_name = "trays";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("count", s.count, {.required = true, .doc = "how many in one assembly", .least = 1, .most = 1024});
    v("units", s.units, {.doc = "height of one", .least = 1, .most = 60});
    v("server", s.server, {.doc = "the server that a tray is"});
  }
};
struct AssemblyPart {
  SourceSpan span;
  Value<std::string> name;
  Value<std::int64_t> units, gpus, power_shelves, nvlink_domain;
  Value<Watts> power, shelf_power;
  Value<Volts> shelf_input_min, shelf_input_max;
  Value<std::int64_t> shelf_phases;
  Value<double> liquid_share;
  Value<Celsius> coolant_max;
  Value<Kilograms> weight;
  Value<Meters> width, depth;
  NamedMap<AssemblyTray> trays;
  static constexpr std::string_view type_name = "assembly";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("name", s.name, {.doc = "name for people"});
    v("units", s.units, {.doc = "rack units of the frame", .least = 1, .most = 60});
    v("gpus", s.gpus, {.doc = "GPUs in all", .least = 0, .most = 100000});
    v("nvlink_domain", s.nvlink_domain, {.doc = "GPUs of one NVLink domain", .least = 1, .most = 100000});
    v("power", s.power, {.doc = "highest power of the whole assembly"});
    v("power_shelves", s.power_shelves, {.doc = "power shelves", .least = 0, .most = 64});
    v("shelf_power", s.shelf_power, {.doc = "output of one shelf"});
    v("shelf_input_min", s.shelf_input_min, {.doc = "lowest input voltage of a shelf; three phases: line to line"});
    v("shelf_input_max", s.shelf_input_max, {.doc = "highest input voltage of a shelf"});
    v("shelf_phases", s.shelf_phases, {.doc = "phases that a shelf needs: 1 or 3", .least = 1, .most = 3});
    v("liquid_share", s.liquid_share, {.doc = "share of the heat that the coolant takes", .least = 0, .most = 1});
    v("coolant_max", s.coolant_max, {.doc = "warmest coolant that it may be given"});
    v("weight", s.weight, {.doc = "weight as installed"});
    v("width", s.width, {.doc = "width"});
    v("depth", s.depth, {.doc = "depth"});
    v("trays", s.trays, {.doc = "what it contains: compute-trays, nvlink-switch-trays"});
  }
};

}  // namespace clusterc
