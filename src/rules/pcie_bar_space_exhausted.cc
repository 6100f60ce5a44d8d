#include <bit>

#include "plan/plan.h"
#include "rules/pcie_say.h"
#include "rules/rule.h"

namespace clusterc {
namespace {

// A data-centre GPU asks for its whole memory, rounded up to a power of two, as PCI asks of every region (PCI Local Bus
// Specification 3.0, 6.2.5.1).
Bytes rounded_up(Bytes memory) {
  return Bytes(static_cast<double>(std::bit_ceil(static_cast<std::uint64_t>(memory.value))));
}

void pcie_bar_space_exhausted(const Rule& rule, const RuleInput& in, Findings& findings) {
  for (const NodeGroupModel& g : in.cluster.nodes) {
    const ServerModel& s = g.server;
    if (!is_ours(g) || g.count == 0 || !s.part.bar_window || !s.gpu || s.gpu_count == 0) continue;
    if (s.gpu->form.value == GpuForm::superchip) continue;  // its memory is the system's
    if (!s.gpu->bar && !s.gpu->memory) {
      findings.note(rule.id, s.part.bar_window.span,
                    format("'{}' states neither `bar` nor `memory`, so the PCIe address space of '{}' was not checked",
                           s.gpu_model, g.name));
      continue;
    }
    const Bytes each = s.gpu->bar ? rounded_up(*s.gpu->bar) : rounded_up(*s.gpu->memory);
    const Bytes wanted = each * static_cast<double>(s.gpu_count);
    if (!above(wanted.value, s.part.bar_window->value)) continue;
    Finding& f = findings.add(rule.severity, rule.id, first_place(in_spec(s.part.bar_window.span, g), s.span),
                              format("{} of each node of '{}' need {} of address space, but the board provides {}",
                                     plural(s.gpu_count, "GPU"), g.name, to_text(wanted), to_text(*s.part.bar_window)));
    f.label(format("{} x {}", s.gpu_count, to_text(each)));
    if (!s.gpu->bar)
      f.note(s.span,
             format("'{}' states no `bar`: its memory is used instead, rounded up to a power of two", s.gpu_model));
    else
      mention_unconfirmed(f, s.gpu->bar, format("the address space of '{}'", s.gpu_model));
    f.help("enable the larger window for devices above 4 GiB in the firmware, or use another board");
    f.object("nodes." + g.name);
  }
}

}  // namespace

extern const Rule kPcieBarSpaceExhausted;  // registry.cc names it
const Rule kPcieBarSpaceExhausted = {
    .id = "pcie-bar-space-exhausted",
    .code = "PCIE-014",
    .severity = Severity::warning,
    .physics = false,
    .summary = "the devices need more PCIe address space than the board provides",
    .explanation = R"(## What it checks

The GPUs of a node need no more 64-bit address space than its board provides. The rule applies where the server states
`bar_window`.

## Why it matters

Devices that do not fit are left out at boot: GPUs are missing after the power-on test, and no log says why.

## Formula

```
GPUs x bar, rounded up to a power of two <= bar_window
bar: BAR1 of the GPU; where the catalogue gives none, its memory
```

Unit: bytes on both sides.

Source: PCI Local Bus Specification 3.0, section 6.2.5.1 (regions are powers of two); `nvidia-smi -q` for BAR1; manual of the board for its window (MMIO high).

Error: none beyond its inputs where the BAR1 of the GPU is known. Where its memory is taken, the error is not known.

## Example

Eight H200 of 141 GB (256 GiB each) on a board with a window of 1 TiB: 2 TiB are needed.

## How to fix

Enable decoding above 4 GiB and the larger window in the firmware, or take another board.

## When to accept

Where the board's firmware is known to provide more than its manual states.
)",
    .check = pcie_bar_space_exhausted,
};

}  // namespace clusterc
