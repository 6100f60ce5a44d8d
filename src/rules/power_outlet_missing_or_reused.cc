#include "rules/say.h"
#include "rules/rules.h"

namespace clusterc {
namespace {

struct Outlets {
  std::int64_t c13 = 0, c19 = 0, either = 0;
  bool confirmed = true, known = false;
};

Outlets outlets_of(const PduPart& part) {
  Outlets o;
  for (const OutletGroup& g : part.outlets) {
    if (!g.kind || !g.count) continue;
    o.known = true;
    o.confirmed = o.confirmed && g.count.confirmed;
    if (*g.kind == OutletKind::c13) o.c13 += *g.count;
    if (*g.kind == OutletKind::c19) o.c19 += *g.count;
    if (*g.kind == OutletKind::c13_c19) o.either += *g.count;
  }
  return o;
}

std::string outlets_text(const Outlets& o) {
  std::string text;
  const auto add = [&](std::int64_t n, std::string_view kind) {
    if (n > 0) text += format("{}{} x {}", text.empty() ? "" : " + ", n, kind);
  };
  add(o.c13, "C13");
  add(o.c19, "C19");
  add(o.either, "C13/C19");
  return text.empty() ? "none" : text;
}

void check_group(const Rule& rule, const RuleInput& in, Findings& findings, const RackGroupModel& g, std::size_t& next) {
  const Cluster& c = in.cluster;
  std::vector<Outlets> outlets;
  for (const PduModel& p : g.pdus) outlets.push_back(p.part ? outlets_of(*p.part) : Outlets{});
  for (std::size_t i = 0; i < g.pdus.size(); ++i) {
    const bool before = std::any_of(g.pdus.begin(), g.pdus.begin() + static_cast<std::ptrdiff_t>(i), [&](const PduModel& p) { return p.part == g.pdus[i].part; });
    if (g.pdus[i].part && !outlets[i].known && !before)
      findings.note(rule.id, g.pdus[i].span, format("'{}' states no `outlets`, so the cords in rack group '{}' were not counted", g.pdus[i].model, g.name));
  }
  std::int64_t failing = 0, last_rack = -1, most = 0;
  const PduLoad* worst = nullptr;
  std::vector<std::string> names, objects;
  for (; next < in.plan.pdus.size() && in.plan.pdus[next].rack < g.first + g.count; ++next) {
    const PduLoad& load = in.plan.pdus[next];
    const Outlets& o = outlets[static_cast<std::size_t>(load.pdu)];
    if (!o.known) continue;
    // Either kind of plug fits a combined outlet: what the plain ones do not take must fit there.
    const std::int64_t short_by = std::max<std::int64_t>(0, load.cords_c13 - o.c13) + std::max<std::int64_t>(0, load.cords_c19 - o.c19) - o.either;
    if (short_by <= 0) continue;
    if (short_by > most) {
      most = short_by;
      worst = &load;
    }
    if (load.rack == last_rack) continue;
    last_rack = load.rack;
    ++failing;
    if (names.size() < 3) names.push_back(c.rack_name(load.rack));
    objects.push_back("rack/" + c.rack_name(load.rack));
  }
  if (!worst) return;
  const PduModel& pdu = g.pdus[static_cast<std::size_t>(worst->pdu)];
  const Outlets& o = outlets[static_cast<std::size_t>(worst->pdu)];
  const int group = heaviest_node_group(power_terms(in, worst->rack));
  std::string need;
  if (worst->cords_c13) need += format("{} x C13", worst->cords_c13);
  if (worst->cords_c19) need += format("{}{} x C19", need.empty() ? "" : " + ", worst->cords_c19);
  Finding& f = findings.error(rule.id, pdu.span, format("each PDU of rack {} takes cords for {}, '{}' has {}", name_list(names, failing), need, pdu.model, outlets_text(o)));
  f.label(format("{} short", plural(most, "outlet")));
  if (group >= 0) {
    const PsuSet* psus = c.nodes[group].server.part.psus ? &*c.nodes[group].server.part.psus : nullptr;
    f.note(load_place(c.nodes[group]), psus && psus->count ? format("each node of '{}' has {} cords, spread evenly over {}", c.nodes[group].name, *psus->count, plural(static_cast<std::int64_t>(g.pdus.size()), "PDU")) : format("nodes of '{}' stand here", c.nodes[group].name));
  }
  if (!o.confirmed) f.note({}, format("the outlets of '{}' are not confirmed", pdu.model));
  f.help("a PDU with more outlets of this kind, one more PDU, or fewer devices in the rack");
  f.objects = std::move(objects);
}

void check(const Rule& rule, const RuleInput& in, Findings& findings) {
  if (!in.cluster.own_site) return;
  std::size_t next = 0;
  for (const RackGroupModel& g : in.cluster.racks) check_group(rule, in, findings, g, next);
}

}  // namespace

constexpr std::string_view kExplanation = R"(## What it checks

Every cord in a rack finds an outlet of its kind: C14 inlets go to C13 outlets, C20 inlets to C19, and a combined outlet takes either.

## Why it matters

The cord that is left over on the day of installation ends in a strip behind the rack that nobody planned, on one feed.

## Formula

```
cords of a PDU, by kind  = cords of the rack / PDUs of the rack, rounded up on the first ones
C13 cords beyond the C13 outlets + C19 cords beyond the C19 outlets <= combined outlets
```

Cords are those of nodes, storage and switches. Source: IEC 60320 (which plug mates with which); data sheets of PDU and devices (catalogue).

## Example

Four nodes with six C20 inlets each on two PDUs of 36 x C13 + 6 x C19: 12 cords for C19 on each, 6 outlets.

## How to fix

A PDU with the right mix of outlets, one more PDU, or fewer devices.

## When to accept

Never: a plug that finds no outlet carries no power.
)";

const Rule kPowerOutletMissingOrReused = {
    .id = "power-outlet-missing-or-reused",
    .code = "PWR-014",
    .severity = Severity::error,
    .physics = true,
    .summary = "a rack has more cords than outlets of their kind",
    .explanation = kExplanation,
    .check = check,
};

}  // namespace clusterc
