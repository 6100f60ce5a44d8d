#include "model/power.h"
#include "plan/plan.h"
#include "plan/power/rack_limits.h"
#include "rules/cord_faults.h"
#include "rules/power_say.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/network.h"
#include "spec/site.h"

namespace clusterc {
namespace {

// IEC 60320: C13/C14 10 A, C19/C20 16 A. North American listings: 15 A and 20 A, of which 80 % continuously (NFPA 70,
// 210.23).
Amperes outlet_rating(const Cluster& c, InletKind inlet) {
  const bool na = c.continuous_factor < 1;
  return inlet == InletKind::c14 ? Amperes(na ? 12 : 10) : Amperes(16);
}

// 80 PLUS Titanium, 230 V internal redundant: 96 % at half load, the default is 94 % (CLEAResult 80 PLUS programme).
constexpr double kLeastLoss = kSupplyEfficiency / 0.96;

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
    if (const Amperes a = cord_current(c, d.load(), Watts(watts), alive, *v); a > worst.amps) {
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

void power_cord_over_outlet_rating(const Rule& rule, const RuleInput& in, Findings& findings) {
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
          w.lost >= 0 ? format("if feed '{}' fails, ", c.feeds[static_cast<std::size_t>(w.lost)].name) : "";
      // A power factor and an efficiency that nobody states are planning defaults: what only they exceed may well fit.
      const PsuSet& psus = *k.cords.psus;
      const bool stated =
          psus.power_factor || (c.spec.site && c.spec.site->supply && c.spec.site->supply->power_factor);
      const double factor = psus.power_factor ? *psus.power_factor : power_factor(c);
      // At the limit of its supplies a node takes less where they lose less; else no more than its stated power.
      const double stated_watts = k.cords.load().watts;
      const double share = w.power.value < stated_watts ? (psus.efficiency ? 1 : kLeastLoss)
                                                        : stated_watts / std::max(w.power.value, 1.0);
      const double least = w.amps.value * (stated ? 1 : factor) * share;
      const bool surely = above(least, outlet_rating(c, *inlet).value);
      Finding& f = findings.add(
          surely ? rule.severity : Severity::warning, rule.id, device_place(in, device),
          format("{}each cord of {} carries {}, but a {} outlet is rated for {}", when, each_device_text(in, device),
                 to_text(w.amps), *inlet == InletKind::c14 ? "C13" : "C19", to_text(outlet_rating(c, *inlet))));
      f.label(format("{} / {:.2f} power factor / {} / {}", to_text(w.power), factor,
                     w.alive == 1 ? "1 supply" : format("{} supplies", w.alive), to_text(w.volts)));
      f.note(g.pdus[w.pdu].span, "the device is plugged into this PDU");
      mention_unconfirmed(f, inlet, format("the inlet of '{}'", device_model(in.plan, device)));
      mention_unconfirmed(f, psus.power_factor, format("the power factor of '{}'", device_model(in.plan, device)));
      mention_unconfirmed(f, psus.input_current, format("the input current of '{}'", device_model(in.plan, device)));
      if (device.kind == DeviceKind::node)
        mention_unconfirmed(f, c.nodes[static_cast<std::size_t>(device.group)].server.power,
                            format("the power of '{}'", device_model(in.plan, device)));
      if (!surely) {
        f.note({}, format("{} of the supplies {} assumed: at the best usual values each cord carries {}",
                          stated            ? "the efficiency"
                          : psus.efficiency ? "the power factor"
                                            : "power factor and efficiency",
                          stated || psus.efficiency ? "is" : "are", to_text(Amperes(least))));
        f.help("write what the label of a supply says: `psus: { input_current: 16 A }`");
      }
      f.help(*inlet == InletKind::c14 ? "use supplies with C20 inlets, more supplies, or a higher voltage"
                                      : "use more supplies or a higher voltage");
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

extern const Rule kPowerCordOverOutletRating;  // registry.cc names it
const Rule kPowerCordOverOutletRating = {
    .id = "power-cord-over-outlet-rating",
    .code = "PWR-012",
    .severity = Severity::error,
    .physics = true,
    .summary = "a cord carries more current than its outlet is rated for",
    .explanation = R"(## What it checks

The current of each cord stays within the continuous rating of its outlet and plug, also with the supplies that remain
after the loss of a feed.

## Why it matters

An overloaded outlet does not trip: it scorches, then melts, behind the rack.

## Formula

```
power of the device / power factor / supplies alive / voltage across one load <= rating of the outlet
  no more than `psus: { input_current: … }`, which the label of the supply states
  power factor: of the supply (`psus: { power_factor: … }`), else of the site
C13: 10 A (iec), 12 A (na: 80 % of 15 A)      C19: 16 A (iec; na: 80 % of 20 A)
```

Unit: A on both sides; power in W, voltage in V.

Source: IEC 60320 (ratings of couplers); UL listings of 15 A and 20 A with NFPA 70 (NEC) 210.23 for 80 %.

Error: none beyond its inputs where power factor and efficiency are stated. Defaults (0.96 and 0.94) can make the
current up to 6 % too high; what only they exceed is a warning.

## Example

3.2 kW through one C14 inlet at 208 V: 3,200 / 0.96 / 208 = 16 A, a C13 outlet carries 12 A.

## How to fix

Supplies with C20 inlets, more of them, a higher voltage, or a power cap.

A warning where only the assumed power factor and efficiency exceed the rating: with a power factor of 1 and 96 %
(80 PLUS Titanium) the outlet would hold.

## When to accept

Never where the figures are confirmed: it is against the rating of the part that carries the load. Where they are not
confirmed, or assumed, the label of the supply may state less.
)",
    .check = power_cord_over_outlet_rating,
};

}  // namespace clusterc
