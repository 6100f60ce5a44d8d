#include "plan/cost/accessories.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "base/format.h"
#include "plan/power/cords.h"
#include "spec/site.h"

namespace clusterc {
namespace {

constexpr double kRackWidth = 0.6;  // m: EIA-310 cabinet, where nobody states it (as plan_floor)

void add(std::vector<Accessory>& out, std::string part, std::string what, std::int64_t count, bool planning_default,
         Meters length = Meters(0)) {
  if (count > 0) out.push_back({std::move(part), std::move(what), count, length, planning_default});
}

void cords(const Plan& plan, std::vector<Accessory>& out) {
  std::int64_t c13 = 0, c19 = 0;
  for (const PduLoad& p : plan.pdus) {
    c13 += p.cords_c13;
    c19 += p.cords_c19;
  }
  add(out, "power-cord-c13-c14", "cord from PDU to supply", c13, false);
  add(out, "power-cord-c19-c20", "cord from PDU to supply", c19, false);
  std::map<std::tuple<DeviceKind, int, std::string>, std::int64_t> unstated;  // by owner: groups are few
  for (const RackGroupModel& g : plan.cluster->racks) {
    if (g.pdus.empty() || (g.spec && g.spec->busbar)) continue;  // what states no supplies hangs on the busbar
    for (std::int64_t r = g.first; r < g.first + g.count && r < static_cast<std::int64_t>(plan.racks.size()); ++r)
      for (const RackedDevice& d : plan.racks[static_cast<std::size_t>(r)].devices)
        if (d.kind != DeviceKind::occupied && !supplies_of(plan, d))
          ++unstated[{d.kind, d.group, device_owner(plan, d)}];
  }
  for (const auto& [owner, devices] : unstated)
    out.push_back(
        {.part = "power-cord",
         .what = format("for {} of {}, whose number of power supplies is not stated", devices, std::get<2>(owner)),
         .unknown_for = devices});
}

// Switches before PDUs or panels, and the shelves of busbars: the catalogue has neither.
void power_parts(const Plan& plan, std::vector<Accessory>& out) {
  const Cluster& c = *plan.cluster;
  std::int64_t shelves = 0;
  for (const RackGroupModel& g : c.racks)
    for (const auto& [feed, n] : g.shelves) shelves += n * g.count;
  add(out, "power-shelf", "shelf of a busbar, with rectifiers: not in the catalogue", shelves, false);
  for (std::size_t t = 0; t < c.transfers.size(); ++t) {
    const TransferSwitch& spec = *c.transfers[t].spec;
    std::int64_t count = 1;
    if (spec.each_pdu.value_or(false)) {
      count = 0;
      for (const RackGroupModel& g : c.racks)
        for (const PduModel& p : g.pdus) count += p.transfer == static_cast<int>(t) ? g.count : 0;
    }
    add(out, "transfer-switch",
        format("'{}', {}{}: not in the catalogue", c.transfers[t].name,
               spec.kind ? enum_text(*spec.kind) : "of unknown kind",
               spec.rating ? ", " + to_text(*spec.rating) : std::string()),
        count, false);
  }
}

// What joins an assembly to the building: the catalogue knows how many shelves it has and that it is cooled by liquid,
// nothing of plugs, ratings and hoses. One whip (or tap-off of a busway) to each shelf that hangs on a feed, one hose
// for supply and one for return of each frame (planning default).
void connections(const Plan& plan, std::vector<Accessory>& out) {
  std::int64_t whips = 0, hoses = 0;
  for (const AssemblyGroupModel& a : plan.cluster->assemblies) {
    for (const auto& [feed, shelves] : a.shelves) whips += shelves * a.count;
    if (a.liquid >= 0) hoses += 2 * a.count;
  }
  for (const RackGroupModel& g : plan.cluster->racks)
    for (const auto& [feed, shelves] : g.shelves) whips += shelves * g.count;
  // Of liquid-cooled nodes in racks nothing is known but their number.
  std::int64_t nodes = 0;
  for (const RackGroupModel& g : plan.cluster->racks) {
    if (g.liquid < 0) continue;
    for (std::int64_t r = g.first; r < g.first + g.count && r < static_cast<std::int64_t>(plan.racks.size()); ++r)
      for (const RackedDevice& d : plan.racks[static_cast<std::size_t>(r)].devices)
        nodes += d.kind == DeviceKind::node &&
                 plan.cluster->nodes[static_cast<std::size_t>(d.group)].server.part.liquid_cooled.value_or(false);
  }
  add(out, "power-whip", "from feed to power shelf, with its plug: not in the catalogue", whips, true);
  add(out, "coolant-hose", "supply and return of a frame, with couplings: not in the catalogue", hoses, true);
  if (nodes > 0)
    out.push_back(
        {.part = "coolant-hose",
         .what = format("for {} liquid-cooled {} in racks: hoses, manifolds and couplings are not planned; ask "
                        "the makers of the servers and of the CDUs",
                        nodes, nodes == 1 ? "node" : "nodes"),
         .unknown_for = nodes});
}

void panels(const Plan& plan, std::vector<Accessory>& out) {
  std::int64_t empty = 0;
  bool assumed = false;
  for (const RackGroupModel& g : plan.cluster->racks) {
    if (!g.part || !g.part->units) continue;
    for (std::int64_t r = g.first; r < g.first + g.count && r < static_cast<std::int64_t>(plan.racks.size()); ++r) {
      const std::vector<RackedDevice>& devices = plan.racks[static_cast<std::size_t>(r)].devices;
      if (devices.empty()) continue;
      std::int64_t free = *g.part->units;
      for (const RackedDevice& d : devices) free -= d.units;
      for (const PduModel& p : g.pdus) free -= p.part ? p.part->units.value_or(0) : 0;  // horizontal ones
      empty += std::max<std::int64_t>(0, free);
      assumed = assumed || !g.part->units.confirmed;
    }
  }
  add(out, "blanking-panel-1u", "empty rack unit", empty, assumed);
}

// Racks of one row are side by side; rows are told apart by their place across the room.
void trays(const Plan& plan, std::vector<Accessory>& out) {
  const Cluster& c = *plan.cluster;
  if (plan.racks.size() < 2) return;
  struct Row {
    double from = 0, to = 0;
  };
  std::map<double, Row> rows;
  const auto stand = [&](std::int64_t first, std::int64_t count, double width) {
    for (std::int64_t r = first; r < first + count && r < static_cast<std::int64_t>(plan.racks.size()); ++r) {
      const RackPlan& rack = plan.racks[static_cast<std::size_t>(r)];
      Row& row = rows.try_emplace(rack.y, Row{rack.x, rack.x + width}).first->second;
      row.from = std::min<double>(row.from, rack.x);
      row.to = std::max(row.to, rack.x + width);
    }
  };
  for (const RackGroupModel& g : c.racks)
    stand(g.first, g.count, g.part ? g.part->width.value_or(Meters(kRackWidth)).value : kRackWidth);
  for (const AssemblyGroupModel& a : c.assemblies)
    stand(a.first, a.count, a.part ? a.part->width.value_or(Meters(kRackWidth)).value : kRackWidth);
  const auto tenths = [](double metres) {
    return static_cast<std::int64_t>(std::ceil(metres * 10 - 1e-3));
  };  // places are floats
  std::map<std::int64_t, std::int64_t> of_length;
  for (const auto& [y, row] : rows) ++of_length[tenths(row.to - row.from)];
  const bool under = c.spec.site && c.spec.site->cable_route.value_or(CableRoute::overhead) == CableRoute::underfloor;
  for (const auto& [length, count] : of_length)
    add(out, "cable-tray", under ? "under a row of racks" : "over a row of racks", count, true,
        Meters(static_cast<double>(length) / 10));
  if (rows.size() > 1)
    add(out, "cable-tray", "across the rows", 1, true,
        Meters(static_cast<double>(tenths(rows.rbegin()->first - rows.begin()->first)) / 10));
}

}  // namespace

std::vector<Accessory> accessories_of(const Plan& plan) {
  std::vector<Accessory> out;
  cords(plan, out);
  power_parts(plan, out);
  connections(plan, out);
  panels(plan, out);
  trays(plan, out);
  return out;
}

}  // namespace clusterc
