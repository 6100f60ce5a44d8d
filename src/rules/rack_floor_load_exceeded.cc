#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/site.h"

namespace clusterc {
namespace {

constexpr double kFeet = 4;
constexpr double kUneven = 1.25;  // feet do not share evenly (policy)
// A rating of a floor is of a load spread over the room: a rack loads its own place and half of the aisle before and
// behind it, on which nothing stands. ANSI/TIA-942, clearances: at least 1 m in front, at least 0.6 m behind.
constexpr Meters kFrontAisle{1.0}, kRearAisle{0.6};

struct Frame {
  std::int64_t first = 0, count = 0;
  SourceSpan span;
  std::string model;
  Value<Meters> width, depth;
  bool complete = true;
};

void rack_floor_load_exceeded(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  if (!c.own_site || !c.spec.site) return;
  const Value<FloorLoad>& floor = c.spec.site->floor_load;
  const Value<Kilograms>& tile = c.spec.site->tile_load;
  if (!floor && !tile) return;
  std::vector<Frame> frames;
  for (const RackGroupModel& g : c.racks)
    if (g.part) frames.push_back({g.first, g.count, g.span, g.model, g.part->width, g.part->depth});
  for (const AssemblyGroupModel& a : c.assemblies)
    if (a.part) frames.push_back({a.first, a.count, a.span, a.model, a.part->width, a.part->depth});
  for (const Frame& g : frames) {
    std::int64_t worst = -1;
    double most = 0;
    for (std::int64_t r = g.first; r < g.first + g.count; ++r) {
      const RackPlan& rack = in.plan.racks[static_cast<std::size_t>(r)];
      if (rack.devices.empty()) continue;
      const double weight = rack.weight.value;
      if (above(weight, most)) {
        most = weight;
        worst = r;
      }
    }
    if (worst < 0) continue;
    const std::string name = c.rack_name(worst);
    if (floor) {
      if (!g.width || !g.depth) {
        findings.note(rule.id, g.span,
                      format("'{}' states no `{}`, so its load on the floor was not checked", g.model,
                             g.width ? "depth" : "width"));
      } else if (const double bare = most / (g.width->value * g.depth->value); above(bare, floor->value)) {
        const Meters front = c.spec.site->aisle ? *c.spec.site->aisle : kFrontAisle;
        const Meters deep(g.depth->value + front.value / 2 + kRearAisle.value / 2);
        const double load = most / (g.width->value * deep.value);
        const std::string sum = format("{} on {} x ({} + {} / 2 in front + {} / 2 behind)", to_text(Kilograms(most)),
                                       to_text(*g.width), to_text(*g.depth), to_text(front), to_text(kRearAisle));
        if (!above(load, floor->value)) {
          findings
              .note(rule.id, g.span,
                    format("rack '{}' puts {} on its bare footprint, above the floor rating of {}, but {} on its "
                           "footprint and half of its aisles",
                           name, to_text(FloorLoad(bare)), to_text(*floor), to_text(FloorLoad(load))))
              .label(sum)
              .help("ask the structural engineer whether the aisles may be included in the area that carries the rack")
              .object("rack/" + name);
          continue;
        }
        Finding& f = findings.add(rule.severity, rule.id, g.span,
                                  format("rack '{}' puts {} on the floor, which is rated for {}", name,
                                         to_text(FloorLoad(load)), to_text(*floor)));
        f.label(sum);
        f.note(floor.span, "the rating of the floor");
        mention_unconfirmed_load(f, most, floor->value * g.width->value * deep.value,
                                 unconfirmed_weight(in, worst).value, to_text(unconfirmed_weight(in, worst)));
        f.help("put fewer devices in each rack, use a plate that spreads the load, or place the rack on the slab");
        f.object("rack/" + name);
        f.physics = true;
      }
    }
    if (const double foot = most / kFeet; tile && above(foot * kUneven, tile->value)) {
      const bool surely = above(foot, tile->value);
      Finding& f = findings.add(surely ? rule.severity : Severity::warning, rule.id, g.span,
                                format("a foot of rack '{}' puts {} on a tile, which is rated for {}", name,
                                       to_text(Kilograms(foot * kUneven)), to_text(*tile)));
      f.label(format("{} / 4 feet x {:.2f} for uneven feet", to_text(Kilograms(most)), kUneven));
      f.note(tile.span, "the rating of the tile");
      f.help("use plates below the feet, or place the rack on the slab");
      f.object("rack/" + name);
      f.physics = surely;
    }
  }
}

}  // namespace

extern const Rule kRackFloorLoadExceeded;  // registry.cc names it
const Rule kRackFloorLoadExceeded = {
    .id = "rack-floor-load-exceeded",
    .code = "RACK-005",
    .severity = Severity::error,
    .physics = false,
    .summary = "a rack is heavier than the rating of the floor",
    .explanation = R"(## What it checks

The heaviest rack of each group loads the floor below it, and the tile below each foot, with no more than their ratings.

## Why it matters

A tile that breaks tips a rack of one tonne against the next rack.

## Formula

```
weight / (width x (depth + front aisle / 2 + rear aisle / 2)) <= floor_load
  front aisle: `site: { aisle: … }`, or 1 m;  rear aisle: 0.6 m;  a note where only weight / (width x depth) exceeds it
weight / 4 feet x 1.25 <= tile_load        a warning where only the factor exceeds it
weight = (devices x 1.05 for rails + 20 kg of cables) + the empty rack
```

Unit: kg/m2 on both sides, kg on both sides; lengths in m.

Source: statics; clearances of ANSI/TIA-942 (a floor rating is of a load spread over the room, in which nothing stands in the aisles); 1.25 for feet that do not share evenly is a policy, rails and cables are planning defaults, weights are the catalogue's.

Error: rails and cables are defaults: 20 kg to 60 kg of cables are usual, so a rack may weigh 40 kg more. How unevenly
feet share is not known.

## Example

A rack of 1,360 kg on tiles for 400 kg: 340 kg a foot, 425 kg with the factor.

## How to fix

Use plates that spread the load, put fewer devices in a rack, or place the rack on the slab.

## When to accept

A tile that is exceeded only with the factor for uneven feet, where the feet are levelled and measured. A load above the
rating itself cannot be accepted.
)",
    .check = rack_floor_load_exceeded,
};

}  // namespace clusterc
