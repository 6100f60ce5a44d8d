#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/site.h"

namespace clusterc {
namespace {

// ASHRAE TC 9.9, 2021 reference card, table 2.1: recommended for every air class.
constexpr double kMostHumidity = 0.70, kDewLow = -9, kDewHigh = 15;

void cool_humidity_out_of_range(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  if (!c.own_site) return;
  for (std::size_t i = 0; i < c.zones.size() && i < in.plan.zones.size(); ++i) {
    const CoolingZone& z = *c.zones[i].spec;
    if (in.plan.zones[i].heat.value <= 0) continue;
    const bool wet = z.humidity && above(*z.humidity, kMostHumidity);
    const bool dew = z.dew_point && (above(z.dew_point->value, kDewHigh) || z.dew_point->value < kDewLow - kRounding);
    if (!wet && !dew) continue;
    const std::string_view kind = z.method.value == CoolingMethod::liquid ? "loop" : "zone";
    Finding& f = wet ? findings.warning(
                           rule.id, z.humidity.span,
                           format("the room of {} '{}' has a relative humidity of {}, but at most {} is recommended",
                                  kind, c.zones[i].name, percent(*z.humidity), percent(kMostHumidity)))
                     : findings.warning(rule.id, z.dew_point.span,
                                        format("the room of {} '{}' has a dew point of {}, but {} to {} is recommended",
                                               kind, c.zones[i].name, to_text(*z.dew_point), to_text(Celsius(kDewLow)),
                                               to_text(Celsius(kDewHigh))));
    if (wet && dew)
      f.note(z.dew_point.span, format("the dew point of {} is also outside {} to {}", to_text(*z.dew_point),
                                      to_text(Celsius(kDewLow)), to_text(Celsius(kDewHigh))));
    f.help(wet || z.dew_point->value > kDewHigh
               ? "dehumidify the room, or accept the finding if the makers of the equipment allow this in writing"
               : "humidify the room, or accept the finding if the makers of the equipment allow this in writing");
    f.object("zone/" + c.zones[i].name);
  }
}

}  // namespace

extern const Rule kCoolHumidityOutOfRange;  // registry.cc names it
const Rule kCoolHumidityOutOfRange = {
    .id = "cool-humidity-out-of-range",
    .code = "COOL-014",
    .severity = Severity::warning,
    .physics = false,
    .summary = "the humidity of a room is outside the recommended range",
    .explanation = R"(## What it checks

The relative humidity and dew point of a zone are in the range recommended for data centres.

## Why it matters

Humid air corrodes contacts and condenses on cold pipes; very dry air causes static discharges that destroy modules.

## Formula

```
relative humidity <= 70 %
-9 C <= dew point <= 15 C
```

Unit: relative humidity as a share, dew point in C.

Source: ASHRAE TC 9.9, 2021 reference card (5th edition), table 2.1, recommended range; where copper and silver corrode, it recommends 50 %. How fast temperature may change (20 K/h) is not in the language.

Error: none beyond its inputs; nothing is computed.

## Example

`humidity: 80 %` in a hall by the sea.

## How to fix

Dehumidify or humidify.

## When to accept

Where the makers of the equipment allow more, with their document as the reason.
)",
    .check = cool_humidity_out_of_range,
};

}  // namespace clusterc
