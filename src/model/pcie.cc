#include "model/pcie.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <tuple>

#include "base/format.h"
#include "model/group_ends.h"

namespace clusterc {
namespace {

std::int64_t lowest_known(std::initializer_list<std::int64_t> values) {
  std::int64_t lowest = 0;
  for (std::int64_t v : values)
    if (v > 0 && (lowest == 0 || v < lowest)) lowest = v;
  return lowest;
}

BytesPerSecond narrower(BytesPerSecond a, BytesPerSecond b) {
  if (a.value == 0 || b.value == 0) return BytesPerSecond{0};  // one of them is not known: nor is the narrower
  return std::min(a, b);
}

// Finds the device in the server; false when the server has no such device.
bool locate(const ServerModel& server, const DeviceName& name, PcieDevice& d) {
  d.kind = name.kind;
  d.index = name.index;
  if (name.kind == PcieDeviceKind::gpu) {
    d.name = format("gpus[{}]", name.index);
    return name.index < server.gpu_count;
  }
  if (name.kind == PcieDeviceKind::nic) {
    d.name = format("nics.{}[{}]", name.set, name.index);
    for (std::size_t i = 0; i < server.nics.size(); ++i)
      if (server.nics[i].name == name.set) {
        d.set = static_cast<int>(i);
        return name.index < server.nics[i].count;
      }
    return false;
  }
  d.name = format("drives.{}[{}]", name.set, name.index);
  const auto& drives = server.part.drives.entries;
  for (std::size_t i = 0; i < drives.size(); ++i)
    if (drives[i].name == name.set) {
      d.set = static_cast<int>(i);
      return name.index < drives[i].value.count.value_or(1);
    }
  return false;
}

std::int64_t card_generation(const ServerModel& s, const PcieDevice& d) {
  if (d.kind == PcieDeviceKind::gpu) return s.gpu ? s.gpu->pcie_generation.value_or(0) : 0;
  if (d.kind == PcieDeviceKind::nic) return s.nics[d.set].part ? s.nics[d.set].part->pcie_generation.value_or(0) : 0;
  return 0;
}
std::int64_t card_lanes(const ServerModel& s, const PcieDevice& d) {
  if (d.kind == PcieDeviceKind::gpu) return s.gpu ? s.gpu->pcie_lanes.value_or(0) : 0;
  if (d.kind == PcieDeviceKind::nic) return s.nics[d.set].part ? s.nics[d.set].part->pcie_lanes.value_or(0) : 0;
  return 4;  // U.2 and M.2 drives have four lanes (SFF-8639)
}

}  // namespace

BytesPerSecond pcie_lane_rate(std::int64_t generation) {
  switch (generation) {
    case 1:
      return BytesPerSecond{2.5e9 / 8 * 8 / 10};
    case 2:
      return BytesPerSecond{5e9 / 8 * 8 / 10};
    case 3:
      return BytesPerSecond{8e9 / 8 * 128 / 130};
    case 4:
      return BytesPerSecond{16e9 / 8 * 128 / 130};
    case 5:
      return BytesPerSecond{32e9 / 8 * 128 / 130};
    case 6:
      return BytesPerSecond{64e9 / 8 * 236 / 256};
    default:
      return BytesPerSecond{0};
  }
}
BytesPerSecond pcie_link_rate(std::int64_t generation, std::int64_t lanes) {
  return pcie_lane_rate(generation) * static_cast<double>(lanes);
}

std::string_view pcie_relation_name(PcieRelation r) {
  switch (r) {
    case PcieRelation::same_switch:
      return "same PCIe switch";
    case PcieRelation::same_numa:
      return "same NUMA node";
    case PcieRelation::same_socket:
      return "same socket";
    case PcieRelation::across_sockets:
      return "across sockets";
    case PcieRelation::unknown:
      break;
  }
  return "not known";
}

bool parse_device_name(std::string_view text, DeviceName& out) {
  out.index = 0;
  if (!text.empty() && text.back() == ']') {
    const std::size_t open = text.rfind('[');
    if (open == std::string_view::npos) return false;
    const char* first = text.data() + open + 1;
    const char* last = text.data() + text.size() - 1;
    const auto [end, error] = std::from_chars(first, last, out.index);
    if (error != std::errc{} || end != last || first == last || out.index < 0) return false;
    text = text.substr(0, open);
  }
  if (text == "gpus") {
    out.kind = PcieDeviceKind::gpu;
    out.set = {};
    return true;
  }
  const std::size_t dot = text.find('.');
  if (dot == std::string_view::npos || dot + 1 == text.size()) return false;
  out.set = text.substr(dot + 1);
  if (text.substr(0, dot) == "nics")
    out.kind = PcieDeviceKind::nic;
  else if (text.substr(0, dot) == "drives")
    out.kind = PcieDeviceKind::drive;
  else
    return false;
  return true;
}

const PcieDevice* PcieTree::gpu(std::int64_t index) const {
  for (const PcieDevice& d : devices)
    if (d.kind == PcieDeviceKind::gpu && d.index == index) return &d;
  return nullptr;
}
const PcieDevice* PcieTree::nic(int set, std::int64_t index) const {
  for (const PcieDevice& d : devices)
    if (d.kind == PcieDeviceKind::nic && d.set == set && d.index == index) return &d;
  return nullptr;
}

const PcieDevice* PcieTree::drive(int set, std::int64_t index) const {
  for (const PcieDevice& d : devices)
    if (d.kind == PcieDeviceKind::drive && d.set == set && d.index == index) return &d;
  return nullptr;
}

namespace {

std::int64_t split_parts(std::int64_t devices) {
  std::int64_t parts = 1;
  while (parts < devices) parts *= 2;  // ports of a root complex split in halves
  return parts;
}

// Switches of one socket; each finds the one above it by name.
void add_switches(PcieTree& tree, const Named<PcieSocket>& socket, int index, PcieTreeSocket& root,
                  std::int64_t board) {
  const std::size_t first = tree.switches.size();
  for (const auto& sw : socket.value.switches) {
    PcieTreeSwitch w{.name = sw.name, .span = sw.name_span, .socket = index};
    w.uplink_lanes = sw.value.uplink_lanes.value_or(16);
    w.lanes_used = w.uplink_lanes;
    w.lanes = sw.value.lanes.value_or(0);
    w.numa = sw.value.numa.value_or(-1);
    tree.switches.push_back(std::move(w));
  }
  const std::size_t count = tree.switches.size() - first;
  for (std::size_t i = 0; i < count; ++i) {
    const PcieSwitch& written = socket.value.switches.entries[i].value;
    PcieTreeSwitch& w = tree.switches[first + i];
    if (written.through) {
      for (std::size_t j = 0; j < count; ++j)
        if (j != i && tree.switches[first + j].name == *written.through) w.through = static_cast<int>(first + j);
      // A circle has no root port: the switch that closes it hangs on none.
      bool circle = w.name == *written.through;
      for (int up = w.through, steps = 0; up >= 0 && !circle;
           up = tree.switches[static_cast<std::size_t>(up)].through, ++steps)
        circle = up == static_cast<int>(first + i) || steps > static_cast<int>(count);
      if (circle) w.through = -1;
      if (w.through < 0)
        tree.misfits.push_back({w.name, written.through.span,
                                circle ? PcieMisfit::What::circle : PcieMisfit::What::switch_below_none,
                                written.through.origin});
    }
    w.generation = lowest_known({written.generation.value_or(0), w.through >= 0 ? board : root.generation});
    if (w.generation == 0) w.generation = root.generation;  // nobody says more: the socket's
    w.uplink_rate = pcie_link_rate(w.generation, w.uplink_lanes);
    (w.through >= 0 ? tree.switches[static_cast<std::size_t>(w.through)].lanes_used : root.lanes_used) +=
        w.uplink_lanes;
  }
}

// What a slot holds. Where the spec fills a slot of a part anew, or puts a device elsewhere, the part's word does not
// count.
std::vector<const Value<std::string>*> held_in(
    const PcieSlot& slot, const std::set<std::tuple<PcieDeviceKind, std::string_view, std::int64_t>>& placed_by_spec) {
  std::vector<const Value<std::string>*> held;
  const bool spec_device = slot.device && slot.device.origin == Origin::spec;
  const bool spec_devices = !slot.devices.empty() && slot.devices.front().origin == Origin::spec;
  const auto take = [&](const Value<std::string>& device) {
    DeviceName name;
    if (!device || (device.origin != Origin::spec && parse_device_name(*device, name) &&
                    placed_by_spec.contains({name.kind, name.set, name.index})))
      return;
    held.push_back(&device);
  };
  if (spec_device || !spec_devices) take(slot.device);
  if (spec_devices || !spec_device)
    for (const Value<std::string>& device : slot.devices) take(device);
  return held;
}

std::set<std::tuple<PcieDeviceKind, std::string_view, std::int64_t>> placed_by_spec(const ServerPart& part) {
  std::set<std::tuple<PcieDeviceKind, std::string_view, std::int64_t>> placed;
  const auto take = [&](const Value<std::string>& device) {
    DeviceName name;
    if (device && device.origin == Origin::spec && parse_device_name(*device, name))
      placed.insert({name.kind, name.set, name.index});
  };
  for (const auto& socket : part.pcie)
    for (const auto& slot : socket.value.slots) {
      take(slot.value.device);
      for (const Value<std::string>& device : slot.value.devices) take(device);
    }
  return placed;
}

}  // namespace

std::string needed_split(const PcieSlot& slot, std::int64_t devices) {
  const std::int64_t parts = split_parts(devices);
  return parts < 2 ? std::string() : format("{}x{}", parts, slot.lanes.value_or(16) / parts);
}

PcieTree pcie_tree(const ServerModel& server) {
  PcieTree tree;
  const std::int64_t board = server.part.pcie_generation.value_or(0);
  const std::int64_t cpu = server.cpu ? server.cpu->pcie_generation.value_or(0) : 0;
  const LaneBudget lanes = lane_budget(server);
  const auto placed = placed_by_spec(server.part);
  for (const auto& socket : server.part.pcie) {
    const int s = static_cast<int>(tree.sockets.size());
    PcieTreeSocket root{socket.name, socket.name_span, 0, lanes.usable, lanes.between, lowest_known({board, cpu})};
    const std::size_t first_switch = tree.switches.size();
    add_switches(tree, socket, s, root, board);
    for (const auto& entry : socket.value.slots) {
      const PcieSlot& slot = entry.value;
      const std::vector<const Value<std::string>*> held = held_in(slot, placed);
      if (held.empty()) continue;  // an empty slot takes no lanes
      int through = -1;
      if (slot.through) {
        for (std::size_t i = first_switch; i < tree.switches.size(); ++i)
          if (tree.switches[i].name == *slot.through) through = static_cast<int>(i);
        if (through < 0)
          tree.misfits.push_back(
              {entry.name, slot.through.span, PcieMisfit::What::slot_below_none, slot.through.origin});
      }
      const std::int64_t slot_lanes = slot.lanes.value_or(16),
                         parts = split_parts(static_cast<std::int64_t>(held.size()));
      std::int64_t taken = 0;
      for (const Value<std::string>* device : held) {
        DeviceName name;
        PcieDevice d;
        if (!parse_device_name(**device, name) || !locate(server, name, d)) {
          tree.misfits.push_back({entry.name, device->span.valid() ? device->span : entry.name_span,
                                  PcieMisfit::What::device, device->origin});
          continue;
        }
        d.socket = s;
        d.slot = &slot;
        d.slot_name = entry.name;
        d.through = through;
        d.parts = parts;
        d.card_lanes = card_lanes(server, d);
        d.card_generation = card_generation(server, d);
        d.lanes = lowest_known({std::max<std::int64_t>(1, slot_lanes / parts), d.card_lanes});
        // A switch may speak a newer generation below than its uplink does: only a slot that hangs on the root port is
        // held to the socket's.
        const std::int64_t above = d.through >= 0 ? board : root.generation;
        d.generation = lowest_known({slot.generation.value_or(0), d.card_generation, above});
        d.rate = pcie_link_rate(d.generation, d.lanes);
        d.numa = slot.numa.value_or(-1);
        for (int up = through; up >= 0 && d.numa < 0; up = tree.switches[static_cast<std::size_t>(up)].through)
          d.numa = tree.switches[static_cast<std::size_t>(up)].numa;
        taken = parts > 1 || d.kind != PcieDeviceKind::drive ? slot_lanes : d.lanes;
        tree.devices.push_back(std::move(d));
      }
      (through >= 0 ? tree.switches[static_cast<std::size_t>(through)].lanes_used : root.lanes_used) += taken;
    }
    tree.sockets.push_back(std::move(root));
  }
  return tree;
}

std::vector<int> switches_above(const PcieTree& tree, const PcieDevice& d) {
  std::vector<int> above;
  for (int up = d.through; up >= 0; up = tree.switches[static_cast<std::size_t>(up)].through) above.push_back(up);
  return above;
}

PcieRoad pcie_road(const PcieTree& tree, const PcieDevice& a, const PcieDevice& b, PcieAcs acs) {
  PcieRoad road;
  road.rate = narrower(a.rate, b.rate);
  const std::vector<int> of_a = switches_above(tree, a), of_b = switches_above(tree, b);
  // The switch where they meet: everything from there up is common to both.
  std::size_t common = 0;
  while (common < of_a.size() && common < of_b.size() &&
         of_a[of_a.size() - 1 - common] == of_b[of_b.size() - 1 - common])
    ++common;
  const bool meet = common > 0;
  const std::size_t spared = acs == PcieAcs::on ? 0 : common;
  const auto cross = [&](const std::vector<int>& above) {
    for (std::size_t i = 0; i + spared < above.size(); ++i) {
      if (std::find(road.uplinks.begin(), road.uplinks.end(), above[i]) != road.uplinks.end())
        continue;  // up and down again: full duplex
      road.uplinks.push_back(above[i]);
      const BytesPerSecond rate = tree.switches[static_cast<std::size_t>(above[i])].uplink_rate;
      if (rate.value > 0 && rate < road.rate) road.narrowest = above[i];
      road.rate = narrower(road.rate, rate);
    }
  };
  cross(of_a);
  cross(of_b);
  road.crosses_uplink = !road.uplinks.empty();
  if (meet)
    road.relation = PcieRelation::same_switch;
  else if (a.socket != b.socket)
    road.relation = PcieRelation::across_sockets;
  else
    road.relation = a.numa >= 0 && a.numa == b.numa ? PcieRelation::same_numa : PcieRelation::same_socket;
  return road;
}

std::vector<GpuNicPair> pair_gpus_with_nics(const ServerModel& server, const PcieTree& tree, int nic_set) {
  std::vector<GpuNicPair> pairs;
  if (nic_set < 0 || nic_set >= static_cast<int>(server.nics.size())) return pairs;
  const std::int64_t nics = server.nics[nic_set].count;
  std::vector<std::int64_t> users(static_cast<std::size_t>(std::max<std::int64_t>(nics, 0)), 0);
  for (std::int64_t g = 0; g < server.gpu_count; ++g) {
    GpuNicPair pair;
    pair.gpu = g;
    const PcieDevice* gpu = tree.gpu(g);
    for (std::int64_t n = 0; gpu && n < nics; ++n) {
      const PcieDevice* nic = tree.nic(nic_set, n);
      if (!nic) continue;
      const PcieRoad road = pcie_road(tree, *gpu, *nic);
      const bool closer = pair.nic < 0 || road.relation < pair.road.relation;
      const bool freer = pair.nic >= 0 && road.relation == pair.road.relation && users[n] < users[pair.nic];
      if (closer || freer) {
        pair.nic = n;
        pair.road = road;
      }
    }
    // An adapter whose place nobody states may be the nearest of all: of the others only one below the GPU's own switch
    // is surely so near.
    if (pair.road.relation != PcieRelation::same_switch)
      for (std::int64_t n = 0; gpu && pair.nic >= 0 && n < nics; ++n)
        if (!tree.nic(nic_set, n)) pair.road = {};
    if (pair.nic < 0 && nics > 0) pair.nic = g * nics / server.gpu_count;  // in order, in equal shares
    if (pair.nic >= 0) ++users[pair.nic];
    pairs.push_back(pair);
  }
  return pairs;
}

NicDemand nic_demand(const Cluster& c, int group, int set) {
  const ServerModel& s = c.nodes[static_cast<std::size_t>(group)].server;
  NicDemand out;
  for (const GroupEnd& at : ends_of_group(c, group)) {
    const NetworkModel& n = c.networks[static_cast<std::size_t>(at.network)];
    if (n.shares >= 0) continue;  // the same ports once more
    const EndPoints& e = n.ends[static_cast<std::size_t>(at.end)];
    if (e.ports < 0 || s.ports[static_cast<std::size_t>(e.ports)].nics != set) continue;
    out.all += e.rate * static_cast<double>(e.ports_each);
    out.fastest = std::max(out.fastest, e.rate);
  }
  if (const std::int64_t count = s.nics[static_cast<std::size_t>(set)].count; count > 0)
    out.all = out.all / static_cast<double>(count);
  return out;
}

// EPYC sockets talk over three or four x16 links of their own 128 lanes: 160 lanes of two sockets are left with three,
// 128 with four (AMD, EPYC 9004 architecture overview; 7002 likewise). Three is the most that can be left; what the
// board brings out may be less.
LaneBudget lane_budget(const ServerModel& server) {
  constexpr std::int64_t kEpycLanes = 128, kFewestLinks = 3, kMostLinks = 4, kLinkLanes = 16;
  LaneBudget budget;
  if (!server.cpu || server.cpu_count <= 0 || !server.cpu->pcie_lanes) {
    if (server.part.pcie_lanes && server.cpu_count > 0) budget.usable = *server.part.pcie_lanes / server.cpu_count;
    return budget;
  }
  const std::int64_t lanes = *server.cpu->pcie_lanes;
  if (server.cpu->vendor.value == Vendor::amd && server.cpu_count == 2 && lanes == kEpycLanes)
    budget.between = kFewestLinks * kLinkLanes;
  budget.usable = lanes - budget.between;
  if (server.part.pcie_lanes) {
    budget.usable = std::min(budget.usable, *server.part.pcie_lanes / server.cpu_count);
    // A board that brings out less than the rest uses a fourth link, or leaves lanes idle.
    if (budget.between > 0) budget.between = std::min(kMostLinks * kLinkLanes, lanes - budget.usable);
  }
  return budget;
}

int socket_of_gpu(const PcieTree& tree, std::int64_t gpu) {
  const PcieDevice* d = tree.gpu(gpu);
  return d ? d->socket : -1;
}

}  // namespace clusterc
