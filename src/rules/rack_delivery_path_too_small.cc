#include "plan/fabric/links.h"
#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/site.h"

namespace clusterc {
namespace {

// Two floor tiles of 600 mm (ASHRAE TC 9.9; policy).
constexpr Threshold kRackDeliveryPathTooSmallThreshold{
    .means = "width of a cold aisle", .standard = 1.2, .least = 0.6, .most = 5, .dimension = Dimension::length};

struct Frame {
  std::string what, model;
  SourceSpan span;
  const Value<Meters>*height, *width, *depth;
  std::string object;
  Value<std::int64_t> units;
};

void check_height(const Rule& rule, Findings& findings, const Frame& f, const Value<Meters>& door) {
  // A frame of which only the units are known is no lower than these (EIA-310).
  const Meters least = f.units ? height_of_unit(static_cast<double>(*f.units)) - height_of_unit(0) : Meters(0);
  const bool known = f.height && *f.height;
  const Meters high = known ? **f.height : least;
  if (above(high.value, door->value)) {
    Finding& x = findings.add(rule.severity, rule.id, f.span,
                              format("{} are {}{} high, but the door is {} high", f.what, known ? "" : "at least ",
                                     to_text(high), to_text(*door)));
    if (!known) x.label(format("{} units of 44.45 mm", *f.units));
    x.note(door.span, "the door height");
    if (known) mention_unconfirmed(x, *f.height, format("the height of '{}'", f.model));
    x.help("use lower racks, or racks that are delivered lying and raised in the room");
    x.object(f.object);
  } else if (!known) {
    const std::string at_least = f.units ? format(" ({} units are {})", *f.units, to_text(least)) : "";
    findings.note(rule.id, f.span,
                  format("'{}' states no `height`, so it was not checked whether {} fit through the door{}", f.model,
                         f.what, at_least));
  }
}

void rack_delivery_path_too_small(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  if (!c.own_site || !c.spec.site) return;
  const Site& site = *c.spec.site;
  std::vector<Frame> frames;
  for (const RackGroupModel& g : c.racks)
    if (g.part && g.count > 0)
      frames.push_back({format("racks of '{}'", g.name), g.model, g.spec->model.span, &g.part->height, &g.part->width,
                        &g.part->depth, "racks." + g.name, g.part->units});
  for (const AssemblyGroupModel& a : c.assemblies)
    if (a.part && a.count > 0)
      frames.push_back({format("frames of '{}'", a.name), a.model, a.spec->model.span, nullptr, &a.part->width,
                        &a.part->depth, "assemblies." + a.name, a.part->units});
  if (site.door)
    for (const Frame& f : frames) {
      if (site.door->height) check_height(rule, findings, f, site.door->height);
      // Through the door with the narrower side first.
      if (site.door->width) {
        if (!*f.width)
          findings.note(
              rule.id, f.span,
              format("'{}' states no `width`, so it was not checked whether {} fit through the door", f.model, f.what));
        else if (const Meters narrow = *f.depth ? std::min(**f.width, **f.depth) : **f.width;
                 above(narrow.value, site.door->width->value)) {
          Finding& x = findings.add(
              rule.severity, rule.id, f.span,
              format("{} are {} wide, but the door is {} wide", f.what, to_text(narrow), to_text(*site.door->width)));
          x.note(site.door->width.span, "the door width");
          mention_unconfirmed(x, *f.width, format("the width of '{}'", f.model));
          x.help("use narrower racks, or another way in");
          x.object(f.object);
        }
      }
    }
  if (!site.aisle) return;
  // What is pulled out needs its own depth in front of the rack.
  const NodeGroupModel* deepest = nullptr;
  for (const NodeGroupModel& g : c.nodes)
    if (is_ours(g) && g.count > 0 && g.racks >= 0 && g.server.part.depth &&
        (!deepest || *deepest->server.part.depth < *g.server.part.depth))
      deepest = &g;
  const Meters cold_aisle(in.threshold(rule));
  Meters needed = cold_aisle;
  if (deepest) needed = std::max(needed, *deepest->server.part.depth);
  if (!above(needed.value, site.aisle->value)) return;
  const bool by_device = deepest && cold_aisle < *deepest->server.part.depth;
  Finding& x = findings.add(
      rule.severity, rule.id, site.aisle.span,
      by_device ? format("the aisle is {} wide, but '{}' is {} deep and must be pulled out", to_text(*site.aisle),
                         deepest->server.id, to_text(needed))
                : format("the cold aisle is {} wide, but {} is recommended", to_text(*site.aisle), to_text(needed)));
  if (by_device) x.note(deepest->span, format("the nodes of '{}'", deepest->name));
  x.help(format("make the aisle {} wide", to_text(needed)));
  x.object("site.aisle");
}

}  // namespace

extern const Rule kRackDeliveryPathTooSmall;  // registry.cc names it
const Rule kRackDeliveryPathTooSmall = {
    .id = "rack-delivery-path-too-small",
    .code = "RACK-010",
    .severity = Severity::warning,
    .physics = false,
    .summary = "a rack does not fit through the door, or the aisle is too narrow",
    .explanation = R"(## What it checks

Racks fit through the smallest door on their way (`door`), and the cold aisle (`aisle`) is wide enough to work in and to
pull out the deepest device.

## Why it matters

A rack that is 85 mm too high for the door cannot be delivered. A node that cannot be pulled out cannot be replaced.

## Formula

```
height of the rack (of an assembly's frame at least its units x 44.45 mm) <= height of the door;  the narrower of width and depth <= its width
aisle >= 1.2 m, and >= depth of the deepest node
```

Unit: m on both sides.

Source: geometry; data sheets (catalogue); EIA-310 for the height of a unit. 1.2 m, two floor tiles, is the usual cold aisle (ASHRAE TC 9.9).

Error: none beyond its inputs. Turns on the way are not computed.

## Example

Racks of 2,285 mm and a door of 2,200 mm.

## How to fix

Use lower racks, another way in, or delivery in parts.

## When to accept

Where the rack is delivered lying down and there is room to raise it.
)",
    .check = rack_delivery_path_too_small,
    .threshold = &kRackDeliveryPathTooSmallThreshold,
};

}  // namespace clusterc
