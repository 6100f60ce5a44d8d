#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/site.h"

namespace clusterc {
namespace {

// Policy: below a megawatt nobody at the utility asks.
constexpr Threshold kPowerSynchronisedLoadSwingThreshold{.means = "load swing that must be reported to the utility",
                                                         .standard = 1e6,
                                                         .least = 1e3,
                                                         .most = 1e9,
                                                         .dimension = Dimension::power};
constexpr double kUpsShare = 0.25;  // policy: a step that generators and UPS of the usual kind take

void power_synchronised_load_swing(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  if (!c.own_site) return;
  double ups = 0;
  bool all_ups = !c.feeds.empty();
  for (const FeedModel& f : c.feeds) {
    if (f.ups && f.ups->power && f.spec->ups)
      ups += f.ups->power->value * static_cast<double>(f.spec->ups->modules.value_or(1));
    else
      all_ups = false;
  }
  const double limit = all_ups ? std::min(in.threshold(rule), kUpsShare * ups) : in.threshold(rule);
  double swing = 0, unknown = 0;
  const NodeGroupModel *most = nullptr, *silent = nullptr;
  const auto all = [](const NodeGroupModel& g, Watts each) { return each.value * static_cast<double>(g.count); };
  for (const NodeGroupModel& g : c.nodes) {
    if (!is_ours(g) || !g.computes || g.server.gpu_count == 0 || !g.server.power || g.count == 0) continue;
    if (!g.server.power_idle) {
      unknown += all(g, *g.server.power);
      if (!silent) silent = &g;
      continue;
    }
    const double here = all(g, *g.server.power - std::min(*g.server.power_idle, *g.server.power));
    if (!most || here > all(*most, *most->server.power - *most->server.power_idle)) most = &g;
    swing += here;
  }
  if (!above(swing, limit)) {
    if (silent && above(swing + unknown, limit))
      findings.note(rule.id, first_place(in_spec(silent->server.span, *silent), silent->span),
                    format("'{}' states no `power_idle`, so the load swing of the {} of group '{}' was not checked",
                           silent->server.id, to_text(Watts(all(*silent, *silent->server.power))), silent->name));
    return;
  }
  Finding& f = findings.note(rule.id, most->span,
                             format("the load can swing by {} within milliseconds; above {}, the utility and the "
                                    "supplier of the generator must be informed",
                                    to_text(Watts(swing)), to_text(Watts(limit))));
  f.label(format("{} x ({} - {} idle)", most->count, to_text(*most->server.power), to_text(*most->server.power_idle)));
  mention_unconfirmed(f, most->server.power_idle, format("the idle power of '{}'", most->server.id));
  f.help(
      "inform the utility, check the load step in the generator's data sheet, stagger the start of large jobs, or "
      "enable the GPUs' power smoothing");
  f.object("nodes." + most->name);
}

}  // namespace

extern const Rule kPowerSynchronisedLoadSwing;  // registry.cc names it
const Rule kPowerSynchronisedLoadSwing = {
    .id = "power-synchronised-load-swing",
    .code = "PWR-018",
    .severity = Severity::note,
    .physics = false,
    .summary = "the load of all GPU nodes together can swing by more than feeds and generators tolerate",
    .explanation = R"(## What it checks

The rule reports how far the load falls and rises when one job on all GPU nodes stops and starts: above one megawatt, or
above a quarter of the UPS power where all feeds have a UPS.

## Why it matters

Synchronous training computes, waits and checkpoints on all nodes in the same second. Generators become unstable, UPS
switch to battery and back, and the utility sees a swing that its contract may forbid.

## Formula

```
swing = sum over compute nodes with GPUs of (highest power - idle power)
swing <= min(1 MW, 0.25 x UPS modules x their power)
```

Unit: W on both sides.

The idle power is the far end of the swing: between computing and communicating it is smaller.
Source: data sheets (catalogue); both limits are policy.

Error: an upper bound. How much smaller the swing of a job is, is not known.

## Example

4,096 GPUs that go from 700 W to 250 W: 1.8 MW.

## How to fix

Power smoothing in the GPUs' firmware, staggered starts, a generator and UPS that are rated for the step.

## When to accept

A note needs no acceptance: it is for the people who plan the power supply.
)",
    .check = power_synchronised_load_swing,
    .threshold = &kPowerSynchronisedLoadSwingThreshold,
};

}  // namespace clusterc
