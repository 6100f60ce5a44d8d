#include "plan/plan.h"
#include "rules/pcie_say.h"
#include "rules/rule.h"

namespace clusterc {
namespace {

void pcie_bifurcation_unsupported_by_slot(const Rule& rule, const RuleInput& in, Findings& findings) {
  for (const NodeGroupModel& g : in.cluster.nodes) {
    const ServerModel& s = g.server;
    if (!is_ours(g) || g.count == 0) continue;
    for (const auto& socket : s.part.pcie)
      for (const auto& entry : socket.value.slots) {
        const PcieSlot& slot = entry.value;
        const std::int64_t held = static_cast<std::int64_t>(slot.devices.size()) + (slot.device ? 1 : 0);
        const std::string needed = needed_split(slot, held);
        if (needed.empty()) continue;
        const SourceSpan at = first_place(slot.devices.empty() ? SourceSpan{} : in_spec(slot.devices.front().span, g),
                                          in_spec(entry.name_span, g), s.span);
        if (slot.splits.empty()) {
          findings.note(rule.id, at,
                        format("slot '{}' of '{}' holds {} but states no `splits`, so it was not checked whether the "
                               "board can split it {}",
                               entry.name, g.name, plural(held, "device"), needed));
          continue;
        }
        std::string known;
        bool can = false, confirmed = true;
        for (const Value<std::string>& way : slot.splits) {
          if (!way) continue;
          can = can || *way == needed;
          confirmed = confirmed && way.confirmed;
          known += (known.empty() ? "" : ", ") + *way;
        }
        if (can) continue;
        Finding& f = findings.add(rule.severity, rule.id, at,
                                  format("slot '{}' of '{}' must be split {} for {}, but the board only splits it {}",
                                         entry.name, g.name, needed, plural(held, "device"), known));
        f.label(format("{} lanes for {}", slot.lanes.value_or(16), plural(held, "device")));
        f.note(slot.splits.front().span, "the splits that the board supports");
        f.help("use another slot, or a carrier with its own PCIe switch (`switches`, `through`)");
        f.object("nodes." + g.name);
        f.unconfirmed = !confirmed;
      }
  }
}

}  // namespace

extern const Rule kPcieBifurcationUnsupportedBySlot;  // registry.cc names it
const Rule kPcieBifurcationUnsupportedBySlot = {
    .id = "pcie-bifurcation-unsupported-by-slot",
    .code = "PCIE-011",
    .severity = Severity::error,
    .physics = true,
    .summary = "a slot must be split in a way that the board does not support",
    .explanation = R"(## What it checks

A slot that several devices share can be split as they need (bifurcation).

## Why it matters

A carrier with four drives in a slot that does not split shows one drive. The other three are not detected.

## Formula

```
devices of a slot rounded up to a power of two = parts; parts x (lanes / parts) is one of its `splits`
```

Unit: parts of a slot and lanes of each, both counted.

Root ports split in halves: two, four or eight parts.

Source: PCI Express Base Specification (a link has one width); manual of the board for its list; OCP NIC 3.0 for the modes of its cards.

Error: none beyond its inputs.

## Example

`slot6: { devices: ['drives.data[0]', 'drives.data[1]', 'drives.data[2]', 'drives.data[3]'], splits: [2x8] }`: 4x4 is needed.

## How to fix

Use another slot, a carrier with a switch, or firmware that offers the split; then state it in `splits`.

## When to accept

Never: without the split the other devices have no lanes.
)",
    .check = pcie_bifurcation_unsupported_by_slot,
};

}  // namespace clusterc
