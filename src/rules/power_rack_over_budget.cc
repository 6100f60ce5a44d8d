#include "plan/plan.h"
#include "plan/power/rack_limits.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/site.h"

namespace clusterc {
namespace {

void check_racks(const Rule& rule, const RuleInput& in, Findings& findings, const RackGroupModel& g) {
  const Cluster& c = in.cluster;
  const Watts budget = *g.spec->budget;
  std::int64_t racks = 0, worst = -1;
  std::vector<std::string> names, objects;
  for (std::int64_t r = g.first; r < g.first + g.count; ++r) {
    if (!above(in.plan.racks[r].power.value, budget.value)) continue;
    ++racks;
    if (names.size() < 3) names.push_back(c.rack_name(r));
    objects.push_back("rack/" + c.rack_name(r));
    if (worst < 0 || in.plan.racks[r].power > in.plan.racks[worst].power) worst = r;
  }
  if (worst < 0) return;
  const std::vector<Term> terms = power_terms(in, worst);
  const int group = heaviest_node_group(terms);
  const Watts power = in.plan.racks[worst].power;
  Finding& f = findings.error(
      rule.id, group >= 0 ? load_place(c.nodes[group]) : g.spec->budget.span,
      format("{} {} {}, but {} budget is {}", rack_list(names, racks), racks == 1 ? "draws" : "draw up to",
             to_text(power), racks == 1 ? "its" : "their", to_text(budget)));
  f.label(format("{} = {}", sum_text(terms, Dimension::power), to_text(power)));
  f.note(g.spec->budget.span, "the budget of each rack");
  for (const Term& t : terms)
    if (t.kind == DeviceKind::node && t.group == group) {
      const double others = power.value - t.each * static_cast<double>(t.count);
      const auto fit = static_cast<std::int64_t>(std::max(0.0, (budget.value - others) / t.each + kRounding));
      f.help(fit > 0 ? format("{} of the {} nodes of '{}' would fit: the rack then draws {}", fit, t.count,
                              c.nodes[group].name, to_text(Watts(others + t.each * static_cast<double>(fit))))
                     : format("no node of '{}' fits beside the other devices", c.nodes[group].name));
    }
  f.objects = std::move(objects);
}

// Left over because the budget ends before the PDUs do.
void check_unplaced(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  for (const Unplaced& u : in.plan.unplaced) {
    const int racks = u.lack == Unplaced::Lack::power ? unplaced_racks(in, u) : -1;
    if (racks < 0 || !budget_decides(c, c.racks[racks])) continue;
    const SourceSpan at =
        u.kind == DeviceKind::node && u.span == c.nodes[u.group].span ? load_place(c.nodes[u.group]) : u.span;
    Finding& f = findings.error(rule.id, at,
                                format("{} {} no rack with room in its budget of {}: {}", unplaced_name(in, u),
                                       u.count == 1 ? "has" : "have", to_text(*c.racks[racks].spec->budget), u.why));
    f.note(c.racks[racks].spec->budget.span, "the budget of each rack");
    f.help("use more racks, a larger budget, or a `power_cap`");
    f.object(unplaced_object(in, u));
  }
}

void power_rack_over_budget(const Rule& rule, const RuleInput& in, Findings& findings) {
  if (!in.cluster.own_site) return;
  // A budget beyond what the PDUs carry never decides: power-branch-over-continuous-rating speaks first.
  for (const RackGroupModel& g : in.cluster.racks)
    if (budget_decides(in.cluster, g)) check_racks(rule, in, findings, g);
  check_unplaced(rule, in, findings);
}

}  // namespace

extern const Rule kPowerRackOverBudget;  // registry.cc names it
const Rule kPowerRackOverBudget = {
    .id = "power-rack-over-budget",
    .code = "PWR-023",
    .severity = Severity::error,
    .physics = false,
    .summary = "a rack draws more than its budget",
    .explanation = R"(## What it checks

No rack draws more than the `budget` that the site sets for it, where that is less than its PDUs carry.

## Why it matters

A contract, a busway or the cooling of a row was sized for this budget. Exceeding it trips no breaker at the rack: it
trips one upstream, or raises the bill.

## Formula

```
sum of the highest powers of what stands in the rack <= budget
```

Unit: W on both sides.

Source: arithmetic; the budget is the site's own declaration. What the PDUs carry is power-branch-over-continuous-rating.

Error: none beyond its inputs. What states no power counts as nothing.

## Example

Four nodes of 10.2 kW and two switches of 400 W, 41.6 kW, in a rack with a budget of 34.8 kW: three nodes fit.

## How to fix

Fewer nodes in each rack (`per_rack`), more racks, or a `power_cap`.

## When to accept

Where the owner of the budget agrees in writing. Give that as the reason.
)",
    .check = power_rack_over_budget,
};

}  // namespace clusterc
