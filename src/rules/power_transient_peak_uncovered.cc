#include "model/power.h"
#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"

namespace clusterc {
namespace {

void power_transient_peak_uncovered(const Rule& rule, const RuleInput& in, Findings& findings) {
  for (const NodeGroupModel& g : in.cluster.nodes) {
    const ServerModel& s = g.server;
    const PsuSet* psus = s.part.psus ? &*s.part.psus : nullptr;
    if (!is_ours(g) || g.assembly >= 0 || g.count == 0 || !s.gpu || s.gpu_count == 0 || !s.gpu->transient ||
        !s.gpu->tdp || !s.power || !psus || !psus->count || !psus->power)
      continue;
    const double efficiency = psus->efficiency.value_or(kSupplyEfficiency);
    const Watts steady = *s.power * efficiency, limit = gpu_power(s, *s.gpu->tdp);
    const std::int64_t left = *psus->count - std::clamp<std::int64_t>(psus->spare.value_or(0), 0, *psus->count);
    if (above(steady.value, psus->power->value * static_cast<double>(left)))
      continue;  // power-supplies-below-node-draw says so
    const Watts peak = steady + (*s.gpu->transient - limit) * static_cast<double>(s.gpu_count);
    const Value<Watts>& each = psus->peak ? psus->peak : psus->power;
    const Watts can = *each * static_cast<double>(left);
    if (!above(peak.value, can.value)) continue;
    const SourceSpan at = first_place(written(psus->power), written(psus->count), in_spec(s.span, g), g.span);
    Finding& f = findings.warning(rule.id, at,
                                  format("GPU power peaks raise the draw of each node of '{}' to {}, but the {} "
                                         "supplies that are not spares supply {}",
                                         g.name, to_text(peak), left, to_text(can)));
    f.label(format("{} + {} x ({} - {}); {} x {}", to_text(steady), s.gpu_count, to_text(*s.gpu->transient),
                   to_text(limit), left, to_text(*each)));
    f.note(s.gpu->transient.span, "the published peak of one GPU");
    if (!psus->peak)
      f.note({}, format("the output of a supply of '{}' for less than a millisecond (`psus: {{ peak: … }}`) is not "
                        "stated, so its continuous output was used",
                        s.id));
    mention_unconfirmed(f, s.gpu->transient, format("the peak of '{}'", s.gpu_model));
    mention_unconfirmed(f, each, format("the output of one supply of '{}'", s.id));
    f.help("use larger supplies, or supplies whose stated peak covers it");
    f.object("nodes." + g.name);
  }
}

}  // namespace

extern const Rule kPowerTransientPeakUncovered;  // registry.cc names it
const Rule kPowerTransientPeakUncovered = {
    .id = "power-transient-peak-uncovered",
    .code = "PWR-017",
    .severity = Severity::warning,
    .physics = false,
    .summary = "short power peaks of the GPUs exceed what the supplies without the spares give",
    .explanation = R"(## What it checks

Where the maker publishes how high a GPU's power peaks for less than a millisecond, the simultaneous peaks of all GPUs
of a node stay within what the supplies give without the spares.

## Why it matters

The supply's protection reacts to the peak, not to the average: the node switches off in the middle of a job, and its
log shows nothing, or a GPU that "fell off the bus".

## Formula

```
peak = highest power at the wall x efficiency + GPUs x (transient - power limit)
peak <= (supplies - spare) x peak output of one supply, or its continuous output where no peak is stated
```

Unit: W on both sides, behind the supplies.

Source: Lenovo, ThinkSystem ST650 V2 setup guide, table of GPU transients (T4: 219.6 W for 200 us at a TDP of 70 W). GPUs without a published transient are not checked.

Error: an upper bound: all GPUs are taken to peak at one instant. 0.94 is a default where no efficiency is stated.

## Example

Eight T4 in a server that draws 1.2 kW: 1,128 W behind the supplies + 8 x (219.6 - 70) W = 2,325 W; one supply of 1,600 W is left.

## How to fix

Supplies of the next size, or ones whose peak rating is known and stated (`psus: { peak: … }`).

## When to accept

Where the whole server was tested by its maker with these GPUs.
)",
    .check = power_transient_peak_uncovered,
};

}  // namespace clusterc
