#include "plan/placement.h"
#include "plan/plan.h"
#include "rules/cord_faults.h"
#include "rules/power_say.h"
#include "rules/rule.h"
#include "rules/say.h"

namespace clusterc {
namespace {

// IEC 60320: C13/C14 10 A, C19/C20 16 A. North American listings: 15 A and 20 A, of which 80 % continuously (NFPA 70,
// 210.23).
Amperes outlet_rating(const Cluster& c, InletKind inlet) {
  const bool na = c.continuous_factor < 1;
  return inlet == InletKind::c14 ? Amperes(na ? 12 : 10) : Amperes(16);
}

struct Worst {
  Amperes amps{0};
  Volts volts{0};
  int lost = -1;
  std::int64_t alive = 0;
  Watts power{0};
  std::size_t pdu = 0;
};

// With all feeds, and after the loss of each: the highest current of a cord, at the lowest voltage that one of its PDUs
// gives.
Worst worst_cord(const Cluster& c, const RackGroupModel& g, const DeviceCords& d) {
  Worst worst;
  Value<Volts> v;
  for (std::size_t i = 0; i < g.pdus.size(); ++i)
    if (const Value<Volts> here = g.pdus[i].part ? outlet_voltage(*g.pdus[i].part) : Value<Volts>();
        here && d.on[i] > 0 && (!v || *here < *v)) {
      v = here;
      worst.pdu = i;
    }
  if (!v) return worst;  // power-branch-over-continuous-rating asks for the PDU's figures
  worst.volts = *v;
  const auto see = [&](int lost, std::int64_t alive, double watts) {
    if (const Amperes a = cord_current(c, Watts(watts), alive, *v); a > worst.amps) {
      worst.amps = a;
      worst.lost = lost;
      worst.alive = alive;
      worst.power = Watts(watts);
    }
  };
  see(-1, d.load().supplies, d.load().watts);
  for (int f = 0; f < static_cast<int>(c.feeds.size()); ++f)
    if (const std::optional<AfterLoss> after = after_loss(d, f)) see(f, after->alive, after->result.watts);
  return worst;
}

void check(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  if (!c.own_site || c.continuous_factor == 0) return;
  const std::vector<PowerClass>& classes = in.plan.power_classes();
  for (std::size_t i = 0; i < c.racks.size(); ++i) {
    const RackGroupModel& g = c.racks[i];
    const auto excess = [&](const DeviceCords& d) {
      if (!d.psus->inlet || (*d.psus->inlet != InletKind::c14 && *d.psus->inlet != InletKind::c20)) return 0.0;
      const double a = worst_cord(c, g, d).amps.value, limit = outlet_rating(c, *d.psus->inlet).value;
      return above(a, limit) ? a / limit : 0.0;
    };
    for (const CordFault& k : failing_cords(in, classes, static_cast<std::int64_t>(i), excess)) {
      const Worst w = worst_cord(c, g, k.cords);
      const Value<InletKind>& inlet = k.cords.psus->inlet;
      const RackedDevice& device = *k.cords.device;
      const std::string when =
          w.lost >= 0 ? format("when feed '{}' is lost, ", c.feeds[static_cast<std::size_t>(w.lost)].name) : "";
      Finding& f = findings.error(
          rule.id, device_place(in, device),
          format("{}each cord of {} carries {}, a {} outlet {}", when, each_device_text(in, device), to_text(w.amps),
                 *inlet == InletKind::c14 ? "C13" : "C19", to_text(outlet_rating(c, *inlet))));
      f.label(format("{} / {:.2f} power factor / {} / {}", to_text(w.power), power_factor(c),
                     w.alive == 1 ? "1 supply" : format("{} supplies", w.alive), to_text(w.volts)));
      f.note(g.pdus[w.pdu].span, "a PDU that it hangs on");
      mention_unconfirmed(f, inlet, format("the inlet of '{}'", device_model(in.plan, device)));
      f.help(*inlet == InletKind::c14 ? "supplies with C20 inlets, more supplies, or a higher voltage"
                                      : "more supplies or a higher voltage");
      // The current goes with the power, nearly: what fewer supplies lose goes with their load.
      if (device.kind == DeviceKind::node)
        if (const NodeGroupModel& of = c.nodes[static_cast<std::size_t>(device.group)]; of.server.power) {
          const Amperes limit = outlet_rating(c, *inlet);
          const std::string cap = cap_help(of, *of.server.power * (limit / w.amps), [&](Watts watts) {
            const PowerClass slower{.rack = capped_rack(in.plan, *k.cords.racks, device.group, watts)};
            DeviceCords cords = k.cords;
            cords.racks = &slower;
            return !above(worst_cord(c, g, cords).amps.value, limit.value);
          });
          if (!cap.empty()) f.help(cap);
        }
      f.object(device_owner(in.plan, device));
    }
  }
}

}  // namespace

constexpr std::string_view kExplanation = R"(## What it checks

The current of each cord, with the supplies that are left after the loss of a feed, is within what its outlet and plug may carry without end.

## Why it matters

An outlet that carries too much does not trip: it browns, then melts, behind the rack.

## Formula

```
power of the device / power factor / supplies alive / voltage across one load <= rating of the outlet
C13: 10 A (iec), 12 A (na: 80 % of 15 A)      C19: 16 A (iec; na: 80 % of 20 A)
```

Source: IEC 60320 (ratings of couplers); UL listings of 15 A and 20 A with NFPA 70 (NEC) 210.23 for 80 %.

## Example

3.2 kW through one C14 inlet at 208 V: 3,200 / 0.96 / 208 = 16 A, a C13 outlet carries 12 A.

## How to fix

Supplies with C20 inlets, more of them, a higher voltage, or a power cap.

## When to accept

Never: it is against the rating of the part that carries the load.
)";

extern const Rule kPowerCordOverOutletRating;  // registry.cc names it
const Rule kPowerCordOverOutletRating = {
    .id = "power-cord-over-outlet-rating",
    .code = "PWR-012",
    .severity = Severity::error,
    .physics = true,
    .summary = "a cord carries more than its outlet may",
    .explanation = kExplanation,
    .check = check,
};

}  // namespace clusterc
