#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/site.h"

namespace clusterc {
namespace {

void rack_pdus_without_place(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  if (!c.own_site) return;
  for (const RackGroupModel& g : c.racks) {
    if (!g.part || !g.part->pdu_places || g.count == 0) continue;
    const std::int64_t places = *g.part->pdu_places;
    std::int64_t vertical = 0;
    const PduModel* last = nullptr;
    bool confirmed = true;
    for (const PduModel& p : g.pdus)
      if (p.part && p.part->units && *p.part->units == 0) {
        ++vertical;
        confirmed = confirmed && p.part->units.confirmed;
        if (vertical == places + 1) last = &p;
      }
    if (!last) continue;
    Finding& f = findings.error(
        rule.id, last->span,
        format("{} {} mounted vertically in each rack of '{}', but '{}' has {} for them", plural(vertical, "PDU"),
               vertical == 1 ? "is" : "are", g.name, g.model, plural(places, "place")));
    f.note(g.span, format("these are the racks of '{}'", g.name));
    mention_unconfirmed(f, g.part->pdu_places, format("the number of places for vertical PDUs in '{}'", g.model));
    if (!confirmed) {
      f.unconfirmed = true;
      f.note({}, "how these PDUs are mounted is not confirmed");
    }
    f.help("use fewer and larger PDUs, horizontal ones, or a rack with more places");
    f.object("racks." + g.name);
  }
}

}  // namespace

extern const Rule kRackPdusWithoutPlace;  // registry.cc names it
const Rule kRackPdusWithoutPlace = {
    .id = "rack-pdus-without-place",
    .code = "RACK-013",
    .severity = Severity::error,
    .physics = false,
    .summary = "a rack has more vertical PDUs than places for them",
    .explanation = R"(## What it checks

The vertical PDUs of a rack (`units: 0`) find a place in it (`pdu_places` of the rack).

## Why it matters

A PDU that finds no place hangs in front of the devices, keeps them from being pulled out, and stops their air.

## Formula

```
PDUs with `units: 0` in each rack <= pdu_places
```

Unit: PDUs on both sides.

A PDU or a rack that does not state the figure is not judged. Horizontal PDUs (`units: 1`, …) take the highest free units
of the rack, and no device is placed there.
Source: geometry; data sheets of PDU and rack (catalogue).

Error: none beyond its inputs. PDUs of half the height, of which two share a place, count as whole ones.

## Example

Six vertical PDUs in a cabinet with four places.

## How to fix

Use fewer and larger PDUs, horizontal ones, or a rack with more places.

## When to accept

Where the PDUs are short enough for two in one place.
)",
    .check = rack_pdus_without_place,
};

}  // namespace clusterc
