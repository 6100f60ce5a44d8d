#include <algorithm>

#include "plan/plan.h"
#include "plan/power/power_chain.h"
#include "plan/power/rack_limits.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/nodes.h"
#include "spec/site.h"

namespace clusterc {
namespace {

// Most nodes of the group in one rack, and that rack. Nodes are put rack by rack, so that they are counted in runs.
struct Fullest {
  std::int64_t rack = -1, nodes = 0;
};
Fullest fullest_rack(const Plan& plan, const NodeGroupModel& g, const RackGroupModel& racks) {
  std::vector<std::int64_t> here(static_cast<std::size_t>(racks.count), 0);
  Fullest f;
  for (std::int64_t i = 0; i < g.count; ++i) {
    const std::int64_t r = plan.node_rack[g.first + i] - racks.first;
    if (r < 0 || r >= racks.count) continue;
    if (++here[r] > f.nodes) f = {racks.first + r, here[r]};
  }
  return f;
}

// What a rack draws, and what it draws after the loss of the feed that leaves its devices worst off.
struct Draw {
  Watts normal{0}, after_loss{0};
};
Draw draw_of(const Plan& plan, const RackGroupModel& racks, std::int64_t rack) {
  Draw d{plan.racks[rack].power, plan.racks[rack].power};
  for (const RackedDevice& device : plan.racks[rack].devices)
    d.after_loss += after_feed_loss(plan, racks, device) - Watts(supply_load(plan, device).watts);
  return d;
}

struct Limit {
  std::string what;
  bool after_loss = false;
};
Limit limit_of(const RuleInput& in, const RackGroupModel& racks, Draw asked) {
  const Cluster& c = in.cluster;
  const RackLimits carry = pdu_limits(c, racks);
  const bool budget = budget_decides(c, racks);
  if (budget && above(asked.normal.value, racks.spec->budget->value))
    return {format("each rack is allowed {}", to_text(*racks.spec->budget))};
  if (above(asked.normal.value, carry.normal.value))
    return {format("the PDUs of a rack carry {}", to_text(carry.normal))};
  if (budget && above(asked.after_loss.value, racks.spec->budget->value))
    return {format("each rack is allowed {}, also after the loss of a feed", to_text(*racks.spec->budget)), true};
  if (above(asked.after_loss.value, carry.survives.value))
    return {format("the PDUs of a rack carry {} after the loss of a feed", to_text(carry.survives)), true};
  return {};
}

void rack_fewer_nodes_than_asked(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  if (!c.own_site) return;
  for (std::size_t i = 0; i < c.nodes.size(); ++i) {
    const NodeGroupModel& g = c.nodes[i];
    if (!is_ours(g) || g.racks < 0 || !g.spec->per_rack || !g.spec->at.empty() || g.count == 0) continue;
    const RackGroupModel& racks = c.racks[g.racks];
    // What finds no place at all is said by the rule of what it lacks.
    if (racks.count == 0 || std::any_of(in.plan.unplaced.begin(), in.plan.unplaced.end(), [&](const Unplaced& u) {
          return u.kind == DeviceKind::node && u.group == static_cast<int>(i);
        }))
      continue;
    const std::int64_t asked = std::min(*g.spec->per_rack, g.count);
    const Fullest f = fullest_rack(in.plan, g, racks);
    if (f.rack < 0 || f.nodes >= asked) continue;
    const Draw now = draw_of(in.plan, racks, f.rack);
    const RackedDevice node{.kind = DeviceKind::node, .group = static_cast<std::int32_t>(i), .index = g.first};
    const auto more = static_cast<double>(asked - f.nodes);
    const Watts each(supply_load(in.plan, node).watts), each_after = after_feed_loss(in.plan, racks, node);
    const Draw all{now.normal + each * more, now.after_loss + each_after * more};
    const Limit limit = limit_of(in, racks, all);
    const std::string draw =
        format("rack '{}' with {} of them{}: {} + {} x {} = {}", c.rack_name(f.rack), asked,
               limit.after_loss ? " on the remaining supplies" : "",
               to_text(limit.after_loss ? now.after_loss : now.normal), asked - f.nodes,
               to_text(limit.after_loss ? each_after : each), to_text(limit.after_loss ? all.after_loss : all.normal));
    Finding& x =
        findings.warning(rule.id, load_place(g),
                         format("'{}' asks for {} nodes in each rack, but the plan puts {}{}", g.name, asked, f.nodes,
                                limit.what.empty() ? ", limited by space, weight or outlets" : ": " + limit.what));
    if (!limit.what.empty()) x.label(draw);
    x.note(racks.span, "these are the racks")
        .help(format("write `per_rack: {}` to match the plan, and keep the number of racks: in fewer racks the nodes "
                     "would exceed the limit",
                     f.nodes))
        .object("nodes." + g.name);
  }
}

}  // namespace

extern const Rule kRackFewerNodesThanAsked;  // registry.cc names it
const Rule kRackFewerNodesThanAsked = {
    .id = "rack-fewer-nodes-than-asked",
    .code = "RACK-012",
    .severity = Severity::warning,
    .physics = false,
    .summary = "the plan puts fewer nodes in a rack than the spec asks for",
    .explanation = R"(## What it checks

Where the spec says how many nodes are in each rack (`per_rack`), the fullest rack of the plan has as many.

## Why it matters

`per_rack` is a maximum. Where there are enough racks, the plan keeps each within its budget, its PDU ratings after the
loss of a feed, its outlets and its weight, and puts fewer nodes there. Racks, floor space and cables that are ordered
by the written number are then wrong.

## Formula

```
most nodes of the group in one rack of the plan >= min(per_rack, nodes of the group)
```

Unit: nodes of a rack on both sides.

Source: the plan itself; what a rack carries is power-branch-over-continuous-rating, its budget power-rack-over-budget. Where not all nodes would find a place so, they are put at `per_rack` all the same, and those rules speak.

Error: none beyond its inputs.

## Example

`per_rack: 8` of nodes of 5.1 kW in racks with `budget: 24 kW`: the plan puts two in each, beside the switches and
within the limit after the loss of a feed.

## How to fix

Write the planned number, or raise the limit that decides.

## When to accept

Where `per_rack` is the number of places in the room's drawing.
)",
    .check = rack_fewer_nodes_than_asked,
};

}  // namespace clusterc
