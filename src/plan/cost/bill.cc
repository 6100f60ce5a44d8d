// What has to be bought, in the order of the spec: assemblies, racks, PDUs, servers (what the spec fits
// them with follows in lines of its own: plan/cost/fitted.h), what is rented, storage, switches, modules and cables
// with the length that is sold (plan/fabric/cabling.h), UPS modules, cooling. Lines of one part and use are summed. A
// link that no part of the catalogue makes, or whose length nobody knows, has a line that says so.
#include <cmath>
#include <iterator>
#include <limits>
#include <map>

#include "base/format.h"
#include "plan/cost/fitted.h"
#include "plan/fabric/cabling.h"
#include "spec/cabling.h"
#include "spec/site.h"

namespace clusterc {

constexpr double kSpares =
    0.02;  // where the spec has no `cabling.spares` of its own, in code: the default of the field

// A cable with its ends, a transceiver, or the fibre between two.
static BillKind kind_of(const CablePart& p) {
  if (p.module.value_or(false)) return BillKind::module;
  return p.rate ? BillKind::cable : BillKind::fibre;
}

std::vector<BillLine> bill_of(const Plan& plan) {
  std::vector<BillLine> bill;
  const Cluster& c = *plan.cluster;
  auto add = [&](BillKind kind, const std::string& part, const std::string& what, std::int64_t count,
                 bool planning_default = false) {
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
    for (const PduModel& p : g.pdus)
      add(BillKind::pdu, p.model, "PDU", g.count, p.part && p.part->apparent && !p.part->apparent.confirmed);
  }
  for (const ServerFit& f : server_fits(c)) {
    if (f.tray) continue;  // comes with its assembly
    const ServerModel& s = *f.server;
    bill.push_back({.part = s.id,
                    .what = f.what,
                    .count = f.count,
                    .planning_default = is_planning_default(s),
                    .kind = s.instance || s.virtual_machine ? BillKind::instance : BillKind::server});
  }
  for (const StorageModel& s : c.storage)
    if (s.part && s.nodes < 0)
      add(BillKind::storage, s.model, "storage system", s.count, s.part->units && !s.part->units.confirmed);
  for (const Fabric& f : plan.fabrics)
    for (const FabricTier& t : f.tiers) add(BillKind::switch_, t.model, "switch", t.count);
  // Cables, modules and fibres as they are bought, a line for each use; spares have lines of their own.
  const Value<double>& wish = c.spec.cabling->spares;
  const double share = wish.value_or(kSpares);
  std::map<std::pair<int, double>, std::int64_t> of_part;
  const auto assumed = [](const CablePart& p) {
    return (p.reach && !p.reach.confirmed) || (p.rate && !p.rate.confirmed);
  };
  for (const Cabling::Lot& lot : plan.cabling().lots()) {
    const CableModel& part = c.cables[static_cast<std::size_t>(lot.part)];
    bill.push_back({.part = part.id,
                    .what = lot.what,
                    .count = lot.count,
                    .planning_default = assumed(*part.part),
                    .length = lot.length,
                    .kind = kind_of(*part.part)});
    of_part[{lot.part, lot.length.value}] += lot.count;
  }
  // A share of all of one part, whatever its lengths: a few of each of many lengths would be one spare for each. What
  // is left over when each length has its whole ones is of the longest, which reaches wherever a shorter one does.
  for (auto at = of_part.begin(); at != of_part.end();) {
    const int id = at->first.first;
    const auto end = of_part.upper_bound({id, std::numeric_limits<double>::infinity()});
    std::int64_t all = 0, given = 0;
    for (auto i = at; i != end; ++i) all += i->second;
    const auto wanted = static_cast<std::int64_t>(std::ceil(static_cast<double>(all) * share - 1e-9));
    const auto lengths = std::distance(at, end);
    const CableModel& part = c.cables[static_cast<std::size_t>(id)];
    for (; at != end; ++at) {
      const bool longest = std::next(at) == end;
      const std::int64_t spares =
          longest ? wanted - given
                  : static_cast<std::int64_t>(std::floor(static_cast<double>(at->second) * share + 1e-9));
      given += spares;
      if (spares > 0)
        bill.push_back({.part = part.id,
                        .what = longest && lengths > 1
                                    ? format("spares: with the shorter lengths {} % of {} in {} lengths", share * 100,
                                             all, lengths)
                                    : format("spares: {} % of {}", share * 100, at->second),
                        .planning_default = wish.origin != Origin::spec,
                        .length = Meters(at->first.second),
                        .spares = spares,
                        .kind = kind_of(*part.part)});
    }
  }
  for (const Cabling::Unbuilt& u : plan.cabling().unbuilt())
    add(BillKind::missing, clusterc::format("no part ({})", u.why), u.what, u.count);
  for (const Cabling::Unmeasured& u : plan.cabling().unmeasured())
    add(BillKind::missing, to_text(u.rate) + " link of unknown length", u.what, u.count);
  for (const FeedModel& f : c.feeds)
    if (f.spec && f.spec->ups)
      add(BillKind::ups, f.spec->ups->model.value_or("ups"), "UPS module", f.spec->ups->modules.value_or(1),
          f.ups && f.ups->power && !f.ups->power.confirmed);
  for (const ZoneModel& z : c.zones) {
    if (!z.spec) continue;
    if (z.spec->model)
      add(BillKind::cooling, *z.spec->model, "cooling unit", z.spec->units.value_or(1),
          z.part && z.part->heat && !z.part->heat.confirmed);
    if (z.spec->cdus)
      add(BillKind::cdu, z.spec->cdus->model.value_or("cdu"), "coolant distribution unit",
          z.spec->cdus->count.value_or(1), z.cdu && z.cdu->heat && !z.cdu->heat.confirmed);
  }
  return bill;
}

}  // namespace clusterc
