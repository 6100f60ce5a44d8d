#include <cmath>

#include "plan/plan.h"
#include "plan/power/cords.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/site.h"

namespace clusterc {
namespace {

void check(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  if (!c.own_site) return;
  for (const AssemblyGroupModel& a : c.assemblies) {
    if (a.count == 0 || !a.part) continue;
    if (!a.part->shelf_power)
      findings.note(rule.id, a.span, format("'{}' states no `shelf_power`, so its shelves were not checked", a.model));
    else if (a.shelves.empty())
      findings.note(
          rule.id, a.span,
          format("assembly group '{}' has no `feeds`, so the loss of a feed was not checked against its power shelves",
                 a.name));
  }
  for (const PowerClass& k : in.plan.power_classes()) {
    if (!k.assembly || k.rack.devices.empty()) continue;
    const AssemblyGroupModel& a = c.assemblies[static_cast<std::size_t>(k.group)];
    const SupplyLoad& load = k.rack.devices.back();  // the frame: its supplies are the shelves
    const std::int64_t all = load.supplies > 0 ? load.supplies : a.part ? a.part->power_shelves.value_or(0) : 0;
    if (load.output <= 0 || load.watts <= 0 || all == 0) continue;
    const double needs = load.watts * load.efficiency;
    int lost = -1;
    std::int64_t left = all;
    for (const PowerPosition& p : k.rack.positions)
      if (PowerFailure failure; p.feed >= 0 && lose_feed(k.rack, p.feed, failure)) {
        std::int64_t alive = 0;
        for (std::size_t i = 0; i < k.rack.positions.size(); ++i)
          alive += (failure.positions >> i & 1) == 0 ? k.rack.positions[i].shelves : 0;
        if (alive < left) {
          left = alive;
          lost = p.feed;
        }
      }
    const bool short_of_all = above(needs, load.output * static_cast<double>(all));
    if (short_of_all) lost = -1, left = all;
    if (!above(needs, load.output * static_cast<double>(left))) continue;
    const std::string when =
        lost >= 0 ? format("if feed '{}' fails, ", c.feeds[static_cast<std::size_t>(lost)].name) : "";
    const SourceSpan at = a.spec->feeds.empty() ? a.span : a.spec->feeds.entries.front().name_span;
    Finding& f = findings.error(
        rule.id, at,
        format("{}each assembly of '{}' needs {} from its power shelves, but {} of them supply {}", when, a.name,
               to_text(Watts(needs)), left, to_text(Watts(load.output * static_cast<double>(left)))));
    f.label(format("{} x {}; {} at the wall x {:.2f} efficiency = {}", left, to_text(Watts(load.output)),
                   to_text(Watts(load.watts)), load.efficiency, to_text(Watts(needs))));
    f.note(a.part->shelf_power.span, "the output of one shelf");
    mention_unconfirmed(f, a.part->shelf_power, format("the output of a shelf of '{}'", a.model));
    f.help(lost >= 0 ? format("use {} shelves on each feed, or accept the loss with a reason",
                              static_cast<std::int64_t>(std::ceil(needs / load.output * (1 - kRounding))))
                     : std::string("use more or larger shelves"));
    f.physics = short_of_all;
    f.object("assemblies." + a.name);
  }
}

}  // namespace

constexpr std::string_view kExplanation = R"(## What it checks

The power shelves of a rack-scale system carry its load: all of them together, and those that remain after the loss of
any one feed.

## Why it matters

A rack of 120 kW on a busbar has no second cord. If the shelves of the remaining feed are too few, 72 GPUs go off together.

## Formula

```
power at the wall x efficiency <= shelves that are left x output of one shelf
```

Unit: W on both sides, behind the shelves.

Source: data sheets (catalogue); efficiency 0.94 where no other is stated (80 PLUS Platinum at half load). The busbar's own rating is not in the catalogue and is not checked.

Error: none beyond its inputs where the efficiency is stated. 0.94 is a default: shelves of 0.96 must give 2 % more for
the same power at the wall.

## Example

A rack of 120 kW, 112.8 kW behind the shelves, with three shelves of 33 kW on feed A and five on B: 99 kW remain if B
fails.

## How to fix

Divide the shelves evenly over the feeds, or use more or larger ones.

## When to accept

Where the loss of a feed may stop the rack. Not where all shelves together are too small.
)";

extern const Rule kPowerShelvesBelowRackDraw;  // registry.cc names it
const Rule kPowerShelvesBelowRackDraw = {
    .id = "power-shelves-below-rack-draw",
    .code = "PWR-021",
    .severity = Severity::error,
    .physics = false,
    .summary = "the power shelves of an assembly supply less than it draws, with all feeds or after the loss of one",
    .explanation = kExplanation,
    .check = check,
};

}  // namespace clusterc
