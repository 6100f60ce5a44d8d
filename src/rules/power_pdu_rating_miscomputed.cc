#include <cmath>
#include <optional>

#include "model/power.h"
#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/site.h"

namespace clusterc {
namespace {

constexpr double kTolerance = 0.02;  // catalogue figures are rounded: 8.65 kVA for 8,646 VA
constexpr double kVoltageBand =
    0.05;  // 400 V and 415 V equipment meet; 208 V and 240 V do not (ANSI C84.1 range A: 5 %)

// sqrt(3) x voltage x continuous current, one phase without the root; absent where the part does not say enough.
std::optional<VoltAmperes> by_formula(const Cluster& c, const PduPart& p) {
  if (!p.voltage || !p.phases) return std::nullopt;
  if (p.continuous) return continuous_rating(*p.phases, *p.voltage, *p.continuous, 1);
  if (p.breaker && c.continuous_factor > 0)
    return continuous_rating(*p.phases, *p.voltage, *p.breaker, c.continuous_factor);
  return std::nullopt;
}

void check_apparent(const Rule& rule, const RuleInput& in, Findings& findings, const PduModel& pdu) {
  const PduPart& p = *pdu.part;
  const std::optional<VoltAmperes> right = by_formula(in.cluster, p);
  if (!p.apparent || !right || !above(std::abs(p.apparent->value - right->value), kTolerance * right->value)) return;
  Finding& f = findings.error(
      rule.id, pdu.span,
      format("'{}' states {}, but its voltage and current give {}", pdu.model, to_text(*p.apparent), to_text(*right)));
  f.label(p.continuous
              ? format("{}{} x {}", *p.phases >= 3 ? "sqrt(3) x " : "", to_text(*p.voltage), to_text(*p.continuous))
              : format("{}{} x {} x {:.2f}", *p.phases >= 3 ? "sqrt(3) x " : "", to_text(*p.voltage),
                       to_text(*p.breaker), in.cluster.continuous_factor));
  f.note(p.apparent.span, "the stated value");
  mention_unconfirmed(f, p.apparent, format("the apparent power of '{}'", pdu.model));
  f.help("remove `apparent` from the part: it follows from the other figures");
}

// A PDU counted at a voltage that the site does not have. Where it is made for another region,
// power-plug-outlet-mismatch says so.
void check_voltage(const Rule& rule, const RuleInput& in, Findings& findings, const PduModel& pdu) {
  const Site& site = *in.cluster.spec.site;
  const PduPart& p = *pdu.part;
  if (!site.supply || !site.supply->voltage || !site.supply->phases || !p.voltage || !p.phases ||
      (p.region && site.region && *p.region != *site.region))
    return;
  const Volts line = *site.supply->voltage;
  const auto near = [&](Volts v) { return !above(std::abs(p.voltage->value - v.value), kVoltageBand * v.value); };
  const bool more_phases = *p.phases > *site.supply->phases;
  // One phase is taken between two lines, or from a line to neutral.
  const bool fits = near(line) || (*p.phases < 3 && *site.supply->phases >= 3 && near(line / kSqrt3));
  if (fits && !more_phases) return;
  const auto phases = [](std::int64_t n) { return n >= 3 ? "three phases" : "one phase"; };
  Finding& f = findings.error(rule.id, pdu.span,
                              format("'{}' is for {}, {}, but the site supplies {}, {}", pdu.model, to_text(*p.voltage),
                                     phases(*p.phases), to_text(line), phases(*site.supply->phases)));
  f.note(site.supply->voltage.span, "the supply voltage at the racks");
  mention_unconfirmed(f, p.voltage, format("the voltage of '{}'", pdu.model));
  f.help(format("use a PDU for {}, {}", to_text(line), phases(*site.supply->phases)));
}

void power_pdu_rating_miscomputed(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  if (!c.own_site || !c.spec.site) return;
  std::vector<const PduPart*> told;  // one part, one finding
  for (const RackGroupModel& g : c.racks)
    for (const PduModel& pdu : g.pdus) {
      if (!pdu.part || std::find(told.begin(), told.end(), pdu.part) != told.end()) continue;
      told.push_back(pdu.part);
      check_apparent(rule, in, findings, pdu);
      check_voltage(rule, in, findings, pdu);
    }
}

}  // namespace

extern const Rule kPowerPduRatingMiscomputed;  // registry.cc names it
const Rule kPowerPduRatingMiscomputed = {
    .id = "power-pdu-rating-miscomputed",
    .code = "PWR-002",
    .severity = Severity::error,
    .physics = true,
    .summary = "the rating of a PDU does not match its voltage, phases and breaker, or the site's supply",
    .explanation = R"(## What it checks

The apparent power of a PDU follows from its voltage, phases and current, and its voltage is the site's.

## Why it matters

3 x 208 V x 30 A gives 18.7 kVA, which is wrong by a factor of sqrt(3): 208 V is the voltage between lines. Equipment
planned with such a figure trips the breaker.

## Formula

```
three phases: apparent = sqrt(3) x line-to-line voltage x continuous current      (within 2 %)
one phase:    apparent = voltage x continuous current
continuous current     = breaker x 0.80 (region na), x 1.00 (region iec)
the PDU's voltage      = the site's within 5 %, or for one phase the site's / sqrt(3)
```

Unit: VA on both sides; voltage in V, current in A.

Source: definition of apparent power; NFPA 70 (NEC) 210.20(A) for the factor; HP, "Power basics for IT professionals", tables 4 and 5; ANSI C84.1 for the 5 %.

Error: none beyond its inputs. Figures within 2 % (apparent power) and 5 % (voltage) count as equal.

## Example

`voltage: 208 V`, `breaker: 30 A`, three phases, `apparent: 18.7 kVA`: the breaker's rating is 10.8 kVA, 8.65 kVA of it continuously.

## How to fix

Remove `apparent` from the part, or correct it from the label. If the voltage differs, use a PDU for the site's supply.

## When to accept

Never: it is arithmetic.
)",
    .check = power_pdu_rating_miscomputed,
};

}  // namespace clusterc
