#include "plan/plan.h"
#include "plan/power/rack_limits.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/site.h"

namespace clusterc {
namespace {

void power_ups_over_kw_rating(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  if (!c.own_site) return;
  const double pf = power_factor(c);
  for (std::size_t i = 0; i < c.feeds.size() && i < in.plan.feeds.size(); ++i) {
    const FeedModel& feed = c.feeds[i];
    if (!feed.ups || !feed.spec->ups) continue;
    const UpsSet& set = *feed.spec->ups;
    const std::string model = set.model.value_or("");
    const std::int64_t modules = set.modules.value_or(1), spare = std::min(set.spare.value_or(0), modules),
                       left = modules - spare;
    if (!feed.ups->power || !feed.ups->apparent)
      findings.note(rule.id, first_place(set.model.span, feed.span),
                    format("'{}' states no `{}`, so the load of feed '{}' was not compared with it", model,
                           feed.ups->power ? "apparent" : "power", feed.name));
    const FeedLoad& load = in.plan.feeds[i];
    const VoltAmperes va = std::max(load.normal, load.worst);
    const Watts watts(va.value * pf);
    const bool after_loss = load.worst_lost_feed >= 0 && load.worst > load.normal;
    const std::string when = after_loss ? format("if feed '{}' fails, ", c.feeds[load.worst_lost_feed].name) : "";
    const double n = static_cast<double>(left);
    const bool over_watts = feed.ups->power && above(watts.value, feed.ups->power->value * n),
               over_va = feed.ups->apparent && above(va.value, feed.ups->apparent->value * n);
    if (!over_watts && !over_va) continue;
    const SourceSpan at = first_place(written(set.modules), written(set.model), feed.span);
    const std::string has = over_watts ? to_text(*feed.ups->power * n) : to_text(*feed.ups->apparent * n);
    Finding& f = findings.error(rule.id, at,
                                format("{}the UPS of feed '{}' carries {} but is rated for {}", when, feed.name,
                                       over_watts ? to_text(watts) : to_text(va), has));
    std::string label = spare > 0 ? format("({} - {} spare) x {} = {}", modules, spare,
                                           over_watts ? to_text(*feed.ups->power) : to_text(*feed.ups->apparent), has)
                                  : format("{} x {} = {}", modules,
                                           over_watts ? to_text(*feed.ups->power) : to_text(*feed.ups->apparent), has);
    if (over_watts && !over_va && feed.ups->apparent)
      label += format("; the apparent power fits: {} of {}", to_text(va), to_text(*feed.ups->apparent * n));
    f.label(std::move(label));
    if (after_loss)
      f.note(c.feeds[load.worst_lost_feed].span,
             format("this is the feed that fails; while it works, the UPS carries {}",
                    to_text(Watts(load.normal.value * pf))));
    if (over_watts)
      mention_unconfirmed(f, feed.ups->power, format("the power of '{}'", model));
    else
      mention_unconfirmed(f, feed.ups->apparent, format("the apparent power of '{}'", model));
    if (const Watts guess = unconfirmed_power(in, -1); guess.value > 0) {
      const std::string most = format("up to {}", to_text(guess));
      if (over_watts)
        mention_unconfirmed_load(f, watts.value, feed.ups->power->value * n, guess.value, most);
      else
        mention_unconfirmed_load(f, va.value, feed.ups->apparent->value * n, guess.value / pf, most);
    }
    std::int64_t needed = left;
    while (needed < 1000 &&
           ((feed.ups->power && above(watts.value, feed.ups->power->value * static_cast<double>(needed))) ||
            (feed.ups->apparent && above(va.value, feed.ups->apparent->value * static_cast<double>(needed)))))
      ++needed;
    f.help(format("write `modules: {}`", needed + spare));
    f.object("feed/" + feed.name);
  }
}

}  // namespace

extern const Rule kPowerUpsOverKwRating;  // registry.cc names it
const Rule kPowerUpsOverKwRating = {
    .id = "power-ups-over-kw-rating",
    .code = "PWR-009",
    .severity = Severity::error,
    .physics = true,
    .summary = "a UPS carries more than its rated real or apparent power",
    .explanation = R"(## What it checks

The UPS on a feed carries the feed's load, in real and in apparent power, without its spare modules and after the loss
of any other feed.

## Why it matters

A UPS has two limits. Modern power supplies draw almost only real power, so a 500 kVA UPS that is rated for 400 kW is
full at 400 kW while its display still shows a fifth in reserve.

## Formula

```
load [kW]                 <= (modules - spare) x kW of one module
load [kW] / power factor  <= (modules - spare) x kVA of one module
```

Unit: W on both sides, VA on both sides.

Source: data sheet of the UPS (catalogue); definition of the power factor.

Error: none beyond its inputs, as long as the cords are plugged as planned. A power factor of 0.96 is a default where
none is written.

## Example

450 kW on a UPS of 500 kVA and 400 kW: 455 kVA fit, 450 kW do not.

## How to fix

Add modules, use a UPS of unity power factor, or reduce the load of the feed.

## When to accept

Never: it is against the rating of the part that carries the load.
)",
    .check = power_ups_over_kw_rating,
};

}  // namespace clusterc
