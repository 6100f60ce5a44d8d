#include "plan/cost/cost.h"
#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/prices.h"

namespace clusterc {
namespace {

void cost_over_budget(const Rule& rule, const RuleInput& in, Findings& findings) {
  const auto cost = cost_of(in.plan);
  if (!cost || !cost->budget) return;
  if (cost->purchase <= 0 && !cost->lines.empty()) {
    findings
        .warning(rule.id, cost->prices->budget.span,
                 format("the budget of {} was not checked: none of the {} to buy has a price",
                        money_text(*cost->budget, cost->currency),
                        plural(static_cast<std::int64_t>(cost->lines.size()), "item")))
        .help("write prices: `parts: { nvidia-dgx-h200: 300000 EUR }`, or `kinds` for parts that cost the same")
        .object("prices.budget");
    return;
  }
  if (!above(cost->purchase, *cost->budget)) {
    if (cost->unpriced > 0)
      findings
          .note(rule.id, cost->prices->budget.span,
                format("the budget of {} was checked without {} that {} no price: the purchase costs at least {}",
                       money_text(*cost->budget, cost->currency), plural(cost->unpriced, "item"),
                       cost->unpriced == 1 ? "has" : "have", money_text(cost->purchase, cost->currency)))
          .object("prices.budget");
    return;
  }
  const std::string least = cost->unpriced > 0 ? "at least " : "";
  Finding& f =
      findings.error(rule.id, cost->prices->budget.span,
                     format("the purchase costs {}{}, but the budget is {}", least,
                            money_text(cost->purchase, cost->currency), money_text(*cost->budget, cost->currency)));
  std::string terms = format("{} of hardware", money_text(cost->hardware, cost->currency));
  for (const NamedSum& s : cost->once) terms += format(" + {} of {}", money_text(s.amount, cost->currency), s.name);
  f.label(terms);
  const CostLine* dearest = nullptr;
  for (const CostLine& l : cost->lines)
    if (!dearest || l.sum() > dearest->sum()) dearest = &l;
  if (dearest && dearest->sum() > 0)
    f.help(
        format("the largest item is {} x '{}' for {}; `clusterc plan SPEC --fit nodes.GROUP` finds how many nodes fit "
               "the budget",
               dearest->count, dearest->part, money_text(dearest->sum(), cost->currency)));
  f.object("prices.budget");
}

}  // namespace

extern const Rule kCostOverBudget;  // registry.cc names it
const Rule kCostOverBudget = {
    .id = "cost-over-budget",
    .code = "COST-004",
    .severity = Severity::error,
    .physics = false,
    .summary = "the purchase costs more than the budget",
    .explanation = R"(## What it checks

The cost of the purchase and all one-time costs do not exceed `prices.budget`.

## Why it matters

An order that must be cut at the end is cut where it is easiest: at spares, management network and cooling.

## Formula

```
purchase = sum over the bill of count x price + sum of `prices.once`
error when purchase > budget
```

Unit: the currency of `prices` on both sides.

Parts without a price count as nothing, so the purchase is then at least this; where nothing has a price, the budget was
not checked (a warning). Uncertainty is not added.
Source: arithmetic.

Error: none beyond its inputs. Parts without a price make the purchase a lower bound.

## Example

24 switches at 38,000 EUR are 912,000 EUR; the budget is 900,000 EUR.

## How to fix

Buy fewer nodes or another fabric, or raise the budget. `clusterc plan SPEC --fit nodes.gpu` finds the largest number of
nodes that fits the budget, `--option` compares variants.

## When to accept

Where the rest of the money is promised. Name the source in the reason.
)",
    .check = cost_over_budget,
};

}  // namespace clusterc
