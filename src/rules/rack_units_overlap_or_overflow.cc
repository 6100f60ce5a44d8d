#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/network.h"
#include "spec/nodes.h"
#include "spec/site.h"

namespace clusterc {
namespace {

SourceSpan where(const RuleInput& in, const Unplaced& u) {
  const Cluster& c = in.cluster;
  if (u.kind == DeviceKind::node && u.span == c.nodes[u.group].span) return load_place(c.nodes[u.group]);
  if (u.kind == DeviceKind::switch_)
    return first_place(written(c.networks[in.plan.fabrics[u.group].network].spec->racks), u.span);
  return u.span;
}

// What stands in a rack by the spec's own word: entries of `occupied` that take one unit twice, or one above the top.
void check_occupied(const Rule& rule, Findings& findings, const RackGroupModel& g) {
  const auto both = [&](const Occupied& a, const Occupied& b) {  // do they stand in one rack
    const std::vector<std::int64_t> x = g.racks_of(a), y = g.racks_of(b);
    std::vector<std::int64_t> shared;
    std::set_intersection(x.begin(), x.end(), y.begin(), y.end(), std::back_inserter(shared));
    return !shared.empty();
  };
  struct Taken {
    const Occupied* by;
    const Value<UnitRange>* range;
  };
  std::vector<Taken> taken;
  for (const Occupied& o : g.spec->occupied)
    for (const Value<UnitRange>& r : o.units) {
      if (!r) continue;
      if (g.part && g.part->units && r->last > *g.part->units) {
        findings
            .error(rule.id, r.span,
                   format("units {} are occupied in rack group '{}', but '{}' has {} units", r->text(), g.name, g.model,
                          *g.part->units))
            .note(g.part->units.span, "the height of the rack")
            .object("racks." + g.name);
      }
      for (const Taken& t : taken)
        if (t.range->value->first <= r->last && r->first <= t.range->value->last && both(*t.by, o)) {
          findings.error(rule.id, r.span, format("units {} are occupied twice in rack group '{}'", r->text(), g.name))
              .note(t.range->span, format("{} are already occupied here", t.range->value->text()))
              .object("racks." + g.name);
          break;
        }
      taken.push_back({&o, &r});
    }
}

void rack_units_overlap_or_overflow(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  if (!c.own_site) return;
  for (const RackGroupModel& g : c.racks) {
    if (g.part && !g.part->units)
      findings.note(rule.id, g.span,
                    format("'{}' states no `units`, so the space in rack group '{}' was not checked", g.model, g.name));
    check_occupied(rule, findings, g);
  }
  for (const Unplaced& u : in.plan.unplaced) {
    if (u.lack == Unplaced::Lack::power || u.lack == Unplaced::Lack::weight) continue;  // rules of their own say so
    if ((u.kind == DeviceKind::node || u.kind == DeviceKind::tray) && !c.nodes[u.group].server.known)
      continue;  // its part was not found, which was reported
    if (const int racks = unplaced_racks(in, u); racks >= 0 && (c.racks[racks].count == 0 || !c.racks[racks].part))
      continue;  // its names or its part could not be read, likewise
    Finding& f = findings.error(
        rule.id, where(in, u),
        format("{} {} no place in a rack: {}", unplaced_name(in, u), u.count == 1 ? "has" : "have", u.why));
    if (u.kind == DeviceKind::node) {
      const NodeGroupModel& g = c.nodes[u.group];
      if (u.span == g.span) {
        std::string formula = format("{} nodes", g.count);
        if (g.server.units) formula += format(" x {} U", *g.server.units);
        if (g.racks >= 0) {
          const RackGroupModel& r = c.racks[g.racks];
          formula += format(", {}", plural(r.count, "rack"));
          if (r.part && r.part->units) formula += format(" of {} U", *r.part->units);
          f.note(r.span, "these are the racks");
        }
        f.label(std::move(formula));
      }
    }
    if (u.kind == DeviceKind::node)
      mention_unconfirmed(f, c.nodes[u.group].server.part.units,
                          format("the height of '{}'", c.nodes[u.group].server.id));
    if (const int racks = unplaced_racks(in, u); racks >= 0 && c.racks[racks].part)
      mention_unconfirmed(f, c.racks[racks].part->units, format("the height of '{}'", c.racks[racks].model));
    f.object(unplaced_object(in, u));
    f.help(u.lack == Unplaced::Lack::unknown ? "write its `units`"
                                             : "use more racks, or other racks for some of the devices");
  }
  for (const NodeGroupModel& g : c.nodes)
    if (is_ours(g) && g.racks < 0 && g.assembly < 0 && g.count > 0 && !(g.spec->racks))
      findings.note(rule.id, g.span,
                    format("group '{}' has no `racks`, so its place{}{} not checked", g.name,
                           g.spec->wall ? "" : ", power", g.cooling >= 0 ? " was" : " and heat were"));
}

}  // namespace

extern const Rule kRackUnitsOverlapOrOverflow;  // registry.cc names it
const Rule kRackUnitsOverlapOrOverflow = {
    .id = "rack-units-overlap-or-overflow",
    .code = "RACK-001",
    .severity = Severity::error,
    .physics = true,
    .summary = "rack units overlap, or a device has no place in a rack",
    .explanation = R"(## What it checks

Every device has its own rack units: no unit is used twice, no device is above the top of the rack, and every device has
a place.

## Why it matters

Otherwise forty nodes are delivered to racks with room for thirty-nine.

## Formula

```
[unit, unit + height) of the devices in a rack are disjoint, and end at or below the rack's units
```

Unit: rack units on both sides.

Devices are put where they fit: what the spec fixes (`occupied`, `at`) first, then nodes from the bottom up, at most `per_rack` in each rack, then storage, then switches from the top down; switches of 50 kg or more stand as low as they fit.

Source: geometry; EIA-310.

Error: none beyond its inputs.

## Example

Five nodes of 8 U and a switch of 1 U in one rack of 42 U that has U1-U6 taken: 36 U are free, 41 U are needed.

## How to fix

Use more or higher racks, another rack group for some of the devices, or a larger `per_rack`.

## When to accept

Never: two devices cannot use the same place.
)",
    .check = rack_units_overlap_or_overflow,
};

}  // namespace clusterc
