// Every link of a plan as numbers: its two ends, the cages they are plugged into, and the length of the way between
// them. Nothing is kept for a link; names are made when somebody asks. A link belongs to the fabric whose end points,
// or whose lower switches, it comes from.
//
// Length between racks: up (or down) from each device to the route, along both axes of the floor, and slack at either
// end:
//   L = climb(a) + |xa - xb| + |ya - yb| + climb(b) + 2 slack
// overhead: climb = height of the rack + 0.3 m - height of the device; underfloor: climb = height of the device + 0.5
// m. In one rack: |za - zb| + the rack's width + 2 slack. A device stands at the middle of its lowest unit; 1 U = 44.45
// mm (EIA-310), the first one 0.1 m above the floor. PDUs are taken at half the rack's height. Of a device that stands
// in no rack nothing is known: length 0.
//
// Ports that share a cage share what is plugged into it: twin-port cages of a switch (QM9700: 64 ports in 32 cages),
// split ports (800 Gb/s as 2 x 400 Gb/s), and the cages of a server that carry two adapters each (DGX H100: eight
// adapters in four cages).
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "base/division.h"
#include "plan/plan.h"

namespace clusterc {

// The same between two heights of one rack, for whatever hangs there.
Meters height_of_unit(double unit);  // above the floor, of the middle of a unit
Meters way_in_rack(const Cluster&, const RackGroupModel&, Meters a, Meters b);

struct CableSpot {  // where an end is
  std::int32_t rack = -1;
  float z = 0;            // metres above the floor
  std::int16_t unit = 0;  // rack unit; 0: none
};

// Cages of one kind on devices of one kind; they are numbered through: first + device * per_device + cage.
struct CageGroup {
  std::string network, who;     // "compute", "gpu" or "leaf"
  std::string connector;        // empty: not stated
  std::string part;             // that has the cage
  std::int64_t links = 1;       // that one cage carries when it is full
  std::int64_t ports_each = 1;  // numbers of ports that one link takes: uplinks of a leaf whose other ports are split
  BitsPerSecond rate{0};        // of one link
  std::int64_t first = 0, per_device = 1, devices = 0;
  bool nothing_plugged = false;  // a virtual machine's port
  std::int64_t count() const { return per_device * devices; }
};

struct PluggedLink {
  std::int32_t fabric = 0, block = -1;       // block -1: between switches
  std::int64_t member = 0, port = 0;         // block >= 0: of the near end, from 0
  SwitchRef near, far;                       // near: between switches
  std::int64_t near_port = 0, far_port = 0;  // of switches, from 1
  std::int32_t far_fabric = 0;
  std::int32_t near_group = 0, far_group = 0;
  std::int64_t near_cage = 0, far_cage = 0;
  std::int32_t far_block = -1;  // >= 0: the far end is a member, too, and there is no switch
  std::int64_t far_member = 0;  // its port: far_port, from 0
  CableSpot near_at, far_at;
  float length = 0;  // 0: not known
};

class Links {
 public:
  explicit Links(const Plan&);
  const std::vector<CageGroup>& cage_groups() const { return groups_; }
  std::int64_t cage_count() const { return cages_; }

  // At least as many as `each` gives.
  std::int64_t most(int fabric) const;
  // Cages that links of the fabric go into, at either end; a group may stand twice.
  std::vector<int> groups_of(int fabric) const;
  // No link is longer: from one corner of the floor to the other.
  Meters longest_way() const;
  // In a stable order: blocks, members, ports; then tiers, switches, up-links. Stops when `take` returns false.
  template <class Take>
  bool each(int fabric, Take&& take) const;

  // Names of the ends, as docs/names.md has them; what they had before is dropped.
  void near_end(const PluggedLink&, CableEnd&) const;
  void far_end(const PluggedLink& l, CableEnd& e) const {
    if (l.far_block >= 0) return member_end(l.fabric, l.far_block, l.far_member, l.far_port, e);
    switch_end(l.far_fabric, l.far, l.far_port, e);
  }
  void member_end(int fabric, int block, std::int64_t member, std::int64_t port, CableEnd&) const;
  void switch_end(int fabric, SwitchRef, std::int64_t port, CableEnd&) const;
  BitsPerSecond rate(const PluggedLink& l) const { return groups_[static_cast<std::size_t>(l.near_group)].rate; }

 private:
  struct PortCage {
    std::int32_t group = 0, cage = 0;
  };
  // Uplinks that differ from the other ports are a group of their own: ports beyond `below`, the first of them in the
  // cage of this number.
  struct TierCages {
    std::int32_t group = 0, uplink_group = -1;
    std::int64_t below = 0, first_uplink_cage = 0, first_switch = 0;
    std::int64_t uplink_ports = 1;  // that one uplink takes of those the leaf's ends are counted in
  };                                // of the tiers, then of leaf groups
  struct RackSpot {
    float x = 0, y = 0, height = 0, width = 0;
  };  // what the plan's racks say, side by side: it is asked for every link

  CableSpot switch_spot(int fabric, SwitchRef r) const {
    if (r.tier < 0 || r.index < 0) return {};
    return switch_spots_[static_cast<std::size_t>(
        tiers_[static_cast<std::size_t>(fabric)][static_cast<std::size_t>(r.tier)].first_switch + r.index)];
  }
  CableSpot member_spot(const FabricBlock&, std::int64_t member) const;
  float length(const CableSpot& a, const CableSpot& b) const;
  void add_tiers(int fabric);
  void add_block(int fabric, const FabricBlock&, std::vector<PortCage>& out);
  std::int32_t add_group(CageGroup);
  // The two ends of a cable without a switch.
  bool direct(int fabric, PluggedLink&) const;
  void switch_cage(int fabric, SwitchRef r, std::int64_t port, std::int32_t& group, std::int64_t& cage) const {
    const Fabric& f = p_.fabrics[static_cast<std::size_t>(fabric)];
    const LeafGroup* own = r.tier == 0 ? f.leaf_group(r.index) : nullptr;
    const std::size_t kind =
        own ? f.tiers.size() + static_cast<std::size_t>(own - f.leaf_groups.data()) : static_cast<std::size_t>(r.tier);
    const TierCages& t = tiers_[static_cast<std::size_t>(fabric)][kind];
    const bool up = t.uplink_group >= 0 && port > t.below;
    group = up ? t.uplink_group : t.group;
    const CageGroup& g = groups_[static_cast<std::size_t>(group)];
    cage = g.first + r.index * g.per_device +
           (up ? divide(port - 1, g.links * t.uplink_ports).quotient - t.first_uplink_cage
               : divide(port - 1, g.links).quotient);
  }

  const Plan& p_;
  const Cluster& c_;
  bool underfloor_ = false;
  float slack_ = 0;
  std::vector<RackSpot> racks_;
  std::vector<std::int64_t> first_pdu_;  // by rack group: PDUs of the groups before it
  std::vector<CableSpot> switch_spots_;  // by switch number
  std::vector<CageGroup> groups_;
  std::int64_t cages_ = 0;
  std::vector<std::vector<TierCages>> tiers_;               // by fabric, tier
  std::vector<std::vector<std::vector<PortCage>>> blocks_;  // by fabric, block, port
  std::vector<std::vector<CableSpot>> storage_;
  std::map<std::tuple<std::int32_t, std::int32_t, double>, std::vector<std::int32_t>>
      sets_;  // cage groups of a node group's port set at one rate
};

template <class Take>
bool Links::each(int fabric, Take&& take) const {
  const Fabric& f = p_.fabrics[static_cast<std::size_t>(fabric)];
  PluggedLink l;
  l.fabric = l.far_fabric = fabric;
  if (f.direct && direct(fabric, l)) return take(static_cast<const PluggedLink&>(l));
  if (f.tiers.empty()) return true;
  for (std::size_t b = 0; b < f.blocks.size(); ++b) {
    const FabricBlock& block = f.blocks[b];
    if (block.what == FabricBlock::What::uplinks) continue;  // theirs is the fabric that they come from
    const auto& ports = blocks_[static_cast<std::size_t>(fabric)][b];
    l.block = static_cast<std::int32_t>(b);
    for (l.member = 0; l.member < block.members; ++l.member) {
      l.near_at = member_spot(block, l.member);
      for (l.port = 0; l.port < block.ports_each; ++l.port) {
        const PortRef far = p_.block_port(fabric, static_cast<int>(b), l.member, l.port);
        if (far.port < 0) continue;
        l.far = far.sw;
        l.far_port = far.port;
        const PortCage& pc = ports[static_cast<std::size_t>(l.port)];
        const CageGroup& g = groups_[static_cast<std::size_t>(pc.group)];
        l.near_group = pc.group;
        l.near_cage = g.first + l.member * g.per_device + pc.cage;
        switch_cage(fabric, far.sw, far.port, l.far_group, l.far_cage);
        l.far_at = switch_spot(fabric, far.sw);
        l.length = length(l.near_at, l.far_at);
        if (!take(static_cast<const PluggedLink&>(l))) return false;
      }
    }
  }
  l.block = -1;
  const bool management = f.uplink_cables > 0;
  l.far_fabric = management ? f.uplinks_to : fabric;
  for (int t = 0; t < static_cast<int>(f.tiers.size()); ++t)
    for (std::int64_t i = 0; i < f.tiers[static_cast<std::size_t>(t)].count; ++i) {
      l.near = {t, i};
      l.near_at = switch_spot(fabric, l.near);
      const std::int64_t up = t == 0 ? f.leaf_up(i) : f.tiers[static_cast<std::size_t>(t)].up;
      for (l.port = 0; l.port < up; ++l.port) {
        PortRef upper;
        const PortRef lower = p_.up_link(fabric, l.near, l.port, &upper);
        if (upper.port < 0) continue;
        l.near_port = lower.port;
        l.far = upper.sw;
        l.far_port = upper.port;
        switch_cage(fabric, lower.sw, lower.port, l.near_group, l.near_cage);
        switch_cage(l.far_fabric, upper.sw, upper.port, l.far_group, l.far_cage);
        l.far_at = switch_spot(l.far_fabric, upper.sw);
        l.length = length(l.near_at, l.far_at);
        if (!take(static_cast<const PluggedLink&>(l))) return false;
      }
    }
  return true;
}

}  // namespace clusterc
