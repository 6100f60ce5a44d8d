// What has to be bought, in the order of the spec: assemblies, racks, PDUs, servers (their GPUs come in them), storage, switches, modules and cables
// with the length that is sold (plan/cabling.h), UPS modules, cooling. Lines of one part and use are summed. A link that no part of the catalogue
// makes, or whose length nobody knows, has a line that says so.
#include <cmath>
#include <map>

#include "base/format.h"
#include "plan/cabling.h"

namespace clusterc {

constexpr double kSpares = 0.02;   // where the spec has no `cabling.spares` of its own, in code: the default of the field

// A cable with its ends, a transceiver, or the fibre between two.
static BillKind kind_of(const CablePart& p) {
  if (p.module.value_or(false)) return BillKind::module;
  return p.rate ? BillKind::cable : BillKind::fibre;
}

std::vector<BillLine> bill_of(const Plan& plan) {
  std::vector<BillLine> bill;
  const Cluster& c = *plan.cluster;
  auto add = [&](BillKind kind, const std::string& part, const std::string& what, std::int64_t count, bool planning_default = false) {
    if (count <= 0) return;
    for (BillLine& line : bill)
      if (line.part == part && line.what == what) {
        line.count += count;
        return;
      }
    bill.push_back({.part = part, .what = what, .count = count, .planning_default = planning_default, .kind = kind});
  };
  for (const AssemblyGroupModel& a : c.assemblies) add(BillKind::assembly, a.model, "rack-scale system", a.count);
  for (const RackGroupModel& g : c.racks) {
    add(BillKind::rack, g.model, "rack", g.count, g.part && g.part->units && !g.part->units.confirmed);
    for (const PduModel& p : g.pdus) add(BillKind::pdu, p.model, "PDU", g.count, p.part && p.part->apparent && !p.part->apparent.confirmed);
  }
  for (const NodeGroupModel& g : c.nodes) {
    if (g.assembly >= 0 || g.server.virtual_machine) continue;              // trays come with their assembly
    add(g.server.instance ? BillKind::instance : BillKind::server, g.server.id, g.server.instance ? "instance" : "server", g.count, g.server.units && !g.server.units.confirmed);
  }
  for (const StorageModel& s : c.storage)
    if (s.part && s.nodes < 0) add(BillKind::storage, s.model, "storage system", s.count, s.part->units && !s.part->units.confirmed);
  for (const Fabric& f : plan.fabrics)
    for (const FabricTier& t : f.tiers) add(BillKind::switch_, t.model, "switch", t.count);
  // Cables, modules and fibres as they are bought, a line for each use; spares are a share of all of one part and length, with a line of their own.
  const Value<double>& wish = c.spec.cabling.spares;
  const double share = wish.value_or(kSpares);
  std::map<std::pair<int, double>, std::int64_t> of_part;
  const auto assumed = [](const CablePart& p) { return (p.reach && !p.reach.confirmed) || (p.rate && !p.rate.confirmed); };
  for (const Cabling::Lot& lot : plan.cabling().lots()) {
    const CableModel& part = c.cables[static_cast<std::size_t>(lot.part)];
    bill.push_back({.part = part.id, .what = lot.what, .count = lot.count, .planning_default = assumed(*part.part), .length = lot.length, .kind = kind_of(*part.part)});
    of_part[{lot.part, lot.length.value}] += lot.count;
  }
  for (const auto& [key, count] : of_part)
    if (const auto spares = static_cast<std::int64_t>(std::ceil(static_cast<double>(count) * share - 1e-9)))
      bill.push_back({.part = c.cables[static_cast<std::size_t>(key.first)].id, .what = clusterc::format("spares: {} % of {}", share * 100, count),
                           .planning_default = wish.origin != Origin::spec, .length = Meters(key.second), .spares = spares, .kind = kind_of(*c.cables[static_cast<std::size_t>(key.first)].part)});
  for (const Cabling::Unbuilt& u : plan.cabling().unbuilt())
    add(BillKind::missing, clusterc::format("no part ({})", u.why), u.what, u.count);
  for (const Cabling::Unmeasured& u : plan.cabling().unmeasured()) add(BillKind::missing, to_text(u.rate) + " link of unknown length", u.what, u.count);
  for (const FeedModel& f : c.feeds)
    if (f.spec && f.spec->ups) add(BillKind::ups, f.spec->ups->model.value_or("ups"), "UPS module", f.spec->ups->modules.value_or(1), f.ups && f.ups->power && !f.ups->power.confirmed);
  for (const ZoneModel& z : c.zones) {
    if (!z.spec) continue;
    if (z.spec->model) add(BillKind::cooling, *z.spec->model, "cooling unit", z.spec->units.value_or(1), z.part && z.part->heat && !z.part->heat.confirmed);
    if (z.spec->cdus) add(BillKind::cdu, z.spec->cdus->model.value_or("cdu"), "coolant distribution unit", z.spec->cdus->count.value_or(1), z.cdu && z.cdu->heat && !z.cdu->heat.confirmed);
  }
  return bill;
}

}  // namespace clusterc
