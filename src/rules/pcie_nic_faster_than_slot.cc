#include "model/pcie.h"
#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"

namespace clusterc {
namespace {

// What packet headers and flow control leave of the coded rate with payloads of 256 bytes (20 to 28 bytes of overhead a
// packet).
constexpr double kUsableShare = 0.90;

// Places in the spec only: a figure of the catalogue is not the user's to change.
SourceSpan in_spec(const Cluster& c, SourceSpan s) { return s.file == c.spec.span.file ? s : SourceSpan{}; }

void pcie_nic_faster_than_slot(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  for (std::size_t gi = 0; gi < c.nodes.size(); ++gi) {
    const NodeGroupModel& g = c.nodes[gi];
    const ServerModel& s = g.server;
    if (!is_ours(g) || g.count == 0) continue;
    const PcieTree& tree = in.plan.pcie_tree(gi);
    for (std::size_t set = 0; set < s.nics.size(); ++set) {
      const NicSet& nics = s.nics[set];
      if (!nics.part) continue;
      const NicDemand asked = nic_demand(c, static_cast<int>(gi), static_cast<int>(set));
      const BitsPerSecond wanted = asked.all;
      if (wanted.value <= 0) continue;
      // The narrowest of those in the tree; without a tree the card in a slot of the chassis.
      const PcieDevice* narrowest = nullptr;
      for (const PcieDevice& d : tree.devices)
        if (d.kind == PcieDeviceKind::nic && d.set == static_cast<int>(set) && d.rate.value > 0 &&
            (!narrowest || d.rate < narrowest->rate))
          narrowest = &d;
      std::int64_t lanes = narrowest ? narrowest->lanes : nics.part->pcie_lanes.value_or(0);
      std::int64_t generation = narrowest ? narrowest->generation : nics.part->pcie_generation.value_or(0);
      if (!narrowest)
        for (const Value<std::int64_t>* limit : {&s.part.pcie_generation, s.cpu ? &s.cpu->pcie_generation : nullptr})
          if (limit && *limit && (generation == 0 || **limit < generation)) generation = **limit;
      if (lanes == 0 || generation == 0) {
        findings.note(rule.id, nics.span,
                      format("'{}' states no `{}`, so it was not checked whether its slot in group '{}' carries {}",
                             nics.model, lanes == 0 ? "pcie_lanes" : "pcie_generation", g.name, to_text(wanted)));
        continue;
      }
      const BytesPerSecond coded = pcie_link_rate(generation, lanes);
      const BitsPerSecond usable = bits_of(coded) * kUsableShare;
      if (coded.value <= 0 || !above(wanted.value, usable.value)) continue;
      const SourceSpan at =
          first_place(narrowest && narrowest->slot ? written(narrowest->slot->generation) : SourceSpan{},
                      narrowest && narrowest->slot ? written(narrowest->slot->lanes) : SourceSpan{},
                      narrowest && narrowest->slot ? written(narrowest->slot->device) : SourceSpan{},
                      in_spec(c, nics.span), in_spec(c, s.span), g.span);
      // One port alone that is too fast never reaches its rate; several only compete when all are busy. A fabric
      // manager sends management datagrams, a share of a percent of either figure.
      const bool alone = above(asked.fastest.value, usable.value);
      if (g.only_manages_fabrics()) {
        findings
            .note(rule.id, at,
                  format("'{}' of group '{}' carries {} over PCIe {}.0 x{} instead of {}: enough, because '{}' only "
                         "manages fabrics",
                         nics.name, g.name, to_text(usable, 3), generation, lanes, to_text(wanted), g.name))
            .object("nodes." + g.name);
        continue;
      }
      Finding& f = findings.add(
          alone ? Severity::error : Severity::warning, rule.id, at,
          format("'{}' of group '{}' must carry {}{}, but PCIe {}.0 x{} carries {}", nics.name, g.name, to_text(wanted),
                 alone ? "" : " on all its ports at once", generation, lanes, to_text(usable, 3)));
      f.label(format("{} x {} GB/s x 8 x {:.2f} usable = {}", lanes,
                     format("{:.4g}", coded.value / 1e9 / static_cast<double>(lanes)), kUsableShare,
                     to_text(usable, 3)));
      if (!in_spec(c, nics.span).valid() && nics.span.valid()) f.note(nics.span, format("the adapters of '{}'", s.id));
      if (narrowest)
        f.note(narrowest->slot ? narrowest->slot->span : SourceSpan{},
               format("'{}' is in {}", narrowest->name, narrowest->slot_name));
      mention_unconfirmed(f, nics.part->pcie_generation, format("the PCIe generation of '{}'", nics.model));
      f.help(format(
          "use a slot of a later generation or with more lanes, or a network rate of {} or less for each adapter",
          to_text(usable, 3)));
      f.object("nodes." + g.name);
    }
  }
}

}  // namespace

extern const Rule kPcieNicFasterThanSlot;  // registry.cc names it
const Rule kPcieNicFasterThanSlot = {
    .id = "pcie-nic-faster-than-slot",
    .code = "PCIE-003",
    .severity = Severity::error,
    .physics = false,
    .summary = "a network adapter is faster than its slot",
    .explanation = R"(## What it checks

The slot of a network adapter carries what its networks need: all ports in use, each at the rate of its network, at the
same time. It is an error if one port alone exceeds the slot, and a warning if only all ports together do. On nodes that are
fabric managers and nothing else it is a note: they send management datagrams, and users' traffic does not pass them.

## Why it matters

The link comes up at its full rate and every status page is green, but transfers stop at the PCIe limit. Only a
measurement shows it.

## Formula

```
ports in use x rate <= lanes x rate of a lane x 8 x 0.90
rate of a lane, one direction, after coding: generation 3 0.985, 4 1.969, 5 3.938, 6 7.375 GB/s
generation and lanes: the lowest of card, slot, PCIe switch and processor
```

Unit: bit/s on both sides; rate of a lane in B/s.

Source: PCI Express Base Specification (8b/10b, 128b/130b, 236/256 flit bytes); 0.90: 20 to 28 bytes of overhead for 256 bytes of payload.

Error: 0.90 is 0 to 3 % below what the headers alone leave (256 of 284 to 276 bytes).

## Example

A 400 Gb/s adapter in a slot of generation 4 with 16 lanes: 16 x 1.969 GB/s x 8 x 0.90 = 227 Gb/s.

## How to fix

Use a slot of generation 5, the second half of a socket-direct pair, or a lower network rate.

## When to accept

Where the second port is for fail-over only and never carries load at the same time as the first.
)",
    .check = pcie_nic_faster_than_slot,
};

}  // namespace clusterc
