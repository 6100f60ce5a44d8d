#include "base/text.h"
#include "model/pcie.h"
#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"

namespace clusterc {
namespace {

void pcie_lanes_beyond_sockets(const Rule& rule, const RuleInput& in, Findings& findings) {
  for (const NodeGroupModel& g : in.cluster.nodes) {
    const ServerModel& s = g.server;
    if (!is_ours(g) || g.count == 0) continue;
    if (s.part.pcie.empty()) {
      if (s.gpu_count == 0) continue;  // a few adapters: nothing that runs out of lanes
      findings.note(rule.id, s.span,
                    format("'{}' has no `pcie` tree, so the lanes of group '{}' were not counted", s.id, g.name));
      continue;
    }
    const PcieTree& tree = in.plan.pcie_tree(static_cast<std::size_t>(&g - in.cluster.nodes.data()));
    for (const PcieTreeSocket& socket : tree.sockets) {
      if (socket.lanes == 0) {
        findings.note(rule.id, s.span,
                      format("'{}' states no `pcie_lanes`, so those of group '{}' were not counted",
                             s.cpu_model.empty() ? s.id : s.cpu_model, g.name));
        break;
      }
      const bool epyc_pair = socket.between > 0;
      const std::int64_t usable = socket.lanes;
      if (socket.lanes_used <= usable) continue;
      const std::size_t index = static_cast<std::size_t>(&socket - tree.sockets.data());
      std::int64_t gpus = 0, nics = 0, drives = 0, uplinks = 0;
      for (const PcieDevice& d : tree.devices)
        if (d.socket == static_cast<int>(index) && d.through < 0)
          (d.kind == PcieDeviceKind::gpu   ? gpus
           : d.kind == PcieDeviceKind::nic ? nics
                                           : drives) +=
              d.kind == PcieDeviceKind::drive && d.parts == 1 ? d.lanes : d.slot->lanes.value_or(16) / d.parts;
      for (const PcieTreeSwitch& sw : tree.switches)
        if (sw.socket == static_cast<int>(index) && sw.through < 0) uplinks += sw.uplink_lanes;
      std::vector<std::string> parts;
      if (gpus) parts.push_back(format("GPUs {}", gpus));
      if (nics) parts.push_back(format("adapters {}", nics));
      if (drives) parts.push_back(format("drives {}", drives));
      if (uplinks) parts.push_back(format("switch uplinks {}", uplinks));
      const auto* spec_socket = s.part.pcie.find(socket.name);
      const SourceSpan name_span = spec_socket ? spec_socket->name_span : socket.span;
      Finding& f =
          findings.error(rule.id, first_place(in_spec(name_span, g), in_spec(socket.span, g), s.span),
                         format("{} of '{}' needs {} PCIe lanes, but {} {}", socket.name, g.name, socket.lanes_used,
                                usable, epyc_pair ? "remain beside the links between the sockets" : "exist"));
      f.label(join(parts, " + ") + format(" = {}", socket.lanes_used));
      if (s.cpu && s.cpu->pcie_lanes.span.valid()) {
        f.note(s.cpu->pcie_lanes.span, epyc_pair
                                           ? format("{} lanes of one socket, {} of them for {} links to the other{}",
                                                    *s.cpu->pcie_lanes, socket.between, socket.between / 16,
                                                    *s.cpu->pcie_lanes > socket.lanes + socket.between
                                                        ? format("; the board brings out {}", socket.lanes)
                                                        : std::string())
                                           : std::string("the lanes of one socket"));
        mention_unconfirmed(f, s.cpu->pcie_lanes, format("the number of lanes of '{}'", s.cpu_model));
      }
      f.help("use PCIe switches (`switches`, `through`), or move devices to the other socket");
      f.object("nodes." + g.name);
    }
    for (const PcieTreeSwitch& sw : tree.switches) {
      if (sw.lanes == 0 || sw.lanes_used <= sw.lanes) continue;
      const PcieSwitch* said = nullptr;
      for (const auto& e : s.part.pcie.find(tree.sockets[static_cast<std::size_t>(sw.socket)].name)->value.switches)
        if (e.name == sw.name) said = &e.value;
      Finding& f = findings.error(
          rule.id, first_place(said ? in_spec(said->lanes.span, g) : SourceSpan{}, in_spec(sw.span, g), s.span),
          format("PCIe switch '{}' of '{}' has {} lanes, but {} are used", sw.name, g.name, sw.lanes, sw.lanes_used));
      f.label(format("uplink {} + slots and switches below {}", sw.uplink_lanes, sw.lanes_used - sw.uplink_lanes));
      if (said) mention_unconfirmed(f, said->lanes, format("the number of lanes of '{}'", sw.name));
      f.help("use a larger switch, a second one, or fewer devices below it");
      f.object("nodes." + g.name);
    }
  }
}

}  // namespace

extern const Rule kPcieLanesBeyondSockets;  // registry.cc names it
const Rule kPcieLanesBeyondSockets = {
    .id = "pcie-lanes-beyond-sockets",
    .code = "PCIE-001",
    .severity = Severity::error,
    .physics = true,
    .summary = "a CPU socket has fewer PCIe lanes than its devices use",
    .explanation = R"(## What it checks

The devices and PCIe switches connected to a socket use no more lanes than it has. The same is checked for every PCIe
switch that states its `lanes`: uplink, slots and switches below it.

## Why it matters

A device in a slot without lanes is not detected, or the board splits the lanes and the devices beside it run at half
their rate.

## Formula

```
sum of lanes of devices straight on the socket + uplinks of its switches <= lanes of the socket
two EPYC sockets: 128 - 3 x 16 = 80 lanes each (160 in all), since the sockets talk over the rest; fewer where the board states `pcie_lanes`
uplink + slots + uplinks of switches below <= lanes of a PCIe switch
```

Unit: lanes on both sides.

Source: data sheet of the processor (catalogue); AMD, EPYC 9004 architecture overview: two sockets have 128 lanes with four xGMI links, 160 with three.
The management controller and boot devices are not in the tree and not in the sum.

Error: the sum is too low by the lanes of the management controller and of boot devices.

## Example

One socket of 128 lanes with 8 GPUs x16 and one adapter x16: 144 lanes.

## How to fix

Use PCIe switches with one x16 uplink for several devices, a second socket, or fewer devices.

## When to accept

Never: the lanes do not exist.
)",
    .check = pcie_lanes_beyond_sockets,
};

}  // namespace clusterc
