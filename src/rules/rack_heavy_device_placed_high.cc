#include <bit>

#include "plan/placement.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/nodes.h"

namespace clusterc {
namespace {

constexpr Threshold kRackHeavyDevicePlacedHighThreshold{.means = "weight from which a device is heavy",
                                                        .standard = kHeavyDevice.value,
                                                        .least = 5,
                                                        .most = 500,
                                                        .dimension = Dimension::mass};

Value<Kilograms> weight_of(const RuleInput& in, const RackedDevice& d) {
  const Cluster& c = in.cluster;
  if (d.kind == DeviceKind::node) return c.nodes[static_cast<std::size_t>(d.group)].server.part.weight;
  if (d.kind == DeviceKind::storage)
    return c.storage[static_cast<std::size_t>(d.group)].part ? c.storage[static_cast<std::size_t>(d.group)].part->weight
                                                             : Value<Kilograms>();
  if (d.kind != DeviceKind::switch_) return {};
  std::int64_t first = 0;
  for (const FabricTier& t : in.plan.fabrics[static_cast<std::size_t>(d.group)].tiers) {
    if (d.index < first + t.count) return t.part ? t.part->weight : Value<Kilograms>();
    first += t.count;
  }
  return {};
}

// Is there a free piece of `units` that ends at or below `top`?
bool room_below(const RackPlan& rack, std::int64_t units, std::int64_t top) {
  std::int64_t free = 0, next = 1;
  for (const RackedDevice& d : rack.devices) {  // from the bottom up
    if (d.unit <= 0) continue;
    free = std::max(free, std::min<std::int64_t>(d.unit - 1, top) - next + 1);
    next = std::max<std::int64_t>(next, d.unit + d.units);
    if (next > top) break;
  }
  if (next <= top) free = std::max(free, top - next + 1);
  return free >= units;
}

void rack_heavy_device_placed_high(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  if (!c.own_site) return;
  const double heavy_from = in.threshold(rule);
  for (const RackGroupModel& g : c.racks) {
    if (!g.part || !g.part->units) continue;
    const double middle = static_cast<double>(*g.part->units) / 2;
    std::int64_t failing = 0;
    const RackedDevice* first = nullptr;
    double centre_of_first = 0;
    Kilograms weight_of_first{0};
    std::vector<std::string> names, objects;
    for (std::int64_t r = g.first; r < g.first + g.count; ++r) {
      const RackPlan& rack = in.plan.racks[static_cast<std::size_t>(r)];
      double moment = 0, mass = 0;
      const RackedDevice* heavy = nullptr;
      Kilograms of_heavy{0};
      for (const RackedDevice& d : rack.devices) {
        const Value<Kilograms> w = weight_of(in, d);
        if (!w || d.unit <= 0) continue;
        mass += w->value;
        moment += w->value * (d.unit - 1 + d.units / 2.0);
        if (!(w->value < heavy_from) && d.unit > 1 && d.unit - 1 + d.units / 2.0 > middle &&
            room_below(rack, d.units, d.unit - 1))
          heavy = &d, of_heavy = *w;
      }
      if (!heavy || mass <= 0 || !above(moment / mass, middle)) continue;
      if (!first) {
        first = heavy;
        centre_of_first = moment / mass;
        weight_of_first = of_heavy;
      }
      ++failing;
      if (names.size() < 3) names.push_back(c.rack_name(r));
      objects.push_back("rack/" + c.rack_name(r));
    }
    if (!first) continue;
    SourceSpan at = g.span;
    std::string who;
    if (first->kind == DeviceKind::node) {
      const NodeGroupModel& n = c.nodes[static_cast<std::size_t>(first->group)];
      who = c.node_name(first->index);
      const auto* place = n.spec->at.find(who);
      at = place ? place->name_span : load_place(n);
    } else {
      who = first->kind == DeviceKind::storage
                ? c.storage[static_cast<std::size_t>(first->group)].name
                : c.networks[static_cast<std::size_t>(in.plan.fabrics[static_cast<std::size_t>(first->group)].network)]
                      .name;
    }
    Finding& f = findings.add(
        rule.severity, rule.id, at,
        format(
            "'{}' of {} is at U{} of {}: the centre of gravity of the rack is at U{:.3g}, above its middle at U{:.3g}",
            who, to_text(weight_of_first), first->unit, rack_list(names, failing), centre_of_first, middle));
    f.label(format("its {} U fit lower in the rack", first->units));
    f.help("place the heaviest devices at the bottom");
    f.objects = std::move(objects);
  }
}

}  // namespace

extern const Rule kRackHeavyDevicePlacedHigh;  // registry.cc names it
const Rule kRackHeavyDevicePlacedHigh = {
    .id = "rack-heavy-device-placed-high",
    .code = "RACK-006",
    .severity = Severity::warning,
    .physics = false,
    .summary = "a heavy device is high in a rack that has room below",
    .explanation = R"(## What it checks

The centre of gravity of a rack is in its lower half, as long as a device of 50 kg or more could be placed lower.

## Why it matters

A rack that is heavy at the top tips when a device is pulled out, and nobody can lift out a node of 100 kg above head
height.

## Formula

```
sum(weight x height of its middle) / sum(weights) <= units / 2
```

Unit: rack units on both sides; weights in kg.

Only where a device of 50 kg or more stands above the middle and there is room for it below: a rack that is full to the top has no better order.

Source: statics; 50 kg is a policy (a lift is used from there on).

Error: none beyond its inputs. Rails, cables, the frame and what is there already are left out.

## Example

A node of 123 kg at U33 of an empty rack of 42 U.

## How to fix

Leave `at` out, or name a lower unit: the planner fills racks with nodes from the bottom, and puts switches of 50 kg or
more as low as they fit; lighter ones go to the top.

## When to accept

Where the rack is bolted to the floor and its neighbours, and a lift is at hand.
)",
    .check = rack_heavy_device_placed_high,
    .threshold = &kRackHeavyDevicePlacedHighThreshold,
};

}  // namespace clusterc
