#include <cmath>

#include "plan/plan.h"
#include "plan/power/power.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/site.h"

namespace clusterc {
namespace {

void power_site_over_capacity(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  if (!c.own_site || !c.spec.site || !c.spec.site->utility) return;
  const Site& site = *c.spec.site;
  const SitePower p = site_power(in.plan);
  if (!p.by_pue && !p.cooling_known && !above(p.total.value, site.utility->value))
    findings.note(rule.id, site.utility.span,
                  format("some cooling units state no `power`, so cooling counts as {} of the total of {}: write `pue`",
                         to_text(p.cooling), to_text(p.total)));
  if (!above(p.total.value, site.utility->value)) return;
  Finding& f = findings.error(rule.id, site.utility.span,
                              format("the site draws {} but is allowed {}", to_text(p.total), to_text(*site.utility)));
  std::string terms = p.by_pue ? format("{} of equipment x PUE {:.3g}", to_text(p.equipment), *site.pue)
                               : format("{} of equipment", to_text(p.equipment));
  if (!p.by_pue && p.cooling.value > 0) terms += format(" + {} of cooling", to_text(p.cooling));
  if (!p.by_pue && p.ups_loss.value > 0) terms += format(" + {} lost in the UPS", to_text(p.ups_loss));
  if (p.other.value > 0) terms += format(" + {} in use already", to_text(p.other));
  f.label(std::move(terms));
  if (p.by_pue) f.note(site.pue.span, "this factor covers cooling and losses");
  if (const Watts guess = unconfirmed_power(in, -1); guess.value > 0)
    mention_unconfirmed_load(f, p.total.value, site.utility->value, guess.value * (p.by_pue ? *site.pue : 1),
                             to_text(guess));
  // The largest group of nodes: how many of it the service carries.
  const NodeGroupModel* most = nullptr;
  const auto draw = [](const NodeGroupModel& g) {
    return g.server.power.value_or(Watts(0)).value * static_cast<double>(g.count);
  };
  for (const NodeGroupModel& g : c.nodes)
    if (is_ours(g) && g.assembly < 0 && draw(g) > 0 && (!most || draw(g) > draw(*most))) most = &g;
  if (most) {
    const double per_watt = p.by_pue ? *site.pue : 1;
    const auto out = static_cast<std::int64_t>(
        std::ceil((p.total - *site.utility).value / (most->server.power->value * per_watt) * (1 - kRounding)));
    if (out < most->count)
      f.help(format("run {} of the {} nodes of '{}', or use a utility connection of {}", most->count - out, most->count,
                    most->name, to_text(p.total)));
  }
  if (f.helps.empty())
    f.help(format("use a utility connection of {}, or reduce the load by {}", to_text(p.total),
                  to_text(p.total - *site.utility)));
}

}  // namespace

extern const Rule kPowerSiteOverCapacity;  // registry.cc names it
const Rule kPowerSiteOverCapacity = {
    .id = "power-site-over-capacity",
    .code = "PWR-016",
    .severity = Severity::error,
    .physics = true,
    .summary = "equipment and cooling draw more than the building is allowed to",
    .explanation = R"(## What it checks

The sum of equipment, cooling and losses stays within what the building is allowed to draw: `site: { utility: … }`.

## Why it matters

The utility contract or the transformer is the last limit and the slowest to change: a new service takes a year or two,
and nothing inside the room can replace it.

## Formula

```
with pue:    equipment x pue + what feeds have in use already
without it:  equipment + cooling units that run + losses of the UPS + in use already
losses of a UPS = load x (1 / efficiency - 1)
sum <= utility
```

Unit: W on both sides.

Equipment is the sum of the highest powers.
Source: definition of PUE (ISO/IEC 30134-2); data sheets of UPS and cooling units (catalogue).

Error: not known with `pue`: a PUE is a mean over a year, and the hottest hour has a higher one. Without it: too low by
cooling units that state no power.

## Example

32 nodes of 14.3 kW, 457.6 kW, at a PUE of 1.4 on a service of 500 kW: 640.6 kW.

## How to fix

Fewer nodes, a `power_cap`, a larger service, or cooling that draws less.

## When to accept

Never: the service trips or the contract ends.
)",
    .check = power_site_over_capacity,
};

}  // namespace clusterc
