#include "plan/placement.h"
#include "plan/plan.h"
#include "rules/rack_loads.h"
#include "rules/rule.h"
#include "spec/site.h"

namespace clusterc {
namespace {

void rack_rolled_above_dynamic_rating(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  if (!c.own_site) return;
  for (const RackGroupModel& g : c.racks) {
    if (!g.part || g.spec->shipping.value_or("") != "integrated") continue;
    if (!g.part->dynamic_load) {
      findings.note(rule.id, g.spec->shipping.span,
                    format("'{}' states no `dynamic_load`, so the rolling weight of rack group '{}' was not checked",
                           g.model, g.name));
      continue;
    }
    const Kilograms limit = *g.part->dynamic_load;
    HeavyRacks heavy = racks_heavier_than(in, g, limit);
    if (heavy.worst < 0) continue;
    const std::vector<Term> terms = weight_terms(in, heavy.worst);
    double devices = 0;
    for (const Term& t : terms) devices += t.each * static_cast<double>(t.count);
    Finding& f = findings.add(
        rule.severity, rule.id, g.spec->shipping.span,
        format("{} {} rolled in with {}, but '{}' is rated for {} on its castors", rack_list(heavy.names, heavy.count),
               heavy.count == 1 ? "is" : "are", to_text(Kilograms(heavy.most)), g.model, to_text(limit)));
    f.label(format("({}) x {:.2f} for rails + {} of cables = {}", sum_text(terms, Dimension::mass), 1 + kRailShare,
                   to_text(kRackCables), to_text(Kilograms(heavy.most))));
    mention_unconfirmed(f, g.part->dynamic_load, format("the dynamic load of '{}'", g.model));
    f.help("write `shipping: empty`, or ship the heaviest devices on a separate pallet");
    f.physics = g.part->dynamic_load.confirmed &&
                devices > limit.value;  // with rails and cables at nothing it is still too much
    f.objects = std::move(heavy.objects);
  }
}

}  // namespace

extern const Rule kRackRolledAboveDynamicRating;  // registry.cc names it
const Rule kRackRolledAboveDynamicRating = {
    .id = "rack-rolled-above-dynamic-rating",
    .code = "RACK-004",
    .severity = Severity::error,
    .physics = false,
    .summary = "a rack is rolled in with more than its dynamic rating",
    .explanation = R"(## What it checks

Racks that arrive with everything installed (`shipping: integrated`) weigh no more than their dynamic rating for
rolling.

## Why it matters

Castors are rated far below the frame. If one breaks on a ramp, a tonne of equipment falls.

## Formula

```
sum of the devices x 1.05 (rails) + 20 kg (cables) <= dynamic load of the rack
```

Unit: kg on both sides.

The dynamic rating is often 60 to 70 % of the static one.

Source: data sheets (catalogue); 5 % and 20 kg are planning defaults.

Error: rails and cables are defaults: 20 kg to 60 kg of cables are usual, so a rack may weigh 40 kg more.

## Example

Eight DGX A100 (985 kg), 1,054 kg with rails and cables, in a rack that may be rolled with 1,020 kg.

## How to fix

Install the nodes where the rack stands, or ship some of them separately.

## When to accept

Where the maker has approved the load for this transport in writing. Devices that alone exceed a confirmed rating cannot
be accepted.
)",
    .check = rack_rolled_above_dynamic_rating,
};

}  // namespace clusterc
