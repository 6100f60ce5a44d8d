#include <algorithm>

#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/site.h"

namespace clusterc {
namespace {

// ASHRAE TC 9.9, 2021 reference card, table 2.1: recommended inlet of every air class.
constexpr double kRecommendedLow = 18, kRecommendedHigh = 27;

void cool_inlet_out_of_range(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  if (!c.own_site) return;
  std::vector<char> outside(c.zones.size(), 0);
  std::vector<std::string> half_stated;  // servers of which it was said
  for (const NodeGroupModel& g : c.nodes) {
    if (!is_ours(g) || g.racks < 0 || g.count == 0) continue;
    const int zone = c.racks[g.racks].cooling;
    if (zone < 0) continue;
    const ZoneModel& z = c.zones[zone];
    const Value<Celsius>& supply = z.spec->supply;
    if (!supply) continue;  // said once below
    const Value<Celsius>&high = g.server.part.inlet_max, &low = g.server.part.inlet_min;
    if (!high && !low) {
      findings.note(rule.id, g.server.span,
                    format("'{}' states neither `inlet_min` nor `inlet_max`, so the supply of {} of zone '{}' was not "
                           "checked for group '{}'",
                           g.server.id, to_text(*supply), z.name, g.name));
      continue;
    }
    if (!high || !low)
      if (std::find(half_stated.begin(), half_stated.end(), g.server.id) == half_stated.end()) {
        half_stated.push_back(g.server.id);
        findings.note(
            rule.id, g.server.span,
            format("'{}' states no `{}`, so it was not checked whether the supply of {} of zone '{}' is too {} for it",
                   g.server.id, high ? "inlet_min" : "inlet_max", to_text(*supply), z.name, high ? "cold" : "warm"));
      }
    const bool hot = high && above(supply->value, high->value), cold = low && supply->value < low->value - kRounding;
    if (!hot && !cold) continue;
    outside[zone] = 1;
    const Value<Celsius>& limit = hot ? high : low;
    Finding& f = findings.error(rule.id, supply.span,
                                format("cooling zone '{}' supplies {}, but '{}' is rated {} {} at the inlet", z.name,
                                       to_text(*supply), g.server.id, hot ? "up to" : "from", to_text(*limit)));
    f.label(format("{} too {}", to_text(Kelvins(hot ? supply->value - limit->value : limit->value - supply->value)),
                   hot ? "warm" : "cold"));
    f.note(g.server.span, format("{} of group '{}' receive this air", plural(g.count, "node"), g.name));
    mention_unconfirmed(f, limit, format("the {} inlet temperature of '{}'", hot ? "highest" : "lowest", g.server.id));
    f.help(
        hot ? format("lower the set point to {} or less", to_text(Celsius(std::min(kRecommendedHigh, limit->value))))
            : format("raise the set point to {} or more", to_text(Celsius(std::max(kRecommendedLow, limit->value)))));
    f.object("zone/" + z.name);
  }
  for (std::size_t i = 0; i < c.zones.size(); ++i) {
    const ZoneModel& z = c.zones[i];
    if (z.spec->method.value == CoolingMethod::liquid) continue;
    const bool used = i < in.plan.zones.size() && in.plan.zones[i].heat.value > 0;
    const Value<Celsius>& supply = z.spec->supply;
    if (!used) continue;
    if (!supply) {
      findings.note(rule.id, z.span,
                    format("cooling zone '{}' has no `supply` temperature{}, so inlet temperatures were not checked",
                           z.name, supply.source.empty() ? "" : format(" ({})", supply.source)));
    } else if (!outside[i] &&
               (supply->value > kRecommendedHigh + kRounding || supply->value < kRecommendedLow - kRounding)) {
      findings
          .warning(rule.id, supply.span,
                   format("cooling zone '{}' supplies {}, but 18 C to 27 C is recommended", z.name, to_text(*supply)))
          .help(format("set the supply to {}", supply->value > kRecommendedHigh ? "27 C or less" : "18 C or more"))
          .object("zone/" + z.name);
    }
  }
}

}  // namespace

extern const Rule kCoolInletOutOfRange;  // registry.cc names it
const Rule kCoolInletOutOfRange = {
    .id = "cool-inlet-out-of-range",
    .code = "COOL-004",
    .severity = Severity::error,
    .physics = false,
    .summary = "the supplied air is outside the inlet range of a device",
    .explanation = R"(## What it checks

The air that a zone supplies is in the inlet range of every server that receives it (error), and in the range
recommended for all servers (warning).

## Why it matters

Above its range a server throttles and finally switches off. Below it, water condenses and cables become brittle.
Warranties name the range.

## Formula

```
inlet_min <= supply <= inlet_max of each server
18 C <= supply <= 27 C recommended
```

Unit: C on both sides.

Source: data sheets of the servers (catalogue); ASHRAE TC 9.9, 2021 reference card, table 2.1. Air that mixes in on the way is not counted: with open aisles the inlet is warmer than the supply. A server that
states one of its two limits is held to that one, and a note names the key of the other, once for each kind of server.

Error: the inlet is taken as the supply. By how much air that mixes in makes it warmer is not known.

## Example

A hall at 32 C with nodes that are rated up to 30 C.

## How to fix

Lower the set point (or raise it where the air is too cold), or use equipment of a wider class.

## When to accept

The warning: where a warm hall is intended, its saving is known, and every server allows it. The error only with a
written allowance of the server's maker.
)",
    .check = cool_inlet_out_of_range,
};

}  // namespace clusterc
