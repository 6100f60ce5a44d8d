// What has to be bought, in the order of the spec: assemblies, racks, PDUs, servers (their GPUs come in them), storage, switches, links, UPS
// modules, cooling. Lines of one part are summed. Links are counted at the rate of one link: where ports are split, one cable carries several.
#include "base/format.h"
#include "plan/plan.h"

namespace clusterc {

void plan_bill(Plan& plan) {
  const Cluster& c = *plan.cluster;
  auto add = [&](const std::string& part, const std::string& what, std::int64_t count, bool planning_default = false) {
    if (count <= 0) return;
    for (BillLine& line : plan.bill)
      if (line.part == part && line.what == what) {
        line.count += count;
        return;
      }
    plan.bill.push_back({part, what, count, planning_default});
  };
  for (const AssemblyGroupModel& a : c.assemblies) add(a.model, "rack-scale system", a.count);
  for (const RackGroupModel& g : c.racks) {
    add(g.model, "rack", g.count, g.part && g.part->units && !g.part->units.confirmed);
    for (const PduModel& p : g.pdus) add(p.model, "PDU", g.count, p.part && p.part->apparent && !p.part->apparent.confirmed);
  }
  for (const NodeGroupModel& g : c.nodes) {
    if (g.assembly >= 0 || g.server.virtual_machine) continue;              // trays come with their assembly
    add(g.server.id, g.server.instance ? "instance" : "server", g.count, g.server.units && !g.server.units.confirmed);
  }
  for (const StorageModel& s : c.storage)
    if (s.part && s.nodes < 0) add(s.model, "storage system", s.count);
  for (const Fabric& f : plan.fabrics)
    for (const FabricTier& t : f.tiers) add(t.model, "switch", t.count);
  for (const Fabric& f : plan.fabrics) {
    if (f.tiers.empty()) continue;
    const std::string rate = to_text(f.link_rate);
    add(rate + " link", clusterc::format("{}: end points", f.name), f.node_cables);
    add(rate + " link", clusterc::format("{}: leaf to spine", f.name), f.leaf_spine_cables);
    add(rate + " link", clusterc::format("{}: spine to core", f.name), f.spine_core_cables);
    if (f.uplink_cables) add(to_text(f.tiers[0].part->uplink_rate.value_or(f.link_rate)) + " link", clusterc::format("{}: to {}", f.name, plan.fabrics[f.uplinks_to].name), f.uplink_cables);
  }
  for (const FeedModel& f : c.feeds)
    if (f.spec && f.spec->ups) add(f.spec->ups->model.value_or("ups"), "UPS module", f.spec->ups->modules.value_or(1));
  for (const ZoneModel& z : c.zones) {
    if (!z.spec) continue;
    if (z.spec->model) add(*z.spec->model, "cooling unit", z.spec->units.value_or(1));
    if (z.spec->cdus) add(z.spec->cdus->model.value_or("cdu"), "coolant distribution unit", z.spec->cdus->count.value_or(1));
  }
}

}  // namespace clusterc
