#include "plan/plan.h"
#include "rules/pcie_say.h"
#include "rules/rule.h"

namespace clusterc {
namespace {

void pcie_link_trained_below_capability(const Rule& rule, const RuleInput& in, Findings& findings) {
  for (const NodeGroupModel& g : in.cluster.nodes) {
    const ServerModel& s = g.server;
    if (!is_ours(g) || g.count == 0 || !s.gpu) continue;
    const PcieTree& tree = in.plan.pcie_tree(static_cast<std::size_t>(&g - in.cluster.nodes.data()));
    const PcieDevice* worst = nullptr;
    std::int64_t slow = 0;
    for (const PcieDevice& d : tree.devices) {
      if (d.kind != PcieDeviceKind::gpu || d.rate.value <= 0 || d.card_lanes == 0 || d.card_generation == 0) continue;
      if (!above(pcie_link_rate(d.card_generation, d.card_lanes).value, d.rate.value)) continue;
      ++slow;
      if (!worst || d.rate < worst->rate) worst = &d;
    }
    if (!worst) continue;
    const BytesPerSecond can = pcie_link_rate(worst->card_generation, worst->card_lanes);
    const SourceSpan at = first_place(in_spec(written(worst->slot->generation), g),
                                      in_spec(written(worst->slot->lanes), g), in_spec(device_place(worst), g), s.span);
    Finding& f =
        findings.add(rule.severity, rule.id, at,
                     format("{} of '{}' {} at PCIe {}.0 x{} ({}), but '{}' supports {}.0 x{} ({})",
                            slow == 1 ? worst->name : format("{} GPUs of each node", slow), g.name,
                            slow == 1 ? "trains" : "train", worst->generation, worst->lanes, to_text(worst->rate, 3),
                            s.gpu_model, worst->card_generation, worst->card_lanes, to_text(can, 3)));
    f.label(format("{} of its rate", percent(worst->rate / can)));
    mention_unconfirmed(f, s.gpu->pcie_generation, format("the PCIe generation of '{}'", s.gpu_model));
    f.help(worst->parts > 1 ? "use a slot for this device alone"
                            : "use a wider slot or a later generation; if the spec was read from an existing machine: "
                              "reseat the card, replace the riser, and check again under load");
    f.object("nodes." + g.name);
  }
}

}  // namespace

extern const Rule kPcieLinkTrainedBelowCapability;  // registry.cc names it
const Rule kPcieLinkTrainedBelowCapability = {
    .id = "pcie-link-trained-below-capability",
    .code = "PCIE-013",
    .severity = Severity::warning,
    .physics = false,
    .summary = "a GPU has a slower PCIe link than it supports",
    .explanation = R"(## What it checks

The link of each GPU (limited by card, slot, board and processor) is as fast as the card supports.

## Why it matters

A link that trains with half its lanes or at an older generation still works. All transfers over it are slower for the
life of the machine, and nothing reports it.

## Formula

```
lanes x rate of a lane at the generation of the link >= lanes x rate of the card's own
```

Unit: B/s on both sides.

At rest a GPU may lower its link to 2.5 GT/s: judge what a machine reports under load only.

Source: PCI Express Base Specification (rates); data sheets (catalogue). Seen: github.com/janhq/jan/issues/183, where the rate at rest was taken for a fault.

Error: none beyond its inputs.

## Example

A GPU of generation 4 with 16 lanes in `slot3: { device: 'gpus[2]', generation: 3, lanes: 8 }`: a quarter of its rate.

## How to fix

Use a slot of the right generation and width. Where the spec was read from an existing machine: reseat the card, replace
the riser, update the retimers.

## When to accept

Where the GPU's data fit its memory and stay there.
)",
    .check = pcie_link_trained_below_capability,
};

}  // namespace clusterc
