#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "rules/target_say.h"
#include "targets/targets.h"

namespace clusterc {
namespace {

void target_above_best_published(const Rule& rule, const RuleInput& in, Findings& findings) {
  each_wished_floor(in, {}, [&](const ExpectedFigure& f) {
    if (!f.best.value || !f.ceiling.value || !above(*f.floor.value, *f.best.value) ||
        above(*f.floor.value, *f.ceiling.value * headroom_of(f.test)))
      return false;
    findings
        .warning(rule.id, f.floor_place,
                 format("the floor of {} for {}{} is above every published result; the best is {} ({} of the ceiling)",
                        to_text(*f.floor.value, f.dimension, 4), f.test, of_group(f),
                        to_text(*f.best.value, f.dimension, 4), percent(*f.best.value / *f.ceiling.value)))
        .label(format("ceiling {}: {}", to_text(*f.ceiling.value, f.dimension, 4), f.ceiling.derivation))
        .note({}, format("sources of the published figures: {}", f.best.source))
        .help(leave_it_out(f))
        .object(target_object(f));
    return true;
  });
}

}  // namespace

extern const Rule kTargetAboveBestPublished;  // registry.cc names it
const Rule kTargetAboveBestPublished = {
    .id = "target-above-best-published",
    .code = "TEST-010",
    .severity = Severity::warning,
    .physics = false,
    .summary = "a floor is above every published result of this hardware",
    .explanation = R"(## What it checks

A floor in the spec is not above the best published result of healthy systems with this hardware.

## Why it matters

It may be possible in theory, but nobody has reached it: a cluster as good as the best one known fails.

## Formula

```
best published < floor <= ceiling (x 1.02 for links)
```

Unit: the unit of the metric on both sides: B/s or FLOP/s.

Source: the published results are named in the finding; src/targets/published.cc has all of them. What was transferred from other hardware is no result of this one.

Error: none beyond its inputs. One published result is not the best possible one.

## Example

`hpl: { floor: 429 TFLOP/s }` on eight H100: 80 % of the FP64 peak, where the best known share is 68 %.

## How to fix

Leave `floor` out, or keep it with a reason in `accept`.

## When to accept

Where a contract promises the figure, or your own measurement of this hardware reached it.
)",
    .check = target_above_best_published,
};

}  // namespace clusterc
