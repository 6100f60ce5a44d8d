#include "base/text.h"
#include "plan/plan.h"
#include "rules/cord_faults.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/network.h"
#include "spec/nodes.h"

namespace clusterc {
namespace {

double too_much(const PsuSet& p, Volts v) {
  if (p.input_max && above(v.value, p.input_max->value)) return v.value / p.input_max->value;
  if (p.input_min && above(p.input_min->value, v.value)) return p.input_min->value / v.value;
  return 0;
}

// The PDU that does worst by a device: how much, and its place.
std::pair<double, std::size_t> worst_pdu(const RackGroupModel& g, const DeviceCords& d) {
  std::pair<double, std::size_t> worst{0, 0};
  for (std::size_t i = 0; i < g.pdus.size(); ++i)
    if (const Value<Volts> v = g.pdus[i].part ? outlet_voltage(*g.pdus[i].part) : Value<Volts>();
        v && d.on[i] > 0 && too_much(*d.psus, *v) > worst.first)
      worst = {too_much(*d.psus, *v), i};
  return worst;
}

// The usual voltages that these supplies take, as the end of "use a PDU of …"; else their range.
std::string usable_voltages(const PsuSet& p, bool wall) {
  struct Usual {
    double volts;
    std::string_view at_a_pdu;
  };
  constexpr Usual kUsual[] = {{208, "208 V between lines"},
                              {230, "230 V to neutral of a 400 V supply"},
                              {240, "240 V to neutral of a 415 V supply"},
                              {120, "120 V"}};
  std::vector<std::string> out;
  for (const Usual& u : kUsual)
    if (too_much(p, Volts(u.volts)) == 0 && (u.volts > 120 || out.empty()))
      out.push_back(wall ? to_text(Volts(u.volts)) : std::string(u.at_a_pdu));
  if (out.size() > 1) {
    const std::string last = out.back();
    out.pop_back();
    return join(out, ", ") + " or " + last;
  }
  if (!out.empty()) return out.front();
  return p.input_min && p.input_max
             ? format("{} to {}", to_text(*p.input_min), to_text(*p.input_max))
             : format("{} {}", p.input_max ? "up to" : "at least", to_text(p.input_max ? *p.input_max : *p.input_min));
}

// Nodes that stand in no rack: the outlet of the building.
void check_wall(const Rule& rule, const Cluster& c, Findings& findings) {
  for (const NodeGroupModel& g : c.nodes) {
    if (!is_ours(g) || !g.spec || !g.spec->wall || !g.spec->wall->voltage || g.count == 0 || g.racks >= 0 ||
        g.assembly >= 0 || !g.server.part.psus)
      continue;
    const Value<Volts>& v = g.spec->wall->voltage;
    const PsuSet& psus = *g.server.part.psus;
    if (too_much(psus, *v) == 0) continue;
    const bool high = psus.input_max && above(v->value, psus.input_max->value);
    const Value<Volts>& limit = high ? psus.input_max : psus.input_min;
    Finding& f = findings.error(rule.id, v.span,
                                format("the supplies of each node of '{}' are rated {} {}, but the outlet supplies {}",
                                       g.name, high ? "up to" : "from", to_text(*limit), to_text(*v)));
    f.note(limit.span, "the range of the supply");
    mention_unconfirmed(f, limit, format("the input range of '{}'", g.server.id));
    f.help(format("use a circuit of {}, or supplies for {}", usable_voltages(psus, true), to_text(*v)));
    f.object("nodes." + g.name);
  }
}

void power_supply_voltage_out_of_range(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  if (!c.own_site) return;
  check_wall(rule, c, findings);
  const std::vector<PowerClass>& classes = in.plan.power_classes();
  for (std::size_t i = 0; i < c.racks.size(); ++i) {
    const RackGroupModel& g = c.racks[i];
    for (const CordFault& k : failing_cords(in, classes, static_cast<std::int64_t>(i),
                                            [&](const DeviceCords& d) { return worst_pdu(g, d).first; })) {
      const PduModel& pdu = g.pdus[worst_pdu(g, k.cords).second];
      const Volts v = *outlet_voltage(*pdu.part);
      const PsuSet& psus = *k.cords.psus;
      const RackedDevice& device = *k.cords.device;
      const bool high = psus.input_max && above(v.value, psus.input_max->value);
      const Value<Volts>& limit = high ? psus.input_max : psus.input_min;
      Finding& f = findings.error(
          rule.id, device_place(in, device),
          format("the supplies of {} are rated {} {}, but '{}' supplies {}", each_device_text(in, device),
                 high ? "up to" : "from", to_text(*limit), pdu.model, to_text(v)));
      f.note(pdu.span, "this PDU supplies the voltage",
             v < *pdu.part->voltage ? format("{} / sqrt(3), line to neutral", to_text(*pdu.part->voltage)) : "");
      f.note(limit.span, "the range of the supply");
      mention_unconfirmed(f, limit, format("the input range of '{}'", device_model(in.plan, device)));
      f.help(format("use a PDU of {}, or supplies for {}", usable_voltages(psus, false), to_text(v)));
      f.object(device_owner(in.plan, device));
    }
  }
}

}  // namespace

extern const Rule kPowerSupplyVoltageOutOfRange;  // registry.cc names it
const Rule kPowerSupplyVoltageOutOfRange = {
    .id = "power-supply-voltage-out-of-range",
    .code = "PWR-007",
    .severity = Severity::error,
    .physics = true,
    .summary = "a supply gets a voltage outside its rated input range",
    .explanation = R"(## What it checks

The voltage that a rack's PDUs, or the outlet of a node that stands in no rack (`wall`), apply to a supply is in the
range for which the supply's output is rated.

## Why it matters

A supply of 3.3 kW at 200-240 V gives half of it at 120 V, or does not start; at 277 V it is destroyed.

## Formula

```
input_min <= voltage across one load <= input_max
voltage across one load = the PDU's voltage; above 250 V of three phases / sqrt(3), line to neutral; wall.voltage
```

Unit: V on both sides.

Source: data sheets (catalogue); IEC 60320 rates C13 and C19 for 250 V, so no load on them sees more.

Error: voltages are nominal: the tolerance of the grid is not added.

## Example

A supply of 200-240 V behind a PDU of 480 V: 277 V to neutral.

## How to fix

Use a PDU or a circuit of another voltage, or supplies for this one.

## When to accept

Never: it is against the rating of the part.
)",
    .check = power_supply_voltage_out_of_range,
};

}  // namespace clusterc
