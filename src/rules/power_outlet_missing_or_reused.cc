#include "plan/plan.h"
#include "plan/power/cords.h"
#include "rules/rule.h"
#include "rules/say.h"

namespace clusterc {
namespace {

void check_group(const Rule& rule, const RuleInput& in, Findings& findings, const RackGroupModel& g) {
  const Cluster& c = in.cluster;
  std::vector<Outlets> outlets;
  for (const PduModel& p : g.pdus) outlets.push_back(p.part ? outlets_of(*p.part) : Outlets{});
  for (std::size_t i = 0; i < g.pdus.size(); ++i) {
    const bool before = std::any_of(g.pdus.begin(), g.pdus.begin() + static_cast<std::ptrdiff_t>(i),
                                    [&](const PduModel& p) { return p.part == g.pdus[i].part; });
    if (g.pdus[i].part && !outlets[i].known && !before)
      findings.note(rule.id, g.pdus[i].span,
                    format("'{}' states no `outlets`, so the cords in rack group '{}' were not counted",
                           g.pdus[i].model, g.name));
  }
  FailingPdus failing = failing_pdus(in, g, [&](const PduLoad& load) {
    const Outlets& o = outlets[static_cast<std::size_t>(load.pdu)];
    if (!o.known) return 0.0;
    // A plug for which there is no outlet at all: power-plug-outlet-mismatch says so.
    const std::int64_t c13 = o.c13 + o.either > 0 ? load.cords_c13 : 0, c19 = o.c19 + o.either > 0 ? load.cords_c19 : 0;
    // Either kind of plug fits a combined outlet: what the plain ones do not take must fit there.
    return static_cast<double>(std::max<std::int64_t>(0, c13 - o.c13) + std::max<std::int64_t>(0, c19 - o.c19) -
                               o.either);
  });
  const PduLoad* worst = failing.worst;
  if (!worst) return;
  const PduModel& pdu = g.pdus[static_cast<std::size_t>(worst->pdu)];
  const Outlets& o = outlets[static_cast<std::size_t>(worst->pdu)];
  const int group = heaviest_node_group(power_terms(in, worst->rack));
  std::string need;
  if (worst->cords_c13) need += format("{} x C13", worst->cords_c13);
  if (worst->cords_c19) need += format("{}{} x C19", need.empty() ? "" : " + ", worst->cords_c19);
  Finding& f = findings.error(rule.id, pdu.span,
                              format("each PDU of {} needs {} outlets, but '{}' has {}",
                                     rack_list(failing.names, failing.racks), need, pdu.model, o.text()));
  f.label(format("{} short", plural(static_cast<std::int64_t>(failing.most), "outlet")));
  if (group >= 0) {
    const PsuSet* psus = c.nodes[group].server.part.psus ? &*c.nodes[group].server.part.psus : nullptr;
    f.note(load_place(c.nodes[group]),
           psus && psus->count ? format("each node of '{}' has {} cords, spread evenly over {}", c.nodes[group].name,
                                        *psus->count, plural(static_cast<std::int64_t>(g.pdus.size()), "PDU"))
                               : format("nodes of '{}' are in these racks", c.nodes[group].name));
  }
  if (!o.confirmed) {
    f.unconfirmed = true;
    f.note({}, format("the outlets of '{}' are not confirmed", pdu.model));
  }
  f.help("use a PDU with more outlets of this kind, add a PDU, or put fewer devices in the rack");
  f.objects = std::move(failing.objects);
}

void power_outlet_missing_or_reused(const Rule& rule, const RuleInput& in, Findings& findings) {
  if (!in.cluster.own_site) return;
  for (const RackGroupModel& g : in.cluster.racks) check_group(rule, in, findings, g);
}

}  // namespace

extern const Rule kPowerOutletMissingOrReused;  // registry.cc names it
const Rule kPowerOutletMissingOrReused = {
    .id = "power-outlet-missing-or-reused",
    .code = "PWR-014",
    .severity = Severity::error,
    .physics = true,
    .summary = "a rack has more cords than outlets of the matching kind",
    .explanation = R"(## What it checks

Every cord in a rack has an outlet of its kind: C14 inlets need C13 outlets, C20 inlets need C19 outlets, and a combined
outlet takes either.

## Why it matters

On the day of installation, a cord without an outlet ends up in an unplanned power strip behind the rack, on one feed.

## Formula

```
cords of a PDU, by kind  = cords of the rack / PDUs of the rack, rounded up on the first ones
C13 cords beyond the C13 outlets + C19 cords beyond the C19 outlets <= combined outlets
```

Unit: cords and outlets, both counted.

Cords are those of nodes, storage and switches.
Source: IEC 60320 (which plug mates with which); data sheets of PDU and devices (catalogue).

Error: none beyond its inputs, as long as the cords are plugged as planned.

## Example

Four nodes with six C20 inlets each on two PDUs of 36 x C13 + 6 x C19: 12 cords for C19 on each, 6 outlets.

## How to fix

Use a PDU with the right mix of outlets, add a PDU, or put fewer devices in the rack.

## When to accept

Never: a cord without an outlet carries no power.
)",
    .check = power_outlet_missing_or_reused,
};

}  // namespace clusterc
