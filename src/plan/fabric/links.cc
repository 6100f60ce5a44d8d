#include "plan/fabric/links.h"

#include <algorithm>
#include <cmath>

#include "base/index.h"
#include "base/text.h"
#include "plan/equipment.h"
#include "plan/fabric/fabric.h"
#include "spec/cabling.h"
#include "spec/site.h"

namespace clusterc {
namespace {

constexpr double kUnit = 0.04445, kFirstUnit = 0.1;         // m (EIA-310; castors and frame: planning default)
constexpr float kTrayAboveRack = 0.3F, kBelowFloor = 0.5F;  // m (planning defaults)
constexpr double kSlack = 0.5;  // m at each end, where the spec says nothing: the default of `cabling.slack`
constexpr double kRackHeight = 2.285, kRackWidth = 0.6;  // m where the catalogue is silent
constexpr const char* kManagementCage =
    "rj45";  // management ports of nodes, switches and PDUs are copper (planning default)

float height(std::int64_t unit) { return static_cast<float>(height_of_unit(static_cast<double>(unit)).value); }
double slack_of(const Cluster& c) { return c.spec.cabling->slack.value_or(Meters(kSlack)).value; }

}  // namespace

Meters height_of_unit(double unit) { return Meters(kFirstUnit + (unit - 0.5) * kUnit); }

Meters way_in_rack(const Cluster& c, const RackGroupModel& g, Meters a, Meters b) {
  const double width = g.part ? g.part->width.value_or(Meters(kRackWidth)).value : kRackWidth;
  return Meters(std::abs(a.value - b.value) + width + 2 * slack_of(c));
}

Links::Links(const Plan& plan) : p_(plan), c_(*plan.cluster) {
  underfloor_ = c_.spec.site && c_.spec.site->cable_route.value_or(CableRoute::overhead) == CableRoute::underfloor;
  slack_ = static_cast<float>(slack_of(c_));
  racks_.reserve(p_.racks.size());
  for (const RackPlan& r : p_.racks)
    racks_.push_back({r.x, r.y, static_cast<float>(kRackHeight), static_cast<float>(kRackWidth)});
  for (const RackGroupModel& g : c_.racks)
    for (std::int64_t r = g.first; g.part && r < g.first + g.count && at(r) < racks_.size(); ++r) {
      racks_[at(r)].height = static_cast<float>(g.part->height.value_or(Meters(kRackHeight)).value);
      racks_[at(r)].width = static_cast<float>(g.part->width.value_or(Meters(kRackWidth)).value);
    }
  first_pdu_.reserve(c_.racks.size());
  for (std::int64_t pdus = 0; const RackGroupModel& g : c_.racks) {
    first_pdu_.push_back(pdus);
    pdus += g.count * static_cast<std::int64_t>(g.pdus.size());
  }
  std::int64_t switches = 0;
  for (const Fabric& f : p_.fabrics) switches = std::max(switches, f.first_switch + f.switch_count());
  switch_spots_.resize(at(switches));
  for (std::size_t n = 0; n < switch_spots_.size() && n < p_.switch_rack.size(); ++n)
    if (p_.switch_rack[n] >= 0) switch_spots_[n] = {p_.switch_rack[n], height(p_.switch_unit[n]), p_.switch_unit[n]};
  storage_.resize(c_.storage.size());
  bool anything = false;
  for (std::size_t s = 0; s < c_.storage.size(); ++s) {
    storage_[s].resize(at(std::max<std::int64_t>(0, c_.storage[s].count)));
    anything = anything || !storage_[s].empty();
  }
  if (anything)
    for (std::size_t r = 0; r < p_.racks.size(); ++r)
      for (const RackedDevice& d : p_.racks[r].devices)
        if (d.kind == DeviceKind::storage)
          storage_[at(d.group)][at(d.index)] = {static_cast<std::int32_t>(r), height(d.unit), d.unit};
  tiers_.resize(p_.fabrics.size());
  blocks_.resize(p_.fabrics.size());
  for (std::size_t f = 0; f < p_.fabrics.size(); ++f) add_tiers(static_cast<int>(f));
  for (std::size_t f = 0; f < p_.fabrics.size(); ++f) {
    blocks_[f].resize(p_.fabrics[f].blocks.size());
    if (p_.fabrics[f].tiers.empty() && !p_.fabrics[f].direct) continue;
    for (std::size_t b = 0; b < p_.fabrics[f].blocks.size(); ++b)
      if (p_.fabrics[f].blocks[b].what != FabricBlock::What::uplinks)
        add_block(static_cast<int>(f), p_.fabrics[f].blocks[b], blocks_[f][b]);
  }
}

std::int64_t Links::most(int fabric) const {
  const Fabric& f = p_.fabrics[at(fabric)];
  std::int64_t links = 0;
  for (const FabricBlock& b : f.blocks) links += b.members * b.ports_each;
  for (const FabricTier& t : f.tiers) links += t.count * t.up;
  for (const LeafGroup& g : f.leaf_groups) links += f.planes * g.count * g.up;
  return links;
}

std::vector<int> Links::groups_of(int fabric) const {
  std::vector<int> groups;
  const Fabric& f = p_.fabrics[at(fabric)];
  for (const TierCages& t : tiers_[at(fabric)]) {
    groups.push_back(t.group);
    if (t.uplink_group >= 0) groups.push_back(t.uplink_group);
  }
  for (const auto& ports : blocks_[at(fabric)])
    for (const PortCage& p : ports)
      if (groups.empty() || groups.back() != p.group) groups.push_back(p.group);
  if (f.uplink_cables > 0)
    for (const TierCages& t : tiers_[at(f.uplinks_to)]) groups.push_back(t.group);
  std::erase_if(groups, [&](int g) { return groups_[at(g)].nothing_plugged; });
  return groups;
}

Meters Links::longest_way() const {
  float high = 0, wide = 0, low_x = 0, high_x = 0, low_y = 0, high_y = 0;
  for (std::size_t r = 0; r < racks_.size(); ++r) {
    const RackSpot& s = racks_[r];
    low_x = r ? std::min(low_x, s.x) : s.x;
    high_x = r ? std::max(high_x, s.x) : s.x;
    low_y = r ? std::min(low_y, s.y) : s.y;
    high_y = r ? std::max(high_y, s.y) : s.y;
    high = std::max(high, s.height);
    wide = std::max(wide, s.width);
  }
  // A device climbs no more than its rack is high, and the tray's or the floor's depth.
  return Meters(high_x - low_x + high_y - low_y + 2 * (high + std::max(kTrayAboveRack, kBelowFloor)) + wide +
                2 * slack_);
}

std::int32_t Links::add_group(CageGroup g) {
  g.first = cages_;
  cages_ += g.count();
  groups_.push_back(std::move(g));
  return static_cast<std::int32_t>(groups_.size()) - 1;
}

void Links::add_tiers(int fabric) {
  const Fabric& f = p_.fabrics[at(fabric)];
  std::int64_t first = f.first_switch;
  // Leaves of their own have other numbers of uplinks, so the first of those is another port.
  const std::size_t kinds = f.tiers.size() + f.leaf_groups.size();
  for (std::size_t kind = 0; kind < kinds; ++kind) {
    const bool own = kind >= f.tiers.size();
    const FabricTier& t = f.tiers[own ? 0 : kind];
    const std::int64_t up = own ? f.leaf_groups[kind - f.tiers.size()].up : t.up;
    TierCages cages;
    cages.below = cages.first_uplink_cage = t.ports;
    cages.first_switch = own ? f.first_switch : first;
    if (!own) first += t.count;
    const bool leaf = own || kind == 0;
    CageGroup g{.network = f.name,
                .who = t.word,
                .part = t.model,
                .rate = leaf ? f.link_rate : f.uplink_rate,
                .devices = t.count};
    if (t.part) {
      g.connector = t.part->connector.value_or("");
      // Ways of one port at the rate in use, times the ports of one cage.
      const std::int64_t ways =
          t.part->ports ? std::max<std::int64_t>(1, t.ports / std::max<std::int64_t>(1, *t.part->ports)) : f.ways;
      g.links = ways * t.part->ports_per_cage.value_or(1);
    }
    g.per_device = (t.ports + g.links - 1) / g.links;
    cages.group = add_group(g);
    const bool own_uplinks = leaf && own_uplink_ports(f);
    if (leaf && f.leaf_spine_cables > 0 && !own_uplinks &&
        f.uplink_rate != f.link_rate) {  // whole cages of them (plan/fabric/fabric_shape.h)
      cages.uplink_ports = f.uplink_ports;
      cages.below = t.ports - up * f.uplink_ports;
      cages.first_uplink_cage = cages.below / g.links;
      g.rate = f.uplink_rate;
      g.per_device -= cages.first_uplink_cage;
      g.links /= f.uplink_ports;
      g.ports_each = f.uplink_ports;
      cages.uplink_group = add_group(g);
    }
    if ((f.uplink_cables > 0 || own_uplinks) && t.part)
      cages.uplink_group = add_group({.network = f.name,
                                      .who = t.word,
                                      .connector = t.part->uplink_connector.value_or(""),
                                      .part = t.model,
                                      .rate = own_uplinks ? f.uplink_rate : t.part->uplink_rate.value_or(f.link_rate),
                                      .per_device = std::max(t.part->uplinks.value_or(0), up),
                                      .devices = t.count});
    tiers_[at(fabric)].push_back(cages);
  }
}

void Links::add_block(int fabric, const FabricBlock& b, std::vector<PortCage>& out) {
  using What = FabricBlock::What;
  const Fabric& f = p_.fabrics[at(fabric)];
  const auto single = [&](CageGroup g) {
    g.per_device = b.ports_each;
    g.devices = b.members;
    const std::int32_t group = add_group(std::move(g));
    for (std::int64_t k = 0; k < b.ports_each; ++k) out.push_back({group, static_cast<std::int32_t>(k)});
  };
  CageGroup g{.network = f.name, .rate = f.link_rate};
  if (b.what != What::ends) {
    g.who = b.what == What::switches ? "management ports of " + p_.fabrics[at(b.of)].name + " switches"
            : b.what == What::pdus   ? "PDUs"
                                     : "shelves and trays";
    g.connector = kManagementCage;
    return single(std::move(g));
  }
  const NetworkModel& network = c_.networks[at(b.network)];
  const EndPoints& e = network.ends[at(b.end)];
  if (e.rate.value > 0) g.rate = BitsPerSecond(std::min(f.link_rate.value, e.rate.value));
  if (e.storage >= 0) {
    const StorageModel& s = c_.storage[at(e.storage)];
    g.who = s.name;
    g.part = s.model;
    if (network.everything) {
      g.connector = kManagementCage;
      return single(std::move(g));
    }
    // Its adapters in turn, those that speak the network's language.
    std::vector<const NicSet*> of_port;
    for (const NicSet& n : s.nics)
      if (n.part && (n.part->links.empty() || std::any_of(n.part->links.begin(), n.part->links.end(),
                                                          [&](const auto& l) { return l && *l == network.kind; })))
        of_port.insert(of_port.end(), at(n.count * n.part->ports.value_or(1)), &n);
    for (std::int64_t k = 0; k < b.ports_each;) {
      const NicSet* set = at(k) < of_port.size() ? of_port[at(k)] : nullptr;
      std::int64_t end = k;
      while (end < b.ports_each && (at(end) < of_port.size() ? of_port[at(end)] : nullptr) == set) ++end;
      CageGroup part = g;
      part.connector = set ? set->part->connector.value_or("") : "";
      if (set && set->part->port_rate)
        part.rate = BitsPerSecond(std::min(f.link_rate.value, set->part->port_rate->value));
      part.per_device = end - k;
      part.devices = b.members;
      const std::int32_t group = add_group(std::move(part));
      for (std::int64_t i = k; i < end; ++i) out.push_back({group, static_cast<std::int32_t>(i - k)});
      k = end;
    }
    return;
  }
  const NodeGroupModel& nodes = c_.nodes[at(e.group)];
  g.who = nodes.name;
  g.part = nodes.server.id;
  if (e.ports < 0 || at(e.ports) >= nodes.server.ports.size()) {
    if (network.everything) g.connector = kManagementCage;
    g.nothing_plugged = nodes.server.virtual_machine;
    return single(std::move(g));
  }
  const PortSet& set = nodes.server.ports[at(e.ports)];
  // A spec may ask for more ports than there are; that is told elsewhere, and the ports that do not exist get a cage
  // each.
  const auto cage_of = [&](std::int64_t port) {
    return at(port) < set.cages.size() ? std::int64_t{set.cages[at(port)]} : port;
  };
  std::int64_t cages = 0;
  for (std::int64_t k = 0; k < b.ports_each; ++k) cages = std::max(cages, cage_of(e.first_port + k / e.split) + 1);
  std::int32_t group = -1;
  std::vector<std::int32_t>& of_set = sets_[{e.group, e.ports, g.rate.value}];
  for (const std::int32_t known : of_set)
    if (cages <= groups_[at(known)].per_device) group = known;
  if (group < 0) {
    if (set.nics >= 0 && nodes.server.nics[at(set.nics)].part) {
      g.connector = nodes.server.nics[at(set.nics)].part->connector.value_or("");
      g.part = nodes.server.nics[at(set.nics)].model;
    }
    g.nothing_plugged = nodes.server.virtual_machine;
    g.devices = nodes.count;
    g.per_device = std::max<std::int64_t>(set.count, cages);
    if (!set.cages.empty()) {
      g.per_device = std::max<std::int64_t>(*std::max_element(set.cages.begin(), set.cages.end()) + 1, cages);
      for (int cage : set.cages)
        g.links = std::max<std::int64_t>(g.links, std::count(set.cages.begin(), set.cages.end(), cage));
    }
    g.links *= e.split;
    group = add_group(std::move(g));
    of_set.push_back(group);
  }
  for (std::int64_t k = 0; k < b.ports_each; ++k) {
    out.push_back({group, static_cast<std::int32_t>(cage_of(e.first_port + k / e.split))});
  }
}

CableSpot Links::member_spot(const FabricBlock& b, std::int64_t m) const {
  using What = FabricBlock::What;
  const auto half = [&](std::int64_t rack) {
    return at(rack) < racks_.size() ? racks_[at(rack)].height / 2 : static_cast<float>(kRackHeight / 2);
  };
  switch (b.what) {
    case What::switches:
      return switch_spot(b.of, p_.switch_ref(b.of, m));
    case What::pdus: {
      const auto after = std::ranges::upper_bound(first_pdu_, m);
      if (after == first_pdu_.begin()) return {};
      const auto group = after - first_pdu_.begin() - 1;  // the last of those that begin here: others have no PDUs
      const RackGroupModel& g = c_.racks[at(group)];
      const std::int64_t each = static_cast<std::int64_t>(g.pdus.size()), of_group = m - first_pdu_[at(group)];
      if (of_group >= g.count * each) return {};
      return {static_cast<std::int32_t>(g.first + of_group / each), half(g.first + of_group / each), 0};
    }
    case What::shelves: {
      const AssemblyGroupModel& a = c_.assemblies[at(b.of)];
      const std::int64_t each = b.members / a.count;
      return {static_cast<std::int32_t>(a.first + m / each), static_cast<float>(kRackHeight / 2), 0};
    }
    case What::uplinks:
      return {};
    case What::ends:
      break;
  }
  const EndPoints& e = c_.networks[at(b.network)].ends[at(b.end)];
  if (e.storage >= 0) return at(m) < storage_[at(e.storage)].size() ? storage_[at(e.storage)][at(m)] : CableSpot{};
  const std::int64_t node = c_.nodes[at(e.group)].first + m;
  if (at(node) >= p_.node_rack.size() || p_.node_rack[at(node)] < 0) return {};
  const std::int32_t rack = p_.node_rack[at(node)];
  return {rack, p_.node_unit[at(node)] ? height(p_.node_unit[at(node)]) : static_cast<float>(kRackHeight / 2),
          p_.node_unit[at(node)]};
}

float Links::length(const CableSpot& a, const CableSpot& b) const {
  if (a.rack < 0 || b.rack < 0) return 0;
  const RackSpot &ra = racks_[at(a.rack)], &rb = racks_[at(b.rack)];
  if (a.rack == b.rack) return std::abs(a.z - b.z) + ra.width + 2 * slack_;
  const float up = underfloor_ ? a.z + b.z + 2 * kBelowFloor : ra.height + rb.height + 2 * kTrayAboveRack - a.z - b.z;
  return up + std::abs(ra.x - rb.x) + std::abs(ra.y - rb.y) + 2 * slack_;
}

void Links::switch_end(int fabric, SwitchRef r, std::int64_t port, CableEnd& e) const {
  e.object = p_.switch_name(fabric, r);
  e.port.clear();
  append_int(e.port, port);
}

bool Links::direct(int fabric, PluggedLink& l) const {
  const Fabric& f = p_.fabrics[at(fabric)];
  int ends = 0;
  for (std::size_t b = 0; b < f.blocks.size(); ++b)
    for (std::int64_t m = 0; m < f.blocks[b].members; ++m)
      for (std::int64_t port = 0; port < f.blocks[b].ports_each; ++port, ++ends) {
        const PortCage& pc = blocks_[at(fabric)][b][at(port)];
        const CageGroup& g = groups_[at(pc.group)];
        const std::int64_t cage = g.first + m * g.per_device + pc.cage;
        if (ends == 0) {
          l.block = static_cast<std::int32_t>(b);
          l.member = m;
          l.port = port;
          l.near_group = pc.group;
          l.near_cage = cage;
          l.near_at = member_spot(f.blocks[b], m);
        } else {
          l.far_block = static_cast<std::int32_t>(b);
          l.far_member = m;
          l.far_port = port;
          l.far_group = pc.group;
          l.far_cage = cage;
          l.far_at = member_spot(f.blocks[b], m);
        }
      }
  l.length = length(l.near_at, l.far_at);
  return ends == 2;
}

void Links::near_end(const PluggedLink& l, CableEnd& end) const {
  if (l.block < 0) return switch_end(l.fabric, l.near, l.near_port, end);
  member_end(l.fabric, l.block, l.member, l.port, end);
}

void Links::member_end(int fabric, int block, std::int64_t m, std::int64_t port, CableEnd& end) const {
  using What = FabricBlock::What;
  const FabricBlock& b = p_.fabrics[at(fabric)].blocks[at(block)];
  if (b.what == What::uplinks) return;
  if (b.what != What::ends) {
    end = equipment_port(p_, b.what, b.of, m);
    return;
  }
  const EndPoints& e = c_.networks[at(b.network)].ends[at(b.end)];
  const auto numbered = [&](const std::string& name) {
    end.port = name;
    end.port += '/';
    append_int(end.port, e.first_port + port / e.split + 1);
    if (e.split <= 1) return;
    end.port += "/plane";  // a port that is split over planes has a link to each
    append_int(end.port, port % e.split + 1);
  };
  if (e.storage >= 0) {
    end.object = "storage/" + c_.storage[at(e.storage)].name + "/";
    append_int(end.object, m + 1);
    return numbered(c_.networks[at(b.network)].name);
  }
  const NodeGroupModel& g = c_.nodes[at(e.group)];
  end.object = "node/";
  end.object += g.name;
  end.object += '/';
  end.object += g.names.suffix(m);
  if (e.ports >= 0 && at(e.ports) < g.server.ports.size())
    numbered(g.server.ports[at(e.ports)].name);
  else if (c_.networks[at(b.network)].everything)
    end.port = "bmc";
  else
    numbered(c_.networks[at(b.network)].name);
}

}  // namespace clusterc
