#include <algorithm>
#include <cmath>
#include <vector>

#include "plan/placement.h"
#include "plan/power/cords.h"
#include "plan/power/power_chain.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/site.h"

namespace clusterc {
namespace {

struct Load {
  Watts watts{0};  // of one shelf, at the wall
  int lost = -1;
  std::int64_t alive = 0;
};

// The highest load of one shelf: with all feeds, and after the loss of each.
Load highest_load(const Cluster& c, const PowerClass& k, const SupplyLoad& frame, const AssemblyPart& part) {
  Load worst;
  for (int lost = -1; lost < static_cast<int>(c.feeds.size()); ++lost) {
    PowerFailure failure;
    if (lost >= 0 && !lose_feed(k.rack, lost, failure)) continue;
    std::int64_t alive = 0;
    for (std::size_t i = 0; i < k.rack.positions.size(); ++i)
      alive += (failure.positions >> i & 1) == 0 ? k.rack.positions[i].shelves : 0;
    if (alive <= 0) continue;
    double each = frame.watts / static_cast<double>(alive);
    if (part.shelf_power) each = std::min(each, part.shelf_power->value / frame.efficiency);
    if (each > worst.watts.value * (1 + kRounding)) worst = {Watts(each), lost, alive};
  }
  return worst;
}

void check_voltage(const Rule& rule, const AssemblyGroupModel& a, const Supply& supply, Findings& findings) {
  const AssemblyPart& part = *a.part;
  const bool low = part.shelf_input_min && above(part.shelf_input_min->value, supply.voltage->value),
             high = part.shelf_input_max && above(supply.voltage->value, part.shelf_input_max->value),
             phases = part.shelf_phases && *part.shelf_phases > *supply.phases;
  if (!low && !high && !phases) {
    if (!part.shelf_input_min && !part.shelf_input_max)
      findings.note(
          rule.id, a.span,
          format("'{}' states no `shelf_input_min` and no `shelf_input_max`, so it was not checked whether its "
                 "power shelves take {}",
                 a.model, to_text(*supply.voltage)));
    return;
  }
  const auto phases_text = [](std::int64_t n) { return n >= 3 ? "three phases" : "one phase"; };
  std::string takes;
  if (part.shelf_input_min && part.shelf_input_max)
    takes = format("{} to {}", to_text(*part.shelf_input_min), to_text(*part.shelf_input_max));
  else if (part.shelf_input_min || part.shelf_input_max)
    takes = part.shelf_input_min ? format("{} and more", to_text(*part.shelf_input_min))
                                 : format("{} and less", to_text(*part.shelf_input_max));
  if (part.shelf_phases) takes += format("{}{}", takes.empty() ? "" : ", ", phases_text(*part.shelf_phases));
  Finding& f = findings.error(rule.id, a.span,
                              format("power shelves of '{}' take {}, but the site supplies {}, {}", a.name, takes,
                                     to_text(*supply.voltage), phases_text(*supply.phases)));
  f.note(supply.voltage.span, "the supply at the racks");
  const Value<Volts>& limit = high ? part.shelf_input_max : part.shelf_input_min;
  if (low || high)
    mention_unconfirmed(f, limit, format("the input range of the shelves of '{}'", a.model));
  else
    mention_unconfirmed(f, part.shelf_phases, format("the phases of the shelves of '{}'", a.model));
  f.help("use a supply of 400 V, 415 V or 480 V with three phases for these racks").object("assemblies." + a.name);
}

void check(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  if (!c.own_site || !c.spec.site || !c.spec.site->supply) return;
  const Supply& supply = *c.spec.site->supply;
  if (!supply.voltage || !supply.phases) return;
  for (const AssemblyGroupModel& a : c.assemblies)
    if (a.part && a.count > 0) check_voltage(rule, a, supply, findings);
  std::vector<std::int64_t> told;
  for (const PowerClass& k : in.plan.power_classes()) {
    if (!k.assembly || k.rack.devices.empty() || std::ranges::find(told, k.group) != told.end()) continue;
    const AssemblyGroupModel& a = c.assemblies[static_cast<std::size_t>(k.group)];
    const SupplyLoad& frame = k.rack.devices.back();  // its supplies are the shelves
    if (!a.part || frame.watts <= 0) continue;
    const Load load = highest_load(c, k, frame, *a.part);
    if (load.alive == 0) continue;
    told.push_back(k.group);
    const double root = *supply.phases >= 3 ? std::sqrt(3.0) : 1;
    const Amperes amps(load.watts.value / (root * supply.voltage->value * power_factor(c)));
    const Value<Amperes>& breaker = a.spec->shelf_breaker;
    const std::string sum = format("{} / ({}{} x {:.2f})", to_text(load.watts), *supply.phases >= 3 ? "sqrt(3) x " : "",
                                   to_text(*supply.voltage), power_factor(c));
    const std::string when =
        load.lost >= 0 ? format("if feed '{}' fails, ", c.feeds[static_cast<std::size_t>(load.lost)].name) : "";
    if (!breaker) {
      findings
          .note(
              rule.id, a.span,
              format("assembly group '{}' states no `shelf_breaker`, so the circuit, whip and cord of a shelf were not "
                     "checked: {}each carries up to {}",
                     a.name, when, to_text(amps)))
          .label(sum)
          .object("assemblies." + a.name);
      continue;
    }
    const Amperes rated = *breaker * (c.continuous_factor > 0 ? c.continuous_factor : 1.0);
    if (!above(amps.value, rated.value)) continue;
    Finding& f = findings.error(rule.id, breaker.span,
                                format("{}the circuit of each shelf of '{}' carries {}, but is rated for {} continuous",
                                       when, a.name, to_text(amps), to_text(rated)));
    f.label(sum);
    if (a.part->shelf_power) f.note(a.part->shelf_power.span, "the output of one shelf");
    mention_unconfirmed(f, a.part->power, format("the power of '{}'", a.model));
    f.help(format("use a breaker, whip and cord of at least {}",
                  to_text(Amperes(std::ceil(amps.value / (c.continuous_factor > 0 ? c.continuous_factor : 1.0))))));
    f.object("assemblies." + a.name);
  }
}

}  // namespace

constexpr std::string_view kExplanation = R"(## What it checks

The power shelves of a rack-scale system take the voltage and phases of the site, and the circuit of each shelf (breaker,
whip and cord: `shelf_breaker`) carries the shelf at its highest load, also after the loss of a feed.

## Why it matters

Shelves of 33 kW are made for three phases of 346 V and more between lines. On 208 V they do not start, and another
transformer is months away. A whip that is too small trips in the moment when the other feed is lost.

## Formula

```
shelf_input_min <= voltage between lines <= shelf_input_max;  phases of the site >= shelf_phases
current = min(power of the assembly x efficiency / shelves that live, shelf_power) / efficiency
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
)";

extern const Rule kPowerShelfInputMismatched;  // registry.cc names it
const Rule kPowerShelfInputMismatched = {
    .id = "power-shelf-input-mismatched",
    .code = "PWR-028",
    .severity = Severity::error,
    .physics = false,
    .summary = "power shelves of an assembly do not fit the site's voltage, or the circuit that feeds one",
    .explanation = kExplanation,
    .check = check,
};

}  // namespace clusterc
