#include "plan/plan.h"
#include "plan/power/power_chain.h"
#include "rules/power_say.h"
#include "rules/rule.h"
#include "spec/site.h"

namespace clusterc {
namespace {

// What of one rack or assembly hangs on no feed.
Watts off_feeds(const PowerRack& rack, PowerState& state, double all) {
  evaluate(rack, {}, state);
  double on = 0;
  for (std::size_t p = 0; p < rack.positions.size(); ++p)
    if (rack.positions[p].feed >= 0) on += state.position_watts[p];
  return Watts(above(all, on) ? all - on : 0);
}

void power_equipment_on_no_feed(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  if (!c.own_site || c.feeds.empty())
    return;  // a spec without a power chain: power-branch-over-continuous-rating has one note of it
  const std::size_t groups = c.racks.size();
  std::vector<Watts> missing(groups + c.assemblies.size(), Watts(0));
  PowerState state;
  for (const PowerClass& k : in.plan.power_classes()) {
    if (k.racks.empty()) continue;
    const double all = in.plan.racks[static_cast<std::size_t>(k.racks.front())].power.value;
    missing[static_cast<std::size_t>(k.group) + (k.assembly ? groups : 0)] +=
        off_feeds(k.rack, state, all) * static_cast<double>(k.racks.size());
  }
  const auto say = [&](SourceSpan at, std::string what, std::string_view key, Watts power, std::string object) {
    Finding& f = findings.warning(
        rule.id, at,
        format("{} {} not connected to any feed, so no feed's load includes this power", to_text(power), what));
    f.help(std::string(key));
    f.object(std::move(object));
  };
  for (std::size_t g = 0; g < groups; ++g)
    if (missing[g].value > 0) {
      const RackGroupModel& r = c.racks[g];
      if (!r.pdus.empty()) continue;  // a PDU without a feed: the resolver asks for it
      say(r.span, format("of rack group '{}' is", r.name),
          r.spec && r.spec->busbar ? "write the feeds of its shelves: `busbar: { feeds: { A: 1 shelf, B: 1 shelf } }`"
                                   : "write the `pdus` of these racks, each with its `feed`",
          missing[g], "racks." + r.name);
    }
  for (std::size_t a = 0; a < c.assemblies.size(); ++a)
    if (missing[groups + a].value > 0)
      say(c.assemblies[a].span, format("of assembly group '{}' is", c.assemblies[a].name),
          "write how many shelves are on each feed: `feeds: { A: 4 shelves, B: 4 shelves }`", missing[groups + a],
          "assemblies." + c.assemblies[a].name);
}

}  // namespace

extern const Rule kPowerEquipmentOnNoFeed;  // registry.cc names it
const Rule kPowerEquipmentOnNoFeed = {
    .id = "power-equipment-on-no-feed",
    .code = "PWR-025",
    .severity = Severity::warning,
    .physics = false,
    .summary = "equipment is connected to none of the site's feeds",
    .explanation = R"(## What it checks

Where the site has feeds, everything in racks and assemblies that draws power is connected to one of them.

## Why it matters

The load of equipment without a feed is missing from every feed: breakers, UPS and the loss of a feed are then judged
with too little load.

## Formula

```
power of racks and assemblies = what their PDUs and shelves draw from feeds
```

Unit: W on both sides.

Source: arithmetic; the same sum is the line `on no feed` of the plan's table of feeds.

Error: none beyond its inputs.

## Example

`assemblies: { nvl: { names: "nvl[1-3]", model: nvidia-gb200-nvl72 } }` beside `feeds: { A: …, B: … }`: 360 kW that no feed carries.

## How to fix

Name the racks' `pdus`, each with its `feed` (or `panel`), and each assembly's `feeds`.

## When to accept

Where some racks are supplied from a source that is not planned in this spec.
)",
    .check = power_equipment_on_no_feed,
};

}  // namespace clusterc
