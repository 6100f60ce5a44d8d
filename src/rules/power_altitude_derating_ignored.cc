#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/site.h"

namespace clusterc {
namespace {

constexpr double kRatedTo = 1000;  // m: IEC 62040-3, normal service conditions
constexpr double kPerHundredMeters = 0.01;

void power_altitude_derating_ignored(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  if (!c.own_site || !c.spec.site || !c.spec.site->altitude) return;
  const Meters height = *c.spec.site->altitude;
  for (std::size_t i = 0; i < c.feeds.size() && i < in.plan.feeds.size(); ++i) {
    const FeedModel& feed = c.feeds[i];
    if (!feed.ups || !feed.spec->ups || !feed.ups->power) continue;
    const double rated_to = feed.ups->altitude ? feed.ups->altitude->value : kRatedTo;
    if (!above(height.value, rated_to)) continue;
    const UpsSet& set = *feed.spec->ups;
    const Watts counted =
        *feed.ups->power *
        static_cast<double>(set.modules.value_or(1) - std::min(set.spare.value_or(0), set.modules.value_or(1)));
    const Watts there = counted * std::max(0.0, 1 - kPerHundredMeters * (height.value - rated_to) / 100);
    Finding& f =
        findings.warning(rule.id, first_place(written(set.model), feed.span),
                         format("the UPS of feed '{}' is planned at {}, but at an altitude of {} it supplies about {}",
                                feed.name, to_text(counted), to_text(height), to_text(there)));
    f.label(format("1 % less for each 100 m above {}", to_text(Meters(rated_to))));
    f.note(c.spec.site->altitude.span, "the altitude of the site");
    if (const Watts load(std::max(in.plan.feeds[i].normal, in.plan.feeds[i].worst).value /
                         in.plan.apparent(Watts(1)).value);
        above(load.value, there.value))
      f.note({}, format("its load of {} exceeds that", to_text(load)));
    f.help(
        "define your own part (`parts`) with the power that the maker states for this altitude, and write this "
        "altitude as its `altitude`");
    f.object("feed/" + feed.name);
  }
}

}  // namespace

extern const Rule kPowerAltitudeDeratingIgnored;  // registry.cc names it
const Rule kPowerAltitudeDeratingIgnored = {
    .id = "power-altitude-derating-ignored",
    .code = "PWR-020",
    .severity = Severity::warning,
    .physics = false,
    .summary = "a UPS is planned at full power at an altitude where it supplies less",
    .explanation = R"(## What it checks

Above the altitude for which a UPS is rated (1,000 m unless its part says otherwise), the plan must not count on its
full power.

## Why it matters

Thin air cools and insulates less. At 2,000 m a UPS of 500 kW supplies about 450 kW; with a higher load it transfers to
bypass.

## Formula

```
power at height h = power x (1 - 0.01 x (h - rated height) / 100 m)
```

Unit: W on both sides; h in m.

Source: IEC 62040-3 (service conditions up to 1,000 m, reduced above); 1 % for each 100 m is the usual figure of makers' tables, general engineering knowledge: the maker's own table decides.

Error: not known. The maker's own table decides.

## Example

A UPS of 500 kW at 2,000 m: about 450 kW.

## How to fix

Write the maker's derated figures into a part of your own, with the altitude for which they hold as its `altitude`.

## When to accept

Where the load stays below the derated figure in the maker's table.
)",
    .check = power_altitude_derating_ignored,
};

}  // namespace clusterc
