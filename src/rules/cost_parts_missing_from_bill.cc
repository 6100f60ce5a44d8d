#include "plan/fitted.h"
#include "rules/rules.h"
#include "rules/say.h"

namespace clusterc {
namespace {

void check(const Rule& rule, const RuleInput& in, Findings& findings) {
  if (!in.cluster.spec.prices) return;
  const std::vector<BillRow> bill = bill_rows(in.plan);
  for (const auto& entry : in.cluster.spec.prices->parts) {
    const Value<std::int64_t>& quoted = entry.value.quoted;
    if (!quoted) continue;
    std::int64_t needed = 0, spares = 0;
    std::string terms;
    for (const BillRow& b : bill) {
      if (b.part != entry.name) continue;
      needed += b.count;
      spares += b.spares;
      if (b.count > 0) terms += format("{}{} ({})", terms.empty() ? "" : " + ", b.count, b.what);
    }
    if (needed <= *quoted) continue;
    Finding& f = findings.error(rule.id, quoted.span, format("{} x '{}' are needed, the offer has {}", needed, entry.name, *quoted));
    f.label(terms);
    f.help(format("order {}{}; the bill of `clusterc plan` is derived from the ports: take it, and leave `quoted` out", needed + spares, spares > 0 ? format(" ({} of them spares)", spares) : ""));
    f.object("prices.parts." + entry.name);
  }
}

}  // namespace

constexpr std::string_view kExplanation = R"(## What it checks

Where the spec says how many pieces of a part an offer or order has (`prices.parts.<part>.quoted`), they are at least as many as the plan needs, spares not counted.

## Why it matters

Transceivers are counted by the link and needed by the end, splitters by the cable and needed by the cage: half an order of optics is found when the racks stand and the cluster does not come up, with weeks until the rest arrives.

## Formula

```
needed(part) = sum over the lines of the plan's bill with this part, spares left out
error when quoted < needed
```

Every link is one cable, or fibre with a module in the cage at either end; a module with two ports is counted once.
Source: arithmetic over the ports of the plan; twin-port transceivers: NVIDIA LinkX documentation, the parts' own pages.

## Example

512 links of fibre, and an offer with 512 single-port transceivers: 1,024 are needed.

## How to fix

Order what `clusterc plan` lists. The bill is derived: quantities written by hand need not be kept.

## When to accept

Where the rest comes from stock, or from another order: say which in the reason.
)";

const Rule kCostPartsMissingFromBill = {
    .id = "cost-parts-missing-from-bill",
    .code = "COST-001",
    .severity = Severity::error,
    .physics = false,
    .summary = "an offer or order has fewer pieces of a part than the plan needs",
    .explanation = kExplanation,
    .check = check,
};

}  // namespace clusterc
