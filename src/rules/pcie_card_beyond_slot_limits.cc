#include <algorithm>

#include "plan/plan.h"
#include "rules/pcie_say.h"
#include "rules/rule.h"

namespace clusterc {
namespace {

// Height and length, smallest first; a card goes into a place that is as large or larger. OCP 3.0 is a connector of its
// own.
int card_size(std::string_view card) { return card == "hhhl" ? 1 : card == "fhhl" ? 2 : card == "fhfl" ? 3 : 0; }
std::string_view card_words(std::string_view card) {
  return card == "hhhl"   ? "half height, half length"
         : card == "fhhl" ? "full height, half length"
         : card == "fhfl" ? "full height, full length"
                          : "OCP 3.0";
}

struct Card {
  std::string model;
  const Value<std::int64_t>* width = nullptr;
  const Value<std::string>* size = nullptr;
  const Value<Watts>* power = nullptr;
};
Card card_of(const ServerModel& s, const PcieDevice& d) {
  if (d.kind == PcieDeviceKind::gpu && s.gpu) return {s.gpu_model, &s.gpu->slot_width, &s.gpu->card, &s.gpu->tdp};
  if (d.kind == PcieDeviceKind::nic) {
    const NicSet& nics = s.nics[static_cast<std::size_t>(d.set)];
    if (nics.part) return {nics.model, nullptr, &nics.part->card, &nics.part->power};
  }
  return {};
}

struct Misfit {
  const PcieDevice* device;
  Card card;
  std::int64_t count;
};
void report(const Rule& rule, Findings& findings, const NodeGroupModel& g, const Misfit& m, const std::string& has,
            const std::string& gives, SourceSpan limit, bool confirmed) {
  Finding& f = findings.add(
      rule.severity, rule.id, first_place(in_spec(device_place(m.device), g), g.server.span),
      format("'{}' {}, but slot '{}' of '{}' {}{}", m.card.model, has, m.device->slot_name, g.name, gives,
             m.count > 1 ? format("; the same applies to {}", plural(m.count - 1, "other slot")) : std::string()));
  if (limit.valid() && !(limit == f.span)) f.note(limit, "the limit of the slot");
  f.help("use another slot or chassis, or a card of another size");
  f.object("nodes." + g.name);
  f.unconfirmed = !confirmed;
}

void check_slots(const Rule& rule, Findings& findings, const NodeGroupModel& g, const PcieTree& tree) {
  const ServerModel& s = g.server;
  Misfit wide{nullptr, {}, 0}, large{nullptr, {}, 0}, hungry{nullptr, {}, 0};
  const auto add = [](Misfit& m, const PcieDevice& d, const Card& card) {
    if (!m.device) m.device = &d, m.card = card;
    ++m.count;
  };
  for (const PcieDevice& d : tree.devices) {
    const Card card = card_of(s, d);
    if (card.model.empty()) continue;
    if (card.width && *card.width && d.slot->width && **card.width > *d.slot->width) add(wide, d, card);
    if (card.size && *card.size && d.slot->card && **card.size != "board") {
      const bool ocp = **card.size == "ocp3", ocp_slot = *d.slot->card == "ocp3";
      if (ocp != ocp_slot || card_size(**card.size) > card_size(*d.slot->card)) add(large, d, card);
    }
    if (card.power && *card.power && d.slot->power && above((*card.power)->value, d.slot->power->value))
      add(hungry, d, card);
  }
  if (wide.device)
    report(rule, findings, g, wide, format("is {} wide", plural(**wide.card.width, "slot")),
           format("has a width of {}", *wide.device->slot->width), wide.device->slot->width.span,
           wide.card.width->confirmed && wide.device->slot->width.confirmed);
  if (large.device)
    report(rule, findings, g, large, format("is {}", card_words(**large.card.size)),
           format("is for {}", card_words(*large.device->slot->card)), large.device->slot->card.span,
           large.card.size->confirmed && large.device->slot->card.confirmed);
  if (hungry.device)
    report(rule, findings, g, hungry, format("draws {}", to_text(**hungry.card.power)),
           format("supplies {}", to_text(*hungry.device->slot->power)), hungry.device->slot->power.span,
           hungry.card.power->confirmed && hungry.device->slot->power.confirmed);
}

// More cards than the chassis has x16 slots for.
void check_count(const Rule& rule, Findings& findings, const NodeGroupModel& g) {
  const ServerModel& s = g.server;
  if (!s.part.pcie_slots) return;
  std::int64_t adapters = 0, gpus = 0;
  for (const NicSet& n : s.nics)
    if (!n.part || !n.part->card || (*n.part->card != "board" && *n.part->card != "ocp3")) adapters += n.count;
  if (s.gpu && s.gpu->form.value == GpuForm::pcie && s.part.gpu_slots.value_or(0) > 0)
    gpus = std::min(s.gpu_count, *s.part.gpu_slots);  // too many GPUs: another rule
  if (adapters + gpus <= *s.part.pcie_slots) return;
  const auto& nics = s.nics.back();
  // A planning figure of a generic chassis fails nobody's design.
  Finding& f = findings.add(s.part.pcie_slots.confirmed ? rule.severity : Severity::warning, rule.id,
                            first_place(in_spec(nics.span, g), s.span),
                            format("{} of each node of '{}' need a slot, but '{}' has {}",
                                   plural(adapters + gpus, "card"), g.name, s.id, *s.part.pcie_slots));
  f.label(gpus > 0 ? format("{} GPUs + {}", gpus, plural(adapters, "adapter")) : plural(adapters, "adapter"));
  if (s.part.pcie_slots.span.valid()) f.note(s.part.pcie_slots.span, "the slots of the chassis");
  mention_unconfirmed(f, s.part.pcie_slots, format("the number of slots of '{}'", s.id));
  f.help("use fewer cards, cards with more ports, or a larger chassis");
  f.object("nodes." + g.name);
  f.unconfirmed = !s.part.pcie_slots.confirmed;
}

void pcie_card_beyond_slot_limits(const Rule& rule, const RuleInput& in, Findings& findings) {
  for (const NodeGroupModel& g : in.cluster.nodes) {
    if (!is_ours(g) || g.count == 0) continue;
    check_slots(rule, findings, g, in.plan.pcie_tree(static_cast<std::size_t>(&g - in.cluster.nodes.data())));
    check_count(rule, findings, g);
  }
}

}  // namespace

extern const Rule kPcieCardBeyondSlotLimits;  // registry.cc names it
const Rule kPcieCardBeyondSlotLimits = {
    .id = "pcie-card-beyond-slot-limits",
    .code = "PCIE-012",
    .severity = Severity::error,
    .physics = true,
    .summary = "a card does not fit its slot, or draws more than the slot supplies",
    .explanation = R"(## What it checks

Each card fits its slot in width and size, and draws no more than the slot and its cable supply. The chassis has a slot
for every card.

## Why it matters

A card of double width covers the next slot; a full-length card does not fit behind the fans; a card of 600 W on a cable
coded for 450 W runs at 450 W or not at all.

## Formula

```
width of the card <= width of the slot
size: hhhl < fhhl < fhfl; OCP 3.0 takes only OCP 3.0
power of the card <= power of the slot (75 W without a cable)
adapters + PCIe GPUs <= x16 slots of the chassis
```

Unit: widths and W on both sides; slots are counted, sizes compared by name.

Source: PCI Express Card Electromechanical Specification (sizes, 75 W, coding of the 12V-2x6 cable); OCP NIC 3.0; data sheets of card and chassis (catalogue).

Error: none beyond its inputs.

## Example

A GPU of two widths in `slot4: { device: 'gpus[3]', width: 1 }`.

## How to fix

Use another slot, another chassis, or a smaller version of the card.

## When to accept

Never for limits from a data sheet: the card does not fit. The slot count of a generic chassis is a planning figure that
may be wrong, so it gives only a warning: state the real one.
)",
    .check = pcie_card_beyond_slot_limits,
};

}  // namespace clusterc
