// Every cable of a fabric, with its length.
//
// Length between racks: up (or down) from each device to the route, along both axes of the floor, and slack at either end:
//   L = climb(a) + |xa - xb| + |ya - yb| + climb(b) + 2 slack
// overhead: climb = height of the rack + 0.3 m - height of the device; underfloor: climb = height of the device + 0.5 m.
// In one rack: |za - zb| + the rack's width + 2 slack. A device stands at the middle of its lowest unit; 1 U = 44.45 mm (EIA-310), the first
// one 0.1 m above the floor. PDUs are taken at half the rack's height. Nothing is known of a device that stands in no rack: length 0.
#include <cmath>

#include "plan/equipment.h"

namespace clusterc {
namespace {

constexpr double kUnit = 0.04445, kFirstUnit = 0.1;              // m (EIA-310; castors and frame: planning default)
constexpr double kTrayAboveRack = 0.3, kBelowFloor = 0.5;        // m (planning defaults)
constexpr double kSlack = 0.5;                                   // m at each end: service loop and cable arm (planning default)
constexpr double kRackHeight = 2.285, kRackWidth = 0.6;          // m where the catalogue is silent

struct Place {
  std::int64_t rack = -1;
  double z = 0;
};

class Cables {
 public:
  Cables(const Plan& plan, int fabric) : p_(plan), c_(*plan.cluster), f_(plan.fabrics[fabric]), fabric_(fabric) {
    underfloor_ = c_.spec.site && c_.spec.site->cable_route.value_or(CableRoute::overhead) == CableRoute::underfloor;
    storage_.resize(c_.storage.size());
    for (std::size_t s = 0; s < c_.storage.size(); ++s) storage_[s].resize(static_cast<std::size_t>(c_.storage[s].count));
    for (std::size_t r = 0; r < p_.racks.size(); ++r)
      for (const RackedDevice& d : p_.racks[r].devices)
        if (d.kind == DeviceKind::storage) storage_[d.group][d.index] = {static_cast<std::int64_t>(r), height(d.unit)};
  }

  void each(const std::function<bool(const Cable&)>& take) const {
    for (std::size_t b = 0; b < f_.blocks.size(); ++b) {
      const FabricBlock& block = f_.blocks[b];
      if (block.what == FabricBlock::What::uplinks) continue;    // theirs is the fabric that they come from
      for (std::int64_t m = 0; m < block.members; ++m)
        for (std::int64_t k = 0; k < block.ports_each; ++k) {
          const PortRef port = p_.block_port(fabric_, static_cast<int>(b), m, k);
          if (port.port < 0) continue;
          Place near;
          Cable cable{.near = member(block, m, k, near), .far = switch_end(fabric_, port), .rate = f_.link_rate};
          cable.length = run(near, switch_place(fabric_, port.sw));
          if (!take(cable)) return;
        }
    }
    for (int t = 0; t < static_cast<int>(f_.tiers.size()); ++t)
      for (std::int64_t i = 0; i < f_.tiers[t].count; ++i)
        for (std::int64_t l = 0; l < f_.tiers[t].up; ++l) {
          PortRef upper;
          const PortRef lower = p_.up_link(fabric_, {t, i}, l, &upper);
          const bool management = f_.uplink_cables > 0;
          const int above = management ? f_.uplinks_to : fabric_;
          if (upper.port < 0) continue;
          Cable cable{.near = switch_end(fabric_, lower), .far = switch_end(above, upper), .rate = f_.link_rate};
          if (management) cable.rate = f_.tiers[0].part->uplink_rate.value_or(f_.link_rate);
          cable.length = run(switch_place(fabric_, lower.sw), switch_place(above, upper.sw));
          if (!take(cable)) return;
        }
  }

 private:
  static double height(std::int64_t unit) { return kFirstUnit + (static_cast<double>(unit) - 0.5) * kUnit; }

  CableEnd switch_end(int fabric, const PortRef& r) const { return {p_.switch_name(fabric, r.sw), std::to_string(r.port)}; }
  Place switch_place(int fabric, SwitchRef r) const {
    const std::int64_t n = p_.switch_number(fabric, r);
    return n < 0 || n >= static_cast<std::int64_t>(p_.switch_rack.size()) ? Place{} : Place{p_.switch_rack[n], height(p_.switch_unit[n])};
  }

  CableEnd member(const FabricBlock& b, std::int64_t m, std::int64_t k, Place& at) const {
    using What = FabricBlock::What;
    if (b.what == What::switches) {
      at = switch_place(b.of, p_.switch_ref(b.of, m));
      return equipment_port(p_, b.what, b.of, m);
    }
    if (b.what == What::pdus) {
      std::int64_t left = m;
      for (const RackGroupModel& g : c_.racks) {
        const std::int64_t each = static_cast<std::int64_t>(g.pdus.size());
        if (left < g.count * each) {
          at = {g.first + left / each, (g.part ? g.part->height.value_or(Meters(kRackHeight)).value : kRackHeight) / 2};
          break;
        }
        left -= g.count * each;
      }
      return equipment_port(p_, b.what, b.of, m);
    }
    if (b.what == What::shelves) {
      const AssemblyGroupModel& a = c_.assemblies[b.of];
      at = {a.first + m / (b.members / a.count), kRackHeight / 2};
      return equipment_port(p_, b.what, b.of, m);
    }
    const EndPoints& e = c_.networks[b.network].ends[b.end];
    const std::string number = std::to_string(k + 1);
    if (e.storage >= 0) {
      if (m < static_cast<std::int64_t>(storage_[e.storage].size())) at = storage_[e.storage][m];
      return {"storage/" + c_.storage[e.storage].name + "/" + std::to_string(m + 1), c_.networks[b.network].name + "/" + number};
    }
    const NodeGroupModel& g = c_.nodes[e.group];
    const std::int64_t node = g.first + m;
    if (node < static_cast<std::int64_t>(p_.node_rack.size())) at = {p_.node_rack[node], p_.node_unit[node] ? height(p_.node_unit[node]) : kRackHeight / 2};
    CableEnd end{"node/" + g.name + "/" + g.names.suffix(m), ""};
    if (e.ports >= 0 && e.ports < static_cast<int>(g.server.ports.size())) end.port = g.server.ports[e.ports].name + "/" + number;
    else end.port = c_.networks[b.network].everything ? "bmc" : c_.networks[b.network].name + "/" + number;
    return end;
  }

  const RackPart* part_of(std::int64_t rack) const {
    const int g = c_.rack_group_of(rack);
    return g < 0 ? nullptr : c_.racks[g].part;
  }
  Meters run(const Place& a, const Place& b) const {
    if (a.rack < 0 || b.rack < 0) return Meters(0);
    const RackPart* pa = part_of(a.rack);
    if (a.rack == b.rack) return Meters(std::abs(a.z - b.z) + (pa ? pa->width.value_or(Meters(kRackWidth)).value : kRackWidth) + 2 * kSlack);
    const RackPart* pb = part_of(b.rack);
    auto climb = [&](const RackPart* p, double z) {
      return underfloor_ ? z + kBelowFloor : (p ? p->height.value_or(Meters(kRackHeight)).value : kRackHeight) + kTrayAboveRack - z;
    };
    const RackPlan &ra = p_.racks[a.rack], &rb = p_.racks[b.rack];
    return Meters(climb(pa, a.z) + std::abs(ra.x - rb.x) + std::abs(ra.y - rb.y) + climb(pb, b.z) + 2 * kSlack);
  }

  const Plan& p_;
  const Cluster& c_;
  const Fabric& f_;
  int fabric_;
  bool underfloor_ = false;
  std::vector<std::vector<Place>> storage_;
};

}  // namespace

void Plan::each_cable(int fabric, const std::function<bool(const Cable&)>& take) const { Cables(*this, fabric).each(take); }

}  // namespace clusterc
