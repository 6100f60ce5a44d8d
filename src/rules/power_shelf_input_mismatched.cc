#include <algorithm>
#include <cmath>
#include <vector>

#include "model/power.h"
#include "model/rounding.h"
#include "plan/power/rack_limits.h"
#include "rules/breaker_sizes.h"
#include "rules/rule.h"
#include "rules/shelves.h"
#include "spec/site.h"

namespace clusterc {
namespace {

struct Load {
  Watts watts{0};  // of one shelf, at the wall
  int lost = -1;
  std::int64_t alive = 0;
};

// The highest load of one shelf: with all feeds, and after the loss of each.
Load highest_load(const Cluster& c, const PowerClass& k, const SupplyLoad& all, const Shelves& shelves) {
  Load worst;
  for (int lost = -1; lost < static_cast<int>(c.feeds.size()); ++lost) {
    PowerFailure failure;
    if (lost >= 0 && !lose_feed(k.rack, lost, failure)) continue;
    const std::int64_t alive = shelves_alive(k.rack, failure);
    if (alive <= 0) continue;
    double each = all.watts / static_cast<double>(alive);
    if (shelves.power) each = std::min(each, shelves.power->value / all.efficiency);
    if (each > worst.watts.value * (1 + kRounding)) worst = {Watts(each), lost, alive};
  }
  return worst;
}

void check_voltage(const Rule& rule, const Shelves& s, const Supply& supply, Findings& findings) {
  const std::string_view least = s.assembly ? "shelf_input_min" : "input_min",
                         most = s.assembly ? "shelf_input_max" : "input_max";
  const bool low = s.input_min && above(s.input_min->value, supply.voltage->value),
             high = s.input_max && above(supply.voltage->value, s.input_max->value),
             phases = s.phases && *s.phases > *supply.phases;
  if (!low && !high && !phases) {
    if (!s.input_min && !s.input_max)
      findings.note(rule.id, s.span,
                    format("{} states no `{}` and no `{}`, so it was not checked whether its power shelves accept {}",
                           s.model, least, most, to_text(*supply.voltage)));
    return;
  }
  const auto phases_text = [](std::int64_t n) { return n >= 3 ? "three phases" : "one phase"; };
  std::string takes;
  if (s.input_min && s.input_max)
    takes = format("{} to {}", to_text(*s.input_min), to_text(*s.input_max));
  else if (s.input_min || s.input_max)
    takes = s.input_min ? format("{} and more", to_text(*s.input_min)) : format("{} and less", to_text(*s.input_max));
  if (s.phases) takes += format("{}{}", takes.empty() ? "" : ", ", phases_text(*s.phases));
  Finding& f = findings.error(rule.id, s.span,
                              format("power shelves of '{}' need {}, but the site supplies {}, {}", s.name, takes,
                                     to_text(*supply.voltage), phases_text(*supply.phases)));
  f.note(supply.voltage.span, "the supply at the racks");
  const Value<Volts>& limit = high ? s.input_max : s.input_min;
  if (low || high)
    mention_unconfirmed(f, limit, format("the input range of the shelves of {}", s.model));
  else
    mention_unconfirmed(f, s.phases, format("the phases of the shelves of {}", s.model));
  f.help(s.assembly ? "use a supply of 400 V, 415 V or 480 V with three phases for these racks"
                    : "use power shelves for this supply, or a supply that the shelves accept")
      .object(s.object);
}

void check_circuit(const Rule& rule, const RuleInput& in, const Shelves& s, const Supply& supply, Findings& findings) {
  const Cluster& c = in.cluster;
  for (const PowerClass& k : in.plan.power_classes()) {
    if (!has_shelves(k, s)) continue;
    const SupplyLoad& all = on_shelves(k);  // its supplies are the shelves
    if (all.watts <= 0) continue;
    const Load load = highest_load(c, k, all, s);
    if (load.alive == 0) continue;
    const bool three = *supply.phases >= 3 && (s.assembly || s.phases.value_or(3) >= 3);
    const Volts across = three || *supply.phases < 3 ? *supply.voltage : load_voltage(*supply.phases, *supply.voltage);
    const Amperes amps(load.watts.value / ((three ? kSqrt3 : 1) * across.value * power_factor(c)));
    const std::string sum = format("{} / ({}{} x {:.2f})", to_text(load.watts), three ? "sqrt(3) x " : "",
                                   to_text(across), power_factor(c));
    const std::string when =
        load.lost >= 0 ? format("if feed '{}' fails, ", c.feeds[static_cast<std::size_t>(load.lost)].name) : "";
    if (!s.breaker) {
      findings
          .note(rule.id, s.span,
                format("{} '{}' states no `shelf_breaker`, so the circuit, whip and cord of a shelf were not "
                       "checked: {}each carries up to {}",
                       s.kind(), s.name, when, to_text(amps)))
          .label(sum)
          .object(s.object);
      return;
    }
    const double share = c.continuous_factor > 0 ? c.continuous_factor : 1.0;
    const Amperes rated = *s.breaker * share;
    if (!above(amps.value, rated.value)) {
      if (s.assembly) return;  // all alike
      continue;
    }
    Finding& f = findings.error(rule.id, s.breaker.span,
                                format("{}the circuit of each shelf of '{}' carries {}, but is rated for {} continuous",
                                       when, s.name, to_text(amps), to_text(rated)));
    f.label(sum);
    if (s.power) f.note(s.power.span, "the output of one shelf");
    if (s.assembly)
      mention_unconfirmed(f, c.assemblies[static_cast<std::size_t>(s.group)].part->power,
                          format("the power of {}", s.model));
    const Amperes least(amps.value / share), size = next_breaker(c, least, Amperes(200));
    f.help(format("use a breaker, whip and cord of at least {}",
                  to_text(size.value > 0 ? size : Amperes(std::ceil(least.value)))));
    f.object(s.object);
    return;
  }
}

void power_shelf_input_mismatched(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  if (!c.own_site || !c.spec.site || !c.spec.site->supply) return;
  const Supply& supply = *c.spec.site->supply;
  if (!supply.voltage || !supply.phases) return;
  const std::vector<Shelves> shelves = all_shelves(c);
  for (const Shelves& s : shelves) check_voltage(rule, s, supply, findings);
  for (const Shelves& s : shelves) check_circuit(rule, in, s, supply, findings);
}

}  // namespace

extern const Rule kPowerShelfInputMismatched;  // registry.cc names it
const Rule kPowerShelfInputMismatched = {
    .id = "power-shelf-input-mismatched",
    .code = "PWR-028",
    .severity = Severity::error,
    .physics = false,
    .summary = "power shelves of an assembly or busbar do not fit the site's voltage, or the circuit that feeds one",
    .explanation = R"(## What it checks

The power shelves of a rack-scale system, or of the busbar of a rack (`racks: { …: { busbar: … } }`), take the voltage and phases of the site, and the circuit of each shelf (breaker,
whip and cord: `shelf_breaker`) carries the shelf at its highest load, also after the loss of a feed.

## Why it matters

Shelves of 33 kW are made for three phases of 346 V and more between lines. On 208 V they do not start, and another
transformer is months away. A whip that is too small trips in the moment when the other feed is lost.

## Formula

```
shelf_input_min <= voltage between lines <= shelf_input_max (busbar: input_min, input_max);  phases of the site >= shelf_phases
current = min(power of the assembly, or of all on the busbar, x efficiency / shelves that live, shelf_power) / efficiency
          / (sqrt(3) x voltage x power factor) <= shelf_breaker x 0.80 (region na), x 1.00 (region iec)
```

Unit: V on both sides, A on both sides; power in W.

Source: range of input of the shelf (catalogue); NFPA 70 (NEC) 210.20(A) for 80 %.

Error: none beyond its inputs where the efficiency is stated. 0.94 is a default, which counts where a shelf gives its
highest output: shelves of 0.96 then draw 2 % less.

## Example

A GB200 NVL72 on a supply of 208 V: its shelves take 346 to 480 V.

## How to fix

Use a supply of 400 V, 415 V or 480 V for these racks, and write the breaker of one shelf's circuit:
`assemblies: { nvl: { shelf_breaker: 63 A } }`.

## When to accept

Where shelves of another input are ordered.
)",
    .check = power_shelf_input_mismatched,
};

}  // namespace clusterc
