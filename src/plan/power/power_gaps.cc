#include "plan/power/power_gaps.h"

#include <algorithm>
#include <optional>

#include "base/format.h"
#include "base/index.h"
#include "model/power.h"
#include "plan/power/power_chain.h"
#include "spec/site.h"

namespace clusterc {
namespace {

void add(std::vector<PowerlessPart>& parts, std::string part, std::int64_t count, std::string why = {}) {
  const auto found =
      std::find_if(parts.begin(), parts.end(), [&](const PowerlessPart& p) { return p.part == part && p.why == why; });
  if (found == parts.end())
    parts.push_back({std::move(part), count, std::move(why)});
  else
    found->count += count;
}

// A device that states no power: its part, and whether the air that it needs is stated all the same.
struct Powerless {
  std::string part, why;
  bool air_stated = false;
};
std::optional<Powerless> powerless(const Plan& plan, const RackedDevice& d) {
  const Cluster& c = *plan.cluster;
  if (d.kind == DeviceKind::node) {
    const ServerModel& s = c.nodes[at(d.group)].server;
    if (s.power) return std::nullopt;
    return Powerless{s.id, s.power.unknown ? s.power.source : std::string(), static_cast<bool>(s.airflow)};
  }
  if (d.kind == DeviceKind::storage) {
    const StorageModel& s = c.storage[at(d.group)];
    return s.part && s.part->power ? std::nullopt : std::optional(Powerless{s.model, {}});
  }
  if (d.kind != DeviceKind::switch_) return std::nullopt;
  const FabricTier& t = plan.fabrics[at(d.group)].tiers[at(plan.switch_ref(d.group, d.index).tier)];
  return t.part && switch_power(*t.part) ? std::nullopt : std::optional(Powerless{t.model, {}});
}

// What each node of a group counts as nothing beside a power that is known otherwise.
void add_lacking(const NodeGroupModel& g, const std::vector<PowerGap>& lacks, std::int64_t nodes, PowerGaps& gaps) {
  for (const PowerGap& gap : lacks) add(gaps.equipment, gap.what, gap.count * nodes, format("in {}", g.server.id));
}

void mark(std::vector<bool>& which, int i) {
  if (i >= 0) which[at(i)] = true;
}

// One rack, or the frame of an assembly, that holds what states no power.
void add_rack(const Plan& plan, std::int64_t r, const std::vector<std::vector<PowerGap>>& lacks, PowerGaps& gaps) {
  const Cluster& c = *plan.cluster;
  const int group = c.rack_group_of(r);
  if (group < 0) {
    for (const AssemblyGroupModel& a : c.assemblies) {
      if (r < a.first || r >= a.first + a.count) continue;
      add(gaps.equipment, a.model, 1);
      for (std::vector<bool>* heat : {&gaps.zones, &gaps.air}) mark(*heat, a.air);
      mark(gaps.zones, a.liquid);
    }
    return;
  }
  const RackGroupModel& g = c.racks[at(group)];
  bool air = false;
  for (const RackedDevice& d : plan.racks[at(r)].devices)
    if (const auto p = powerless(plan, d)) {
      add(gaps.equipment, p->part, 1, p->why);
      air = air || !p->air_stated;
    } else if (d.kind == DeviceKind::node && !lacks[at(d.group)].empty()) {
      const NodeGroupModel& nodes = c.nodes[at(d.group)];
      add_lacking(nodes, lacks[at(d.group)], 1, gaps);
      air = air || !nodes.server.airflow;
    }
  if (g.spec)
    for (const Occupied& o : g.spec->occupied) {
      const std::vector<std::int64_t> racks = g.racks_of(o);
      if (o.power || std::find(racks.begin(), racks.end(), r - g.first) == racks.end()) continue;
      add(gaps.equipment, format("existing equipment in '{}'", g.name), 1);
      air = true;
    }
  mark(gaps.zones, g.cooling);
  mark(gaps.zones, g.liquid);
  if (air) mark(gaps.air, g.cooling);
}

// What hangs on feeds beside racks.
void add_others(const Cluster& c, PowerGaps& gaps) {
  for (const ZoneModel& z : c.zones) {
    if (!z.spec || !z.spec->cdus || z.spec->cdus->feeds.empty() || !z.cdu || z.cdu->power) continue;
    add(gaps.others, z.spec->cdus->model.value_or("coolant distribution unit"), z.spec->cdus->count.value_or(1));
    for (const Value<std::string>& name : z.spec->cdus->feeds)
      for (std::size_t f = 0; f < c.feeds.size(); ++f)
        if (name && c.feeds[f].name == *name) gaps.feeds[f] = true;
  }
  for (std::size_t f = 0; f < c.feeds.size(); ++f)
    if (c.feeds[f].spec && c.feeds[f].spec->in_use.unknown) {
      add(gaps.others, format("other equipment on feed '{}'", c.feeds[f].name), 1);
      gaps.feeds[f] = true;
    }
}

}  // namespace

PowerGaps power_gaps(const Plan& plan) {
  const Cluster& c = *plan.cluster;
  PowerGaps gaps;
  gaps.feeds.assign(c.feeds.size(), false);
  gaps.panels.assign(c.panels.size(), false);
  gaps.zones.assign(c.zones.size(), false);
  gaps.air.assign(c.zones.size(), false);
  bool racks = false;
  std::vector<std::vector<PowerGap>> lacks;  // by node group
  for (const NodeGroupModel& g : c.nodes) lacks.push_back(power_lacks(g));
  for (std::size_t r = 0; r < plan.racks.size(); ++r) {
    if (plan.racks[r].power_complete) continue;
    add_rack(plan, static_cast<std::int64_t>(r), lacks, gaps);
    racks = true;
  }
  if (racks)
    for (const PowerClass& k : plan.power_classes()) {
      if (std::none_of(k.racks.begin(), k.racks.end(),
                       [&](std::int32_t r) { return !plan.racks[at(r)].power_complete; }))
        continue;
      for (const PowerPosition& p : k.rack.positions) {
        mark(gaps.feeds, p.feed);
        mark(gaps.panels, p.panel);
        mark(gaps.feeds, p.other_feed);
        mark(gaps.panels, p.other_panel);
      }
    }
  for (std::size_t i = 0; i < c.nodes.size(); ++i) {
    const NodeGroupModel& g = c.nodes[i];
    if (g.racks >= 0 || g.assembly >= 0 || !c.own_site || g.server.virtual_machine || g.server.instance || g.count == 0)
      continue;
    if (g.server.power)
      add_lacking(g, lacks[i], g.count, gaps);
    else
      add(gaps.equipment, g.server.id, g.count, g.server.power.unknown ? g.server.power.source : std::string());
  }
  add_others(c, gaps);
  return gaps;
}

std::string names_text(const std::vector<PowerlessPart>& parts, std::size_t most) {
  std::string out;
  for (std::size_t i = 0; i < parts.size() && i < most; ++i)
    out += format("{}{} x {}{}", i ? ", " : "", parts[i].count, parts[i].part,
                  parts[i].why.empty() ? std::string() : " (" + parts[i].why + ")");
  if (parts.size() > most) out += format(" and {} more", parts.size() - most);
  return out;
}

}  // namespace clusterc
