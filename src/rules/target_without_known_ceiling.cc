#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "rules/target_say.h"
#include "spec/judgement.h"
#include "targets/demands.h"

namespace clusterc {
namespace {

void target_without_known_ceiling(const Rule& rule, const RuleInput& in, Findings& findings) {
  Once once;
  for (const ExpectedFigure& f : in.targets.figures) {
    if (!f.demanded || f.missing.empty() || f.floor_by_user || once.told(f.wish_place)) continue;
    if (!why_no_test(in.cluster, f).empty()) continue;  // target-without-test says so
    once.first(f.wish_place);
    Finding& note = findings.note(rule.id, f.wish_place,
                                  format("the result of {}{} will not be judged: {}", f.test, of_group(f), f.missing));
    if (!f.cut_by_mig)  // what is missing says what to do
      note.help(
          "write the missing figure with its source in the catalogue part, or a `floor` of your own in `targets`");
    note.object(target_object(f));
  }
}

}  // namespace

extern const Rule kTargetWithoutKnownCeiling;  // registry.cc names it
const Rule kTargetWithoutKnownCeiling = {
    .id = "target-without-known-ceiling",
    .code = "TEST-012",
    .severity = Severity::note,
    .physics = false,
    .summary = "a demanded test has no target, so its result cannot be judged",
    .explanation = R"(## What it checks

Each test that `targets` names has a ceiling and a published figure to be judged by, or a floor in the spec.

## Why it matters

The test runs and its result is kept, but the verdict is `unjudged`, which is not a pass. Acceptance then ends with an
open question that could have been answered before.

## Formula

```
judged:  a ceiling of the hardware is known, and a published healthy result or pass limit, or `floor`
```

Unit: none. The question is whether figures are known.

Source: a target is never taken from the run that it judges (docs/validate.md).

## Example

`targets: { all_reduce: { } }` for a GPU described in place without `gpu_link`.

## How to fix

Write the missing figure in the part, with its source, or write a `floor`.

## When to accept

Where the result is only wanted for comparison with later runs.
)",
    .check = target_without_known_ceiling,
};

}  // namespace clusterc
