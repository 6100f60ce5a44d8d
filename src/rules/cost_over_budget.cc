#include "plan/cost.h"
#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"

namespace clusterc {
namespace {

void check(const Rule& rule, const RuleInput& in, Findings& findings) {
  const auto cost = cost_of(in.plan);
  if (!cost || !cost->budget || !above(cost->purchase, *cost->budget)) return;
  const std::string least = cost->unpriced > 0 ? "at least " : "";
  Finding& f =
      findings.error(rule.id, cost->prices->budget.span,
                     format("the purchase is {}{}, the budget is {}", least, money_text(cost->purchase, cost->currency),
                            money_text(*cost->budget, cost->currency)));
  std::string terms = format("{} of hardware", money_text(cost->hardware, cost->currency));
  for (const NamedSum& s : cost->once) terms += format(" + {} of {}", money_text(s.amount, cost->currency), s.name);
  f.label(terms);
  const CostLine* dearest = nullptr;
  for (const CostLine& l : cost->lines)
    if (!dearest || l.sum() > dearest->sum()) dearest = &l;
  if (dearest && dearest->sum() > 0)
    f.help(format(
        "the largest item: {} x '{}' for {}; `clusterc plan SPEC --fit nodes.GROUP` finds how many the budget carries",
        dearest->count, dearest->part, money_text(dearest->sum(), cost->currency)));
  f.object("prices.budget");
}

}  // namespace

constexpr std::string_view kExplanation = R"(## What it checks

What is bought, with what is paid once besides, costs no more than `prices.budget`.

## Why it matters

An order that is cut at the end is cut where it is easiest: at spares, management network and cooling.

## Formula

```
purchase = sum over the bill of count x price + sum of `prices.once`
error when purchase > budget
```

Parts without a price count as nothing, so the purchase is then at least this. Uncertainty is not added.
Source: arithmetic.

## Example

24 switches at 38,000 EUR are 912,000 EUR; the budget is 900,000 EUR.

## How to fix

Fewer nodes, another fabric, or more money. `clusterc plan SPEC --fit nodes.gpu` finds the largest count that the budget carries, `--option` lays variants side by side.

## When to accept

Where the rest is promised: say by whom in the reason.
)";

extern const Rule kCostOverBudget;  // registry.cc names it
const Rule kCostOverBudget = {
    .id = "cost-over-budget",
    .code = "COST-004",
    .severity = Severity::error,
    .physics = false,
    .summary = "the purchase costs more than the budget",
    .explanation = kExplanation,
    .check = check,
};

}  // namespace clusterc
