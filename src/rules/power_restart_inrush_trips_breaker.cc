#include "plan/plan.h"
#include "plan/power/cords.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/site.h"

namespace clusterc {
namespace {

// Instantaneous trip of miniature breakers, type C: from 5 times the rating (IEC 60898-1, table 7). Where it is less is
// not known, so it may trip from here.
constexpr double kTrips = 5;

struct Start {
  double amps = 0;
  bool known = false;
};

// Peaks of all cords of a position, on one of its lines: cords lie on the lines in turn.
std::vector<Start> starts(const RuleInput& in, const PowerClass& k, const RackGroupModel& g) {
  std::vector<Start> all(g.pdus.size());
  for (const PowerCord& cord : k.rack.cords) {
    const RackedDevice* d = device_of(in.plan, k, static_cast<std::size_t>(cord.device));
    const PsuSet* psus = d ? supplies_of(in.plan, *d) : nullptr;
    if (!psus || !psus->inrush) continue;
    Start& s = all[static_cast<std::size_t>(cord.position)];
    s.known = true;
    s.amps += psus->inrush->value;
  }
  for (std::size_t i = 0; i < all.size(); ++i)
    if (const PduPart* p = g.pdus[i].part; p && p->phases.value_or(1) >= 3) all[i].amps /= 3;
  return all;
}

void power_restart_inrush_trips_breaker(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  if (!c.own_site) return;
  std::vector<double> panels(c.panels.size(), 0);
  bool told = false;
  const std::vector<PowerClass>& classes = in.plan.power_classes();
  for (std::size_t i = 0; i < c.racks.size(); ++i) {
    const RackGroupModel& g = c.racks[i];
    const PduModel* pdu = nullptr;
    double most = 0;
    std::int64_t racks = 0;
    std::vector<std::string> names, objects;
    for (const PowerClass& k : classes_of_group(classes, static_cast<std::int64_t>(i))) {
      const std::vector<Start> here = starts(in, k, g);
      bool failing = false;
      for (std::size_t p = 0; p < here.size(); ++p) {
        const PduPart* part = g.pdus[p].part;
        if (!here[p].known || !part || part->outlet_delay) continue;  // one outlet after the other
        if (g.pdus[p].panel >= 0)
          panels[static_cast<std::size_t>(g.pdus[p].panel)] += here[p].amps * static_cast<double>(k.racks.size());
        if (!part->breaker || !above(here[p].amps, kTrips * part->breaker->value)) continue;
        failing = true;
        if (here[p].amps > most) {
          most = here[p].amps;
          pdu = &g.pdus[p];
        }
      }
      if (!failing) continue;
      racks += static_cast<std::int64_t>(k.racks.size());
      for (const std::int32_t r : k.racks) {
        if (names.size() < 3) names.push_back(c.rack_name(r));
        objects.push_back("rack/" + c.rack_name(r));
      }
    }
    if (!pdu) continue;
    told = true;
    Finding& f = findings.warning(
        rule.id, pdu->span,
        format(
            "when power returns, a line of '{}' in {} draws {} for half a cycle, but its {} breaker may trip from {}",
            pdu->model, rack_list(names, racks), to_text(Amperes(most)), to_text(*pdu->part->breaker),
            to_text(*pdu->part->breaker * kTrips)));
    f.label(format("{:.0f} x {}", kTrips, to_text(*pdu->part->breaker)));
    f.help(
        "use a PDU that switches its outlets on one after the other (`outlet_delay` of the part), or set a delay in "
        "the BMCs' power restore policy");
    f.objects = std::move(objects);
  }
  if (told) return;
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const Value<Amperes>& breaker = c.panels[i].spec->breaker;
    if (!breaker || !above(panels[i], kTrips * breaker->value)) continue;
    findings
        .warning(rule.id, breaker.span,
                 format("when power returns, a line of panel '{}' draws {} for half a cycle, but its {} breaker may "
                        "trip from {}",
                        c.panels[i].name, to_text(Amperes(panels[i])), to_text(*breaker), to_text(*breaker * kTrips)))
        .help(
            "use PDUs that switch their outlets on one after the other (`outlet_delay` of the part), or set delays in "
            "the BMCs' power restore policy")
        .object("panel/" + c.panels[i].name);
  }
}

}  // namespace

extern const Rule kPowerRestartInrushTripsBreaker;  // registry.cc names it
const Rule kPowerRestartInrushTripsBreaker = {
    .id = "power-restart-inrush-trips-breaker",
    .code = "PWR-019",
    .severity = Severity::warning,
    .physics = false,
    .summary = "the inrush current of supplies that start together may trip a breaker",
    .explanation = R"(## What it checks

Where supplies state their inrush current (`psus: { inrush: … }`), the supplies behind one PDU or panel that start at
the same moment stay below the instantaneous trip current of its breaker.

## Why it matters

After an outage everything starts together. For half a cycle, charging capacitors draw ten times the running current.
The breaker opens, and the site must be visited to close it.

## Formula

```
sum of the inrush currents of the cords / lines <= 5 x rating of the breaker
```

Unit: A on both sides.

Source: IEC 60898-1, table 7: type C breakers trip at once between 5 and 10 times their rating. A PDU with an `outlet_delay` starts one outlet at a time and is not counted.

Error: not known, on the safe side: all peaks are added as if they came at one instant, and a breaker of type C trips
between 5 and 10 times its rating.

## Example

24 supplies of 40 A on a three-phase PDU of 32 A: 320 A on each line; the breaker may trip from 160 A.

## How to fix

Use a PDU with a delay between outlets, or set a random delay in the power restore policy of the BMCs.

## When to accept

Where the breaker's trip curve shows that it holds (type D: 10 to 20 times), or the site is always staffed.
)",
    .check = power_restart_inrush_trips_breaker,
};

}  // namespace clusterc
