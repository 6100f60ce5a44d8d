#include <algorithm>
#include <functional>
#include <vector>

#include "plan/power/cords.h"
#include "plan/power/power_chain.h"
#include "plan/power/rack_limits.h"
#include "rules/rule.h"
#include "rules/say.h"

namespace clusterc {
namespace {

// Breakers that outlets of a larger PDU have (APC FAQ FA319189).
constexpr Amperes kOutletBreakerNa{20}, kOutletBreakerIec{16};
constexpr double kLarge = 63;  // amperes: from there on two circuits of the usual PDU

std::int64_t usual_banks(const PduPart& p) {
  if (p.phases.value_or(1) < 3) return 2;
  return p.breaker && p.breaker->value > kLarge ? 12 : 6;
}

// The highest current of a bank when the cords of a PDU are dealt over `banks`, the largest first.
double fullest_bank(std::vector<double> amps, std::int64_t banks) {
  std::ranges::sort(amps, std::greater<>());
  std::vector<double> in(static_cast<std::size_t>(banks), 0);
  for (const double a : amps) *std::ranges::min_element(in) += a;
  return in.empty() ? 0 : std::ranges::max(in);
}

struct Worst {
  double amps = 0;
  int lost = -1;
  std::int64_t cords = 0;
  std::int32_t rack = -1;
};

void power_bank_breaker_unstated(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  if (!c.own_site || c.continuous_factor == 0) return;
  const bool na = c.continuous_factor < 1;
  const Amperes breaker = na ? kOutletBreakerNa : kOutletBreakerIec;
  const double limit = breaker.value * c.continuous_factor;
  std::vector<const PduPart*> told;
  for (std::size_t group = 0; group < c.racks.size(); ++group) {
    const RackGroupModel& g = c.racks[group];
    for (std::size_t p = 0; p < g.pdus.size(); ++p) {
      const PduPart* part = g.pdus[p].part;
      if (!part || part->bank_breaker || part->banks || std::ranges::find(told, part) != told.end()) continue;
      const Value<Volts> volts = outlet_voltage(*part);
      if (!volts || !part->breaker || !above(part->breaker->value, breaker.value)) continue;
      const std::int64_t banks = usual_banks(*part);
      Worst worst;
      for (const PowerClass& k : classes_of_group(in.plan.power_classes(), static_cast<std::int64_t>(group))) {
        for (int lost = -1; lost < static_cast<int>(c.feeds.size()); ++lost) {
          PowerFailure failure;
          if (lost >= 0 && (g.pdus[p].dies_with(lost) || !lose_feed(k.rack, lost, failure))) continue;
          PowerState state;
          evaluate(k.rack, failure, state);
          CordWatts watts;
          cord_watts(k.rack, failure, state, watts);
          std::vector<double> amps;
          bool outlet_over = false;
          for (std::size_t i = 0; i < k.rack.cords.size(); ++i) {
            if (static_cast<std::size_t>(k.rack.cords[i].position) != p) continue;
            amps.push_back(cord_current(c, k.rack.devices[static_cast<std::size_t>(k.rack.cords[i].device)],
                                        Watts(watts.cord[i]), 1, *volts)
                               .value);
            outlet_over = outlet_over || above(amps.back(), limit);
          }
          // The whole PDU: power-branch-over-continuous-rating and power-feed-loss-overloads-survivor say so.
          const Value<VoltAmperes> rating = pdu_rating(c, *part);
          if (rating && above(in.plan.apparent(Watts(state.position_watts[p])).value, rating->value)) continue;
          if (outlet_over) continue;  // power-cord-over-outlet-rating says so
          if (const double most = fullest_bank(amps, banks); above(most, limit) && most > worst.amps)
            worst = {most, lost, static_cast<std::int64_t>(amps.size()), k.racks.front()};
        }
      }
      if (worst.rack < 0) continue;
      told.push_back(part);
      const std::string when =
          worst.lost >= 0 ? format(" if feed '{}' fails", c.feeds[static_cast<std::size_t>(worst.lost)].name) : "";
      findings
          .add(rule.severity, rule.id, g.pdus[p].span,
               format("'{}' does not state the breakers of its outlet banks: with {} banks of {} ({} continuous), one "
                      "bank in "
                      "rack '{}' carries {}{}",
                      g.pdus[p].model, banks, to_text(breaker), to_text(Amperes(limit)), c.rack_name(worst.rack),
                      to_text(Amperes(worst.amps)), when))
          .label(format("{} over {} banks, the largest first", plural(worst.cords, "cord"), banks))
          .note({}, format("a PDU with an input above {} has breakers of at most {} before its outlets",
                           to_text(breaker), to_text(breaker)))
          .help(format("define a part of your own (`parts: [parts]`) with the values of its data sheet: `banks: {}`, "
                       "`bank_breaker: {}`",
                       banks, to_text(breaker)))
          .object("racks." + g.name);
    }
  }
}

}  // namespace

extern const Rule kPowerBankBreakerUnstated;  // registry.cc names it
const Rule kPowerBankBreakerUnstated = {
    .id = "power-bank-breaker-unstated",
    .code = "PWR-027",
    .severity = Severity::warning,
    .physics = false,
    .summary = "a PDU above 20 A or 16 A states no breakers of its outlet banks, and usual ones would trip",
    .explanation = R"(## What it checks

A PDU whose input is above what an outlet may be fused for states its banks of outlets and their breakers. Where it does
not, the rule deals the cords over a usual number of banks, and warns where one of them would carry more than its
breaker.

## Why it matters

Such a PDU has a breaker for each bank of outlets. Two cords of a GPU node on one bank trip it while the whole PDU reads
40 %. Nothing in the spec says how many banks there are.

## Formula

```
input > 20 A (na), > 16 A (iec): outlets have breakers of at most 20 A (na), 16 A (iec)
banks assumed: 6 on three phases, 12 above 63 A; 2 on one phase
current of the fullest bank, in normal operation and after the loss of a feed <= 20 A x 0.80 = 16 A (na), 16 A (iec)
```

Unit: A on both sides.

Source: APC FAQ FA319189 (outlet breakers of rack PDUs); NFPA 70 (NEC) 210.20(A). The number of banks is a planning
default.

Error: not known. More banks than assumed carry less each, fewer carry more.

## Example

A PDU of 60 A with eight cords of 11.2 A: on six banks two of them share a bank, 22.4 A.

## How to fix

Write `banks` and `bank_breaker` of the PDU from its data sheet.

## When to accept

Where the data sheet shows that no bank carries more than its breaker.
)",
    .check = power_bank_breaker_unstated,
};

}  // namespace clusterc
