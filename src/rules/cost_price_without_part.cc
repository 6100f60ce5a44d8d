#include <set>

#include "diag/near.h"
#include "plan/cost/fitted.h"
#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/prices.h"

namespace clusterc {
namespace {

constexpr std::size_t kNamed = 3;

void cost_price_without_part(const Rule& rule, const RuleInput& in, Findings& findings) {
  if (!in.cluster.spec.prices || in.cluster.spec.prices->parts.empty()) return;
  std::set<std::string_view> bought;
  const std::vector<BillRow> bill = bill_rows(in.plan);
  for (const BillRow& b : bill) bought.insert(b.part);
  // What a fabric that cannot be built would have is priced with reason: that it cannot be built is said elsewhere.
  bool whole = true;
  for (std::size_t f = 0; f < in.plan.fabrics.size(); ++f) {
    if (in.plan.fabrics[f].unbuildable.empty()) continue;
    whole = false;
    const NetworkModel& n = in.cluster.networks[static_cast<std::size_t>(in.plan.fabrics[f].network)];
    bought.insert(n.switch_model);
    for (const auto& tier : n.tier_parts) bought.insert(tier.first);
  }
  std::vector<std::string_view> known(bought.begin(), bought.end());
  std::vector<std::string> others;
  SourceSpan first;
  for (const auto& entry : in.cluster.spec.prices->parts) {
    if (bought.count(entry.name)) continue;
    if (!whole && std::ranges::find(in.cluster.cables, entry.name, &CableModel::id) != in.cluster.cables.end())
      continue;
    if (nearest_names(entry.name, known).empty()) {
      if (others.empty()) first = entry.name_span;
      others.push_back(entry.name);
      continue;
    }
    Finding& f =
        findings.warning(rule.id, entry.name_span, format("'{}' has a price but is not in the bill", entry.name));
    offer_names(f, entry.name, known);
    f.object("prices.parts." + entry.name);
  }
  if (others.empty()) return;
  const auto count = static_cast<std::int64_t>(others.size());
  const std::vector<std::string> names(others.begin(),
                                       others.begin() + static_cast<std::ptrdiff_t>(std::min(kNamed, others.size())));
  Finding& f = findings.warning(rule.id, first,
                                format("{} {} a price but {} not in the bill", name_list(names, count),
                                       count == 1 ? "has" : "have", count == 1 ? "is" : "are"));
  f.help(
      "use the part names in the bill of `clusterc plan`; `nodes` is for the price of a complete node, `kinds` for all "
      "parts of a kind that have no price of their own");
  f.object("prices");
}

}  // namespace

extern const Rule kCostPriceWithoutPart;  // registry.cc names it
const Rule kCostPriceWithoutPart = {
    .id = "cost-price-without-part",
    .code = "COST-005",
    .severity = Severity::warning,
    .physics = false,
    .summary = "a price names a part that is not in the bill",
    .explanation = R"(## What it checks

Every name under `prices.parts` is a part in the plan's bill of materials.

## Why it matters

A misspelt name prices nothing: the intended part gets the price of its kind, or counts as 0, and the sum still looks
complete.

## Formula

```
warning when a name of prices.parts is on no line of the bill
```

Unit: none. Names are compared.

Source: comparison of names. The bill is derived: it lists each part by the name that the spec or the catalogue has for it.

## Example

`parts: { nvidia-sn4600: 14 kEUR }` in a cluster of `nvidia-sn4600c`: the switches get the price that `kinds` gives for
a switch, or count as 0.

## How to fix

Write the name as in the bill of `clusterc plan`, or leave the price out. Parts inside servers are priced by their own
name as `gpu`, `cpu`, `memory`, `nic` or `drive`, or in the price of the node (`prices.nodes`).

## When to accept

Where one price list is used for several clusters, and this one does not have all of its parts.
)",
    .check = cost_price_without_part,
};

}  // namespace clusterc
