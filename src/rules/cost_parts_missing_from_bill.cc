#include "plan/cost/cost.h"
#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/prices.h"

namespace clusterc {
namespace {

constexpr std::size_t kNamed = 3;  // lines of the bill that a label tells

// Holds the quantity of one price to the lines of the bill that it prices.
void hold(const Rule& rule, Findings& findings, const Cost& cost, const std::vector<BillRow>& bill,
          const Named<PartPrice>& entry, std::string_view map, const std::string& what) {
  const Value<std::int64_t>& quoted = entry.value.quoted;
  if (!quoted) return;
  std::int64_t needed = 0, spares = 0;
  std::vector<std::string> terms;
  for (const CostLine& l : cost.lines) {
    if (l.price != &entry.value) continue;
    // Spares have lines of their own in the bill.
    if (std::ranges::any_of(bill, [&](const BillRow& b) {
          return b.spares > 0 && b.part == l.part && b.what == l.what && b.length == l.length;
        })) {
      spares += l.count;
      continue;
    }
    needed += l.count;
    terms.push_back(format("{} ({})", l.count, map == "parts" ? l.what : l.part));
  }
  if (needed <= *quoted) return;
  Finding& f = findings.error(rule.id, quoted.span,
                              format("the plan needs {} x {}, but the offer has {}", needed, what, *quoted));
  std::string label;
  for (std::size_t i = 0; i < std::min(kNamed, terms.size()); ++i) label += format("{}{}", i ? " + " : "", terms[i]);
  if (terms.size() > kNamed)
    label += format(" + {} more", plural(static_cast<std::int64_t>(terms.size() - kNamed), "line"));
  f.label(label);
  f.help(format(
      "ask for an offer of {}{} and write `quoted: {}`; or leave `quoted` out, and order what the bill of `clusterc "
      "plan` lists",
      needed + spares, spares > 0 ? format(" ({} of them spares)", spares) : "", needed + spares));
  f.object(format("prices.{}.{}", map, entry.name));
}

void cost_parts_missing_from_bill(const Rule& rule, const RuleInput& in, Findings& findings) {
  const std::optional<Cost> cost = cost_of(in.plan);
  if (!cost) return;
  const std::vector<BillRow> bill = bill_rows(in.plan);
  for (const auto& e : cost->prices->parts) hold(rule, findings, *cost, bill, e, "parts", format("'{}'", e.name));
  for (const auto& e : cost->prices->kinds)
    hold(rule, findings, *cost, bill, e, "kinds", format("'{}' (kind of part)", e.name));
  for (const auto& e : cost->prices->nodes)
    hold(rule, findings, *cost, bill, e, "nodes", format("'{}' (node group)", e.name));
}

}  // namespace

extern const Rule kCostPartsMissingFromBill;  // registry.cc names it
const Rule kCostPartsMissingFromBill = {
    .id = "cost-parts-missing-from-bill",
    .code = "COST-001",
    .severity = Severity::error,
    .physics = false,
    .summary = "an offer or order has fewer pieces of a part than the plan needs",
    .explanation = R"(## What it checks

Where the spec states how many pieces of a part an offer or order has (`prices.parts.<part>.quoted`), they cover what
the plan needs, without spares.
The same is checked for the nodes of a group (`prices.nodes.<group>.quoted`) and for the pieces of a kind that have no
price of their own (`prices.kinds.<kind>.quoted`).

## Why it matters

Orders often count one transceiver per link, but each end needs one, and one splitter per cable, but each cage needs
one. Then half of the optics are missing when the racks are installed, and the rest takes weeks to arrive.

## Formula

```
needed = sum over the lines of the plan's bill that this price is of, spares left out
error when quoted < needed
```

Unit: pieces on both sides.

Every link is one cable, or fibre with a module in the cage at either end; a module with two ports is counted once.
Source: arithmetic over the ports of the plan; twin-port transceivers: NVIDIA LinkX documentation, the parts' own pages.

Error: none beyond its inputs.

## Example

512 links of fibre, and an offer with 512 single-port transceivers: 1,024 are needed.

## How to fix

Order what `clusterc plan` lists. The bill is derived, so quantities need not be written by hand.

## When to accept

Where the rest comes from stock or from another order. Name it in the reason.
)",
    .check = cost_parts_missing_from_bill,
};

}  // namespace clusterc
