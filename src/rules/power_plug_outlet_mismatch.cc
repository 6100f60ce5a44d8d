#include "plan/plan.h"
#include "rules/cord_faults.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/network.h"
#include "spec/site.h"

namespace clusterc {
namespace {

// A PDU made for the other side of the ocean: its plug finds no receptacle, its breaker another rule.
void check_region(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  const Value<Region>& region = c.spec.site->region;
  std::vector<const PduPart*> told;
  for (const RackGroupModel& g : c.racks)
    for (const PduModel& pdu : g.pdus) {
      if (!pdu.part || !pdu.part->region || !region || *pdu.part->region == *region ||
          std::find(told.begin(), told.end(), pdu.part) != told.end())
        continue;
      told.push_back(pdu.part);
      Finding& f = findings.error(rule.id, pdu.span,
                                  format("'{}' is made for region {}, but the site is in region {}", pdu.model,
                                         enum_text(*pdu.part->region), enum_text(*region)));
      f.label(pdu.part->inlet ? format("its plug is {}", *pdu.part->inlet) : "");
      f.note(region.span, "the region of the site");
      mention_unconfirmed(f, pdu.part->region, format("the region of '{}'", pdu.model));
      f.help(format("use a PDU for region {} (`clusterc catalog pdus`)", enum_text(*region)));
    }
}

void check_outlets(const Rule& rule, const RuleInput& in, Findings& findings, const std::vector<PowerClass>& classes,
                   std::size_t group) {
  const RackGroupModel& g = in.cluster.racks[group];
  // No outlet of the kind on a PDU that the device is plugged into; where there are some,
  // power-outlet-missing-or-reused counts them.
  const auto lacks = [&](const DeviceCords& d, std::size_t i) {
    if (d.on[i] == 0 || !g.pdus[i].part || !d.psus->inlet ||
        (*d.psus->inlet != InletKind::c14 && *d.psus->inlet != InletKind::c20))
      return false;
    const Outlets o = outlets_of(*g.pdus[i].part);
    return o.known && o.either + (*d.psus->inlet == InletKind::c14 ? o.c13 : o.c19) == 0;
  };
  const auto excess = [&](const DeviceCords& d) {
    std::int64_t n = 0;
    for (std::size_t i = 0; i < g.pdus.size(); ++i) n += lacks(d, i) ? d.on[i] : 0;
    return static_cast<double>(n);
  };
  for (const CordFault& k : failing_cords(in, classes, static_cast<std::int64_t>(group), excess)) {
    std::size_t at = 0;
    while (!lacks(k.cords, at)) ++at;
    const PduModel& pdu = g.pdus[at];
    const RackedDevice& device = *k.cords.device;
    const bool c14 = *k.cords.psus->inlet == InletKind::c14;
    const Outlets o = outlets_of(*pdu.part);
    Finding& f = findings.error(rule.id, pdu.span,
                                format("'{}' has {}, but {} needs {} outlets for its {} inlets", pdu.model, o.text(),
                                       each_device_text(in, device), c14 ? "C13" : "C19", c14 ? "C14" : "C20"));
    f.note(device_place(in, device), format("{} in the racks of '{}', {} cords each", plural(k.devices, "device"),
                                            g.name, k.cords.load().supplies));
    if (!o.confirmed) {
      f.unconfirmed = true;
      f.note({}, format("the outlets of '{}' are not confirmed", pdu.model));
    }
    mention_unconfirmed(f, k.cords.psus->inlet, format("the inlet of '{}'", device_model(in.plan, device)));
    f.help(format("use a PDU with {} outlets, or with combined C13/C19 outlets", c14 ? "C13" : "C19"));
    f.object(device_owner(in.plan, device));
  }
}

// A tray that takes its current from a busbar has no cord; a server with cords finds no outlet on a busbar.
void check_busbar(const Rule& rule, const RuleInput& in, Findings& findings) {
  for (const NodeGroupModel& g : in.cluster.nodes) {
    const PsuSet* psus = g.server.part.psus ? &*g.server.part.psus : nullptr;
    if (!is_ours(g) || g.racks < 0 || g.assembly >= 0 || g.count == 0 || !psus || !psus->inlet) continue;
    const RackGroupModel& racks = in.cluster.racks[static_cast<std::size_t>(g.racks)];
    const bool busbar = racks.spec && racks.spec->busbar, takes_busbar = *psus->inlet == InletKind::busbar;
    const SourceSpan at = first_place(written(psus->inlet), in_spec(g.server.span, g), g.span);
    if (takes_busbar && !busbar && !racks.pdus.empty()) {
      Finding& f = findings.error(
          rule.id, at,
          format("'{}' is powered from a busbar, but the racks of '{}' have PDUs with cords", g.server.id, racks.name));
      f.note(racks.pdus.front().span, "these PDUs");
      mention_unconfirmed(f, psus->inlet, format("the inlet of '{}'", g.server.id));
      f.help("use an assembly with power shelves, racks with a `busbar`, or servers with supplies of their own");
      f.object("nodes." + g.name);
    } else if (!takes_busbar && busbar && racks.pdus.empty()) {
      Finding& f = findings.error(
          rule.id, at,
          format("'{}' has supplies with cords, but the racks of '{}' have only a busbar", g.server.id, racks.name));
      f.note(racks.spec->busbar->span, "the busbar of these racks");
      mention_unconfirmed(f, psus->inlet, format("the inlet of '{}'", g.server.id));
      f.help(
          "add `pdus` to these racks, or write `psus: { inlet: busbar }` if the server has a connector for the busbar");
      f.object("nodes." + g.name);
    }
  }
}

void power_plug_outlet_mismatch(const Rule& rule, const RuleInput& in, Findings& findings) {
  if (!in.cluster.own_site || !in.cluster.spec.site) return;
  check_region(rule, in, findings);
  const std::vector<PowerClass>& classes = in.plan.power_classes();
  for (std::size_t g = 0; g < in.cluster.racks.size(); ++g) check_outlets(rule, in, findings, classes, g);
  check_busbar(rule, in, findings);
}

}  // namespace

extern const Rule kPowerPlugOutletMismatch;  // registry.cc names it
const Rule kPowerPlugOutletMismatch = {
    .id = "power-plug-outlet-mismatch",
    .code = "PWR-013",
    .severity = Severity::error,
    .physics = true,
    .summary = "a plug does not fit its outlet",
    .explanation = R"(## What it checks

Plugs have outlets of their kind: C14 inlets need C13 outlets, C20 inlets need C19 outlets, busbar clips need a busbar.
PDUs are made for the electrical region of the site.

## Why it matters

Nothing can be switched on until the right parts are bought. A PDU for another region has another plug, another breaker
rule and another certificate, and an inspector will reject it.

## Formula

```
outlets of the cord's kind + combined outlets > 0 on every PDU that the device is plugged into
region of the PDU = region of the site
```

Unit: none. Kinds of plug are compared.

How many there are is counted by power-outlet-missing-or-reused.
Source: IEC 60320 (which coupler mates with which); IEC 60309 and NEMA WD 6 (plugs of PDUs in the two regions).

## Example

Nodes with C20 inlets on a PDU of 42 C13 outlets; `na-415-3ph-60` on a site of `region: iec`.

## How to fix

A PDU with the right outlets, or for the right region.

## When to accept

Never: the plug does not fit.
)",
    .check = power_plug_outlet_mismatch,
};

}  // namespace clusterc
