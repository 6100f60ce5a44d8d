#include "plan/plan.h"
#include "plan/power/power.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/site.h"

namespace clusterc {
namespace {

struct Cooled {
  std::int64_t racks = 0, gpus = 0;
};

// What gives heat to a loop, or to the air of a zone.
Cooled cooled_by(const RuleInput& in, int zone, bool liquid) {
  const Cluster& c = in.cluster;
  Cooled out;
  for (const AssemblyGroupModel& a : c.assemblies)
    if ((liquid ? a.liquid : a.air) == zone) {
      out.racks += a.count;
      out.gpus += a.count * (a.part ? a.part->gpus.value_or(0) : 0);
    }
  for (const RackGroupModel& g : c.racks) {
    if ((liquid ? g.liquid : g.cooling) != zone) continue;
    for (std::int64_t r = g.first; r < g.first + g.count; ++r)
      out.racks +=
          (liquid ? in.plan.racks[r].liquid_heat : in.plan.racks[r].heat - in.plan.racks[r].liquid_heat).value > 0;
  }
  for (const NodeGroupModel& g : c.nodes)
    if (is_ours(g) && g.assembly < 0 && g.racks >= 0 &&
        (liquid ? c.racks[g.racks].liquid == zone && g.server.part.liquid_share.value_or(0) > 0
                : c.racks[g.racks].cooling == zone))
      out.gpus += g.count * g.server.gpu_count;
  return out;
}

bool on_one_feed(const Cluster& c, const std::vector<Value<std::string>>& feeds) {
  return c.feeds.size() > 1 && !feeds.empty() &&
         std::all_of(feeds.begin(), feeds.end(),
                     [&](const Value<std::string>& f) { return f.value == feeds.front().value; });
}

// One air cooling unit out, of those that serve several racks (rear doors are each a rack's own). Silent where the
// units that do not run as spares are too few with all of them: cool-heat-rejection-undersized says so.
void check_air_unit(const Rule& rule, const ZoneModel& z, Watts heat, const std::string& stops, Findings& findings) {
  const CoolingUnits u = cooling_units(z);
  const std::int64_t left = u.units - 1;
  if (left > 0 && u.heat < 0) return;
  const Watts removed(left > 0 ? u.heat * static_cast<double>(left) : 0);
  if (heat.value <= 0 || !above(heat.value, removed.value) || (z.heat && above(heat.value, z.heat->value))) return;
  Finding& f = findings.warning(
      rule.id,
      first_place(written(z.spec->units), z.spec->each ? written(z.spec->each->heat) : SourceSpan{},
                  written(z.spec->model), z.span),
      left == 0
          ? format("the loss of the only cooling unit of zone '{}' stops {}", z.name, stops)
          : format("the loss of one of {} cooling units of zone '{}' leaves {} for {} of heat: {} throttle or stop",
                   u.units, z.name, to_text(removed), to_text(heat), stops));
  if (left > 0)
    f.label(format("{} x {}; servers throttle to this, and all stop if their idle power is higher", left,
                   to_text(Watts(u.heat))));
  f.help(left == 0 ? "add a second unit: `units: 2, spare: 1`"
                   : format("add one unit more than the heat needs: `units: {}, spare: 1`", u.units + 1));
  f.object("zone/" + z.name);
}

void cool_loop_single_point_failure(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  if (!c.own_site) return;
  for (std::size_t i = 0; i < c.zones.size() && i < in.plan.zones.size(); ++i) {
    const ZoneModel& z = c.zones[i];
    const bool liquid = z.spec->method.value == CoolingMethod::liquid;
    const auto [racks, gpus] = cooled_by(in, static_cast<int>(i), liquid);
    const std::string stops =
        format("{}{}", plural(racks, "rack"), gpus > 0 ? format(" with {}", plural(gpus, "GPU")) : "");
    if (!liquid && racks > 1 && on_one_feed(c, z.spec->feeds)) {
      const std::int64_t units = z.spec->units.value_or(1);
      Finding& f =
          findings.warning(rule.id, z.spec->feeds.front().span,
                           format("{} of zone '{}' {} on feed '{}': if it fails, {} stop",
                                  units == 1 ? "the cooling unit" : format("all {} cooling units", units), z.name,
                                  units == 1 ? "is" : "are", z.spec->feeds.front().value_or(""), stops));
      f.help("connect the units to two feeds: `feeds: [A, B]`");
      f.object("zone/" + z.name);
    }
    if (racks <= 1) continue;
    if (!liquid && z.spec->method.value != CoolingMethod::rear_door)
      check_air_unit(rule, z, in.plan.zones[i].heat, stops, findings);
    if (!liquid || !z.spec->cdus) continue;
    const CduSet& set = *z.spec->cdus;
    const std::int64_t count = set.count.value_or(1);
    const Watts heat = in.plan.zones[i].heat;
    const bool covers =
        count > 1 && z.cdu && z.cdu->heat && !above(heat.value, z.cdu->heat->value * static_cast<double>(count - 1));
    if (!covers && set.spare.value_or(0) == 0 && (count == 1 || (z.cdu && z.cdu->heat))) {
      Finding& f =
          findings.warning(rule.id, first_place(written(set.count), set.model.span, set.span),
                           format("the loss of one CDU of loop '{}' stops {}: {} of {} CDUs remain for {} of heat",
                                  z.name, stops, count - 1, count, to_text(heat)));
      if (z.cdu && z.cdu->heat) f.label(format("{} x {}", count - 1, to_text(*z.cdu->heat)));
      f.help(format("add one CDU more than the heat needs, and write `spare: 1`"));
      f.object("zone/" + z.name);
    } else if (count > 1 && on_one_feed(c, set.feeds)) {
      Finding& f = findings.warning(rule.id, set.feeds.front().span,
                                    format("all {} CDUs of loop '{}' are on feed '{}': if it fails, {} stop", count,
                                           z.name, set.feeds.front().value_or(""), stops));
      f.help("connect the CDUs to two feeds: `feeds: [A, B]`");
      f.object("zone/" + z.name);
    }
  }
}

}  // namespace

extern const Rule kCoolLoopSinglePointFailure;  // registry.cc names it
const Rule kCoolLoopSinglePointFailure = {
    .id = "cool-loop-single-point-failure",
    .code = "COOL-013",
    .severity = Severity::warning,
    .physics = false,
    .summary = "one failure stops the cooling of several racks",
    .explanation = R"(## What it checks

A loop for more than one rack still removes its heat with one coolant distribution unit failed, and its units are not
all on one feed.
The same holds for the air cooling units of a zone for more than one rack.

## Why it matters

Cold plates store heat for a few seconds. If the only pump stops, every rack on the loop switches off at the same time,
with all jobs on it.
A room warms up more slowly: if all its cooling units are on the failed feed, it overheats some minutes later, although
the other feed still powers every server.

## Formula

```
heat of the loop      <= (CDUs - 1) x heat of one, or a spare is declared
heat of a zone's air  <= (cooling units - 1) x heat of one
feeds of the CDUs, or of a zone's cooling units: more than one, where the site has more than one
```

Unit: W on both sides; feeds are counted.

Source: arithmetic; N+1 for pumps of a shared loop is the usual practice of makers' reference designs. Leak sensors are not in the language and are not checked.

Error: none beyond its inputs.

## Example

One CDU for four NVL72 racks: its loss stops 288 GPUs.

## How to fix

Use one unit more than the heat needs, on a second feed.

## When to accept

Where few racks are affected, and the users accept an outage of the loop.
)",
    .check = cool_loop_single_point_failure,
};

}  // namespace clusterc
