#include "plan/cost/cost.h"
#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/prices.h"

namespace clusterc {
namespace {

constexpr std::size_t kNamed = 3;

bool is_zero_price(const CostLine& l) { return l.priced() && l.each.value_or(0) <= 0 && l.hour.value_or(0) <= 0; }

void cost_energy_or_support_unpriced(const Rule& rule, const RuleInput& in, Findings& findings) {
  const auto cost = cost_of(in.plan);
  if (!cost) return;
  std::vector<std::string> items, free;
  for (const CostLine& l : cost->lines) {
    if (!l.priced()) items.push_back(l.part);
    if (is_zero_price(l)) free.push_back(l.part);
  }
  const auto once_each = [](std::vector<std::string>& list) {
    std::vector<std::string> out;
    for (std::string& s : list)
      if (std::find(out.begin(), out.end(), s) == out.end()) out.push_back(std::move(s));
    list = std::move(out);
  };
  once_each(items);
  once_each(free);
  const auto* support_a_year = cost->prices->yearly.find("support");
  const bool support_free = (cost->prices->support && *cost->prices->support <= 0 && !support_a_year) ||
                            (support_a_year && support_a_year->value && support_a_year->value->amount <= 0);
  if (!cost->energy)
    items.emplace_back("electricity");
  else if (cost->kilowatt_hours > 0 && *cost->energy <= 0)
    free.emplace_back("electricity");
  if (!cost->support)
    items.emplace_back("support");
  else if (support_free)
    free.emplace_back("support");
  if (items.empty() && free.empty()) return;
  const auto list = [](const std::vector<std::string>& all) {
    return name_list({all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min(kNamed, all.size()))},
                     static_cast<std::int64_t>(all.size()));
  };
  const auto count = static_cast<std::int64_t>(items.size()), zero = static_cast<std::int64_t>(free.size());
  std::string message;
  if (count > 0)
    message = format("{} no price: {}", count == 1 ? "1 item has" : format("{} items have", count), list(items));
  if (zero > 0)
    message += format("{}{} a price of 0: {}", message.empty() ? "" : "; ",
                      zero == 1 ? "1 item has" : format("{} items have", zero), list(free));
  Finding& f = findings.warning(rule.id, first_place(written(cost->prices->currency), cost->prices->span), message);
  f.label("all sums are therefore minimum values");
  f.help(
      "write prices with value, currency and date: `parts` for single parts, `kinds` for parts that cost the same, "
      "`electricity: 0.18 EUR/kWh`, and `support: 5 %` or `yearly: { support: … }`");
  f.object("prices");
}

}  // namespace

extern const Rule kCostEnergyOrSupportUnpriced;  // registry.cc names it
const Rule kCostEnergyOrSupportUnpriced = {
    .id = "cost-energy-or-support-unpriced",
    .code = "COST-002",
    .severity = Severity::warning,
    .physics = false,
    .summary = "the cost of the plan leaves out parts, energy or support",
    .explanation = R"(## What it checks

A spec with `prices` has a price for everything that the plan's cost contains: every part of the bill of materials,
electricity, and support. A price of 0 counts as missing.

## Why it matters

Energy and support of five years are a third of a cluster's cost, and most comparisons with rented machines leave them
out. An item without a price counts as 0, so the comparison favours the option with missing prices.

## Formula

```
energy of a year  = average power x PUE x 8,760 h x price of a kWh
support of a year = share x price of the hardware, or the amount that is written
items = parts of the bill without a price + electricity + support, as far as they have none
```

Unit: kWh x price of a kWh and the currency of `prices`, each for a year; items are counted.

Source: arithmetic; 8,760 h are 365 days.

Error: none beyond its inputs for the items. Energy is a straight line over `utilisation`, which is 0.8 where none is
written, and the PUE is taken as constant.

## Example

Servers and switches are priced; cables, electricity and support are not: 3 items have no price.

## How to fix

Write value and currency, and the origin as `source` and `date`. `kinds: { cable: 150 EUR }` prices all cables that have
no price of their own.

## When to accept

Where another budget pays for it, and the comparison leaves it out on both sides.
)",
    .check = cost_energy_or_support_unpriced,
};

}  // namespace clusterc
