#include <cmath>
#include <optional>

#include "plan/plan.h"
#include "plan/power/power.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/site.h"

namespace clusterc {
namespace {

constexpr double kWarmestClass = 45;  // C: W45, the warmest class with a limit (ASHRAE TC 9.9, Thermal guidelines, 5th
                                      // edition; W+ is whatever the maker says)
constexpr double kMargin =
    2;  // K above the dew point: pipes and quick connectors are colder than the coolant's sensor says (policy)

struct DewPoint {
  Celsius at{0};
  SourceSpan span;
  std::string how;
};

// The highest of the room: what the loop states, else what the zones of air around its racks state or their humidity
// gives.
std::optional<DewPoint> dew_point_at(const RuleInput& in, int loop) {
  const Cluster& c = in.cluster;
  const CoolingZone& own = *c.zones[static_cast<std::size_t>(loop)].spec;
  if (own.dew_point) return DewPoint{*own.dew_point, own.dew_point.span, "the dew point of the room"};
  std::optional<DewPoint> found;
  const auto see = [&](int zone) {
    if (zone < 0) return;
    const CoolingZone& z = *c.zones[static_cast<std::size_t>(zone)].spec;
    std::optional<DewPoint> here;
    if (z.dew_point)
      here = DewPoint{*z.dew_point, z.dew_point.span, "the dew point of the room"};
    else if (z.humidity && z.supply && *z.humidity > 0)
      here = DewPoint{dew_point(*z.supply, *z.humidity), z.humidity.span,
                      format("a relative humidity of {} at {}", percent(*z.humidity), to_text(*z.supply))};
    if (here && (!found || here->at > found->at)) found = here;
  };
  for (const AssemblyGroupModel& a : c.assemblies)
    if (a.liquid == loop) see(a.air);
  for (const RackGroupModel& g : c.racks)
    if (g.liquid == loop) see(g.cooling);
  return found;
}

void check_dew_point(const Rule& rule, const RuleInput& in, Findings& findings, int loop) {
  const ZoneModel& z = in.cluster.zones[static_cast<std::size_t>(loop)];
  const Value<Celsius>& supply = z.spec->supply;
  const std::optional<DewPoint> dew = dew_point_at(in, loop);
  if (!dew) {
    findings.note(rule.id, supply.span,
                  format("no `dew_point` is stated for the room of loop '{}', so condensation on coolant lines at {} "
                         "was not checked",
                         z.name, to_text(*supply)));
    return;
  }
  if (!above(dew->at.value + kMargin, supply->value)) return;
  Finding& f =
      findings.error(rule.id, supply.span,
                     format("loop '{}' supplies {}, but the room's dew point is {} and the supply must be {} above it",
                            z.name, to_text(*supply), to_text(dew->at, 3), to_text(Kelvins(kMargin))));
  f.note(dew->span, dew->how);
  f.help(format("set the supply to {} or more, or dry the room", to_text(Celsius(std::ceil(dew->at.value + kMargin)))));
  f.object("zone/" + z.name);
}

void too_warm(const Rule& rule, Findings& findings, const ZoneModel& z, const Value<Celsius>& most,
              const std::string& part) {
  const Value<Celsius>& supply = z.spec->supply;
  if (!most) {
    if (!above(supply->value, kWarmestClass)) return;
    Finding& f = findings.warning(
        rule.id, supply.span,
        format("loop '{}' supplies {}, but the warmest equipment class allows {}, and the limit of '{}' is unknown",
               z.name, to_text(*supply), to_text(Celsius(kWarmestClass)), part));
    f.help(format("set the supply to {} or less, or write the part's `coolant_max`", to_text(Celsius(kWarmestClass))));
    f.object("zone/" + z.name);
    return;
  }
  if (!above(supply->value, most->value)) return;
  Finding& f = findings.error(
      rule.id, supply.span,
      format("loop '{}' supplies {}, but '{}' allows at most {}", z.name, to_text(*supply), part, to_text(*most)));
  f.note(most.span, "the maximum coolant temperature");
  mention_unconfirmed(f, most, format("the maximum coolant temperature of '{}'", part));
  f.help(format("set the supply to {} or less", to_text(*most)));
  f.object("zone/" + z.name);
}

void cool_coolant_too_warm_or_condensing(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  if (!c.own_site) return;
  for (std::size_t i = 0; i < c.zones.size() && i < in.plan.zones.size(); ++i) {
    const ZoneModel& z = c.zones[i];
    const int loop = static_cast<int>(i);
    const bool used = std::any_of(c.assemblies.begin(), c.assemblies.end(),
                                  [&](const AssemblyGroupModel& a) { return a.liquid == loop && a.count > 0; }) ||
                      std::any_of(c.racks.begin(), c.racks.end(),
                                  [&](const RackGroupModel& g) { return g.liquid == loop && g.count > 0; });
    if (z.spec->method.value != CoolingMethod::liquid || !used) continue;
    if (!z.spec->supply) {
      findings.note(rule.id, z.span,
                    format("loop '{}' has no `supply` temperature, so neither condensation nor the maximum coolant "
                           "temperature was checked",
                           z.name));
      continue;
    }
    check_dew_point(rule, in, findings, loop);
    for (const AssemblyGroupModel& a : c.assemblies)
      if (a.liquid == loop && a.part && a.count > 0) too_warm(rule, findings, z, a.part->coolant_max, a.model);
    for (const NodeGroupModel& g : c.nodes)
      if (is_ours(g) && g.racks >= 0 && c.racks[g.racks].liquid == loop && g.count > 0 &&
          (g.server.part.coolant_max || g.server.part.liquid_cooled.value_or(false)))
        too_warm(rule, findings, z, g.server.part.coolant_max, g.server.id);
  }
}

}  // namespace

extern const Rule kCoolCoolantTooWarmOrCondensing;  // registry.cc names it
const Rule kCoolCoolantTooWarmOrCondensing = {
    .id = "cool-coolant-too-warm-or-condensing",
    .code = "COOL-008",
    .severity = Severity::error,
    .physics = false,
    .summary = "the coolant is warmer than the equipment allows, or so cold that water condenses on its lines",
    .explanation = R"(## What it checks

The coolant that a loop supplies is at least 2 K above the dew point of the room, and no warmer than the equipment
allows.

## Why it matters

Below the dew point, water runs down the manifolds into the trays. Above the equipment's limit (ASHRAE classes W17 to W45) the GPUs throttle all summer.

## Formula

```
supply >= dew point + 2 K
supply <= coolant_max of each part; where that is not known 45 C (warning)
dew point from humidity: g = ln(RH) + 17.62 T / (243.12 + T),  Td = 243.12 g / (17.62 - g)   (T in C)
```

Unit: C on both sides; RH is a share, the margin is in K.

The dew point is the loop's, else the highest of the zones of air around its racks.
Source: Magnus formula with the constants of WMO-No. 8 (Guide to Instruments), annex 4.B; the 2 K are policy; 45 C is class W45 of ASHRAE TC 9.9, the warmest that has a limit.

Error: 0.35 K for a dew point that comes from humidity (these constants, -45 C to 60 C; general knowledge, not read);
none beyond its inputs for one that is written.

## Example

Coolant of 15 C in a hall of 27 C and 60 %: the dew point is 18.6 C.

## How to fix

Use a warmer set point, or dry the air. For coolant that is too warm: a colder set point.

## When to accept

Where every cold surface is insulated, or the maker allows warmer coolant in writing.
)",
    .check = cool_coolant_too_warm_or_condensing,
};

}  // namespace clusterc
