#include <cmath>

#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/shelves.h"
#include "spec/site.h"

namespace clusterc {
namespace {

// Shelves that are left after the loss of one feed, or of the spare ones; the fewest.
struct Left {
  std::int64_t shelves = 0;
  int lost = -1;  // feed
  bool spare = false;
};
Left fewest_left(const PowerRack& rack, std::int64_t all, std::int64_t spare) {
  Left left{all};
  for (const PowerPosition& p : rack.positions)
    if (PowerFailure failure; p.shelves > 0 && p.feed >= 0 && lose_feed(rack, p.feed, failure))
      if (const std::int64_t alive = shelves_alive(rack, failure); alive > 0 && alive < left.shelves)
        left = {alive, p.feed};
  if (spare > 0 && all - spare < left.shelves) left = {std::max<std::int64_t>(0, all - spare), -1, true};
  return left;
}

void check_one(const Rule& rule, const RuleInput& in, const Shelves& s, const PowerClass& k, Findings& findings) {
  const Cluster& c = in.cluster;
  const SupplyLoad& load = on_shelves(k);  // its supplies are the shelves
  const std::int64_t all = load.supplies > 0 ? load.supplies
                           : s.assembly
                               ? c.assemblies[static_cast<std::size_t>(s.group)].part->power_shelves.value_or(0)
                               : 0;
  if (load.output <= 0 || load.watts <= 0 || all == 0) return;
  const double needs = load.watts * load.efficiency;
  Left left = fewest_left(k.rack, all, s.spare);
  const bool short_of_all = above(needs, load.output * static_cast<double>(all));
  if (short_of_all) left = {all};
  if (!above(needs, load.output * static_cast<double>(left.shelves))) return;
  const std::string when = left.lost >= 0
                               ? format("if feed '{}' fails, ", c.feeds[static_cast<std::size_t>(left.lost)].name)
                           : left.spare ? format("with {} of {} shelves failed, ", all - left.shelves, all)
                                        : "";
  const bool one = left.shelves == 1;
  const std::string_view supply = when.empty() ? (one ? "shelf supplies" : "shelves together supply")
                                  : one        ? "shelf that remains supplies"
                                               : "shelves that remain supply";
  Finding& f = findings.error(rule.id, s.feeds,
                              format("{}{} of '{}' needs {} from its power shelves, but the {} {} {}", when, s.each(),
                                     s.name, to_text(Watts(needs)), left.shelves, supply,
                                     to_text(Watts(load.output * static_cast<double>(left.shelves)))));
  f.label(format("{} x {}; {} at the wall x {:.2f} efficiency = {}", left.shelves, to_text(Watts(load.output)),
                 to_text(Watts(load.watts)), load.efficiency, to_text(Watts(needs))));
  f.note(s.power.span, "the output of one shelf");
  mention_unconfirmed(f, s.power, format("the output of a shelf of {}", s.model));
  const auto enough = static_cast<std::int64_t>(std::ceil(needs / load.output * (1 - kRounding)));
  f.help(left.lost >= 0 ? format("use {} shelves on each feed, or accept the loss with a reason", enough)
         : left.spare   ? format("use {} shelves, which carry the load with {} spare", enough + s.spare, s.spare)
                        : std::string("use more or larger shelves"));
  f.physics = short_of_all;
  f.object(s.object);
}

void power_shelves_below_rack_draw(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  if (!c.own_site) return;
  const std::vector<Shelves> shelves = all_shelves(c);
  for (const Shelves& s : shelves) {
    if (!s.power)
      findings.note(rule.id, s.span, format("{} states no `shelf_power`, so its shelves were not checked", s.model));
    else if (!s.on_feeds && s.assembly)
      findings.note(
          rule.id, s.span,
          format("assembly group '{}' has no `feeds`, so the loss of a feed was not checked against its power shelves",
                 s.name));
  }
  for (const Shelves& s : shelves) {
    const PowerClass* worst = nullptr;  // racks of a group differ; assemblies do not
    for (const PowerClass& k : in.plan.power_classes())
      if (has_shelves(k, s) && (!worst || on_shelves(k).watts > on_shelves(*worst).watts)) worst = &k;
    if (worst) check_one(rule, in, s, *worst, findings);
  }
}

}  // namespace

extern const Rule kPowerShelvesBelowRackDraw;  // registry.cc names it
const Rule kPowerShelvesBelowRackDraw = {
    .id = "power-shelves-below-rack-draw",
    .code = "PWR-021",
    .severity = Severity::error,
    .physics = false,
    .summary =
        "the power shelves of an assembly or busbar supply less than it draws, with all feeds or after the loss of one",
    .explanation = R"(## What it checks

The power shelves of a rack-scale system, or of the busbar of a rack, carry its load: all of them together, those that
remain when the `spare` ones of a busbar have failed, and those that remain after the loss of
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
)",
    .check = power_shelves_below_rack_draw,
};

}  // namespace clusterc
