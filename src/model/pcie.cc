#include "model/pcie.h"

#include <algorithm>
#include <charconv>

#include "base/format.h"

namespace clusterc {
namespace {

std::int64_t lowest_known(std::initializer_list<std::int64_t> values) {
  std::int64_t lowest = 0;
  for (std::int64_t v : values)
    if (v > 0 && (lowest == 0 || v < lowest)) lowest = v;
  return lowest;
}

BytesPerSecond narrower(BytesPerSecond a, BytesPerSecond b) {
  if (a.value == 0 || b.value == 0) return BytesPerSecond{0};   // one of them is not known: nor is the narrower
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
  return 4;   // U.2 and M.2 drives have four lanes (SFF-8639)
}

}  // namespace

BytesPerSecond pcie_lane_rate(std::int64_t generation) {
  switch (generation) {
    case 1: return BytesPerSecond{2.5e9 / 8 * 8 / 10};
    case 2: return BytesPerSecond{5e9 / 8 * 8 / 10};
    case 3: return BytesPerSecond{8e9 / 8 * 128 / 130};
    case 4: return BytesPerSecond{16e9 / 8 * 128 / 130};
    case 5: return BytesPerSecond{32e9 / 8 * 128 / 130};
    case 6: return BytesPerSecond{64e9 / 8 * 236 / 256};
    default: return BytesPerSecond{0};
  }
}
BytesPerSecond pcie_link_rate(std::int64_t generation, std::int64_t lanes) { return pcie_lane_rate(generation) * static_cast<double>(lanes); }

std::string_view pcie_relation_name(PcieRelation r) {
  switch (r) {
    case PcieRelation::same_switch: return "same PCIe switch";
    case PcieRelation::same_socket: return "same socket";
    case PcieRelation::across_sockets: return "across sockets";
    case PcieRelation::unknown: break;
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
  if (text.substr(0, dot) == "nics") out.kind = PcieDeviceKind::nic;
  else if (text.substr(0, dot) == "drives") out.kind = PcieDeviceKind::drive;
  else return false;
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

PcieTree pcie_tree(const ServerModel& server) {
  PcieTree tree;
  const std::int64_t board = server.part.pcie_generation.value_or(0);
  const std::int64_t cpu = server.cpu ? server.cpu->pcie_generation.value_or(0) : 0;
  for (const auto& socket : server.part.pcie) {
    const int s = static_cast<int>(tree.sockets.size());
    PcieTreeSocket root{socket.name, socket.name_span, 0, server.cpu ? server.cpu->pcie_lanes.value_or(0) : 0, lowest_known({board, cpu})};
    const std::size_t first_switch = tree.switches.size();
    for (const auto& sw : socket.value.switches) {
      PcieTreeSwitch w{sw.name, s, sw.value.uplink_lanes.value_or(16), lowest_known({sw.value.generation.value_or(0), root.generation}), {}};
      w.uplink_rate = pcie_link_rate(w.generation, w.uplink_lanes);
      root.lanes_used += w.uplink_lanes;
      tree.switches.push_back(std::move(w));
    }
    for (const auto& entry : socket.value.slots) {
      const PcieSlot& slot = entry.value;
      if (!slot.device) continue;                    // an empty slot takes no lanes
      DeviceName name;
      PcieDevice d;
      if (!parse_device_name(*slot.device, name) || !locate(server, name, d)) {
        tree.misfits.push_back({entry.name, slot.device.span.valid() ? slot.device.span : entry.name_span, false, slot.device.origin});
        continue;
      }
      d.socket = s;
      d.slot = &slot;
      d.slot_name = entry.name;
      if (slot.through) {
        for (std::size_t i = first_switch; i < tree.switches.size(); ++i)
          if (tree.switches[i].name == *slot.through) d.through = static_cast<int>(i);
        if (d.through < 0) tree.misfits.push_back({entry.name, slot.through.span, true, slot.through.origin});
      }
      const std::int64_t slot_lanes = slot.lanes.value_or(16);
      d.lanes = lowest_known({slot_lanes, card_lanes(server, d)});
      // A switch may speak a newer generation below than its uplink does: only a slot that hangs on the root port is held to the socket's.
      const std::int64_t above = d.through >= 0 ? board : root.generation;
      d.generation = lowest_known({slot.generation.value_or(0), card_generation(server, d), above});
      d.rate = pcie_link_rate(d.generation, d.lanes);
      if (d.through < 0) root.lanes_used += d.kind == PcieDeviceKind::drive ? d.lanes : slot_lanes;
      tree.devices.push_back(std::move(d));
    }
    tree.sockets.push_back(std::move(root));
  }
  return tree;
}

PcieRoad pcie_road(const PcieTree& tree, const PcieDevice& a, const PcieDevice& b) {
  PcieRoad road;
  road.rate = narrower(a.rate, b.rate);
  if (a.through >= 0 && a.through == b.through) {
    road.relation = PcieRelation::same_switch;
    return road;
  }
  for (const PcieDevice* d : {&a, &b})
    if (d->through >= 0) {
      road.rate = narrower(road.rate, tree.switches[d->through].uplink_rate);
      road.crosses_uplink = true;
    }
  road.relation = a.socket == b.socket ? PcieRelation::same_socket : PcieRelation::across_sockets;
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
    if (pair.nic < 0 && nics > 0) pair.nic = g * nics / server.gpu_count;   // in order, in equal shares
    if (pair.nic >= 0) ++users[pair.nic];
    pairs.push_back(pair);
  }
  return pairs;
}

int socket_of_gpu(const PcieTree& tree, std::int64_t gpu) {
  const PcieDevice* d = tree.gpu(gpu);
  return d ? d->socket : -1;
}

}  // namespace clusterc
