#include "plan/plan.h"
#include "rules/pcie_say.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/software.h"

namespace clusterc {
namespace {

constexpr std::int64_t kBestForStaging = 4;

bool on_two_sockets(const PcieTree& tree) {
  int first = -1;
  for (const PcieDevice& d : tree.devices)
    if (d.kind == PcieDeviceKind::gpu) {
      if (first >= 0 && d.socket != first) return true;
      first = d.socket;
    }
  return false;
}

void pcie_numa_setting_unsuited(const Rule& rule, const RuleInput& in, Findings& findings) {
  for (const NodeGroupModel& g : in.cluster.nodes) {
    const ServerModel& s = g.server;
    if (!is_ours(g) || g.count == 0 || !s.cpu) continue;
    const PcieTree& tree = in.plan.pcie_tree(static_cast<std::size_t>(&g - in.cluster.nodes.data()));
    const Value<std::int64_t>& nodes = g.software->nodes_per_socket;
    // The tree names NUMA nodes that this setting does not make.
    const PcieDevice* highest = nullptr;
    for (const PcieDevice& d : tree.devices)
      if (d.numa >= 0 && (!highest || d.numa > highest->numa)) highest = &d;
    if (highest && nodes && highest->numa >= *nodes * s.cpu_count) {
      Finding& f = findings.add(
          rule.severity, rule.id,
          first_place(in_spec(highest->slot->numa.span, g), in_spec(device_place(highest), g), s.span),
          format("{} of '{}' is on NUMA node {}, but {} with {} each have nodes 0 to {}", highest->name, g.name,
                 highest->numa, plural(s.cpu_count, "socket"), plural(*nodes, "NUMA node"), *nodes * s.cpu_count - 1));
      f.note(nodes.span, "the NUMA nodes of each socket");
      f.help("count NUMA nodes over the whole server from 0, or correct `nodes_per_socket`");
      f.object("nodes." + g.name);
      continue;
    }
    // GPUs on two EPYC sockets without links of their own: what crosses goes through host memory.
    if (s.cpu->vendor.value != Vendor::amd || s.cpu_count != 2 || !gpus_meet_on_pcie(s) || !on_two_sockets(tree))
      continue;
    if (!nodes) {
      findings.note(rule.id, s.span,
                    format("'{}' has no `software: {{ nodes_per_socket }}`, so it was not checked whether its GPUs "
                           "copy through host memory at full speed",
                           g.name));
      continue;
    }
    if (*nodes == kBestForStaging) continue;
    Finding& f = findings.add(
        rule.severity, rule.id, nodes.span,
        format("{} of each node of '{}' copy through host memory with {} NUMA {} per socket, but {} NUMA nodes are "
               "fastest",
               plural(s.gpu_count, "GPU"), g.name, *nodes, *nodes == 1 ? "node" : "nodes", kBestForStaging));
    f.note(s.span, format("'{}' has no link between its GPUs, and has two sockets of '{}'", s.id, s.cpu_model));
    f.help(format("write `nodes_per_socket: {}`, or keep the value and expect lower figures", kBestForStaging));
    f.object("nodes." + g.name);
  }
}

}  // namespace

extern const Rule kPcieNumaSettingUnsuited;  // registry.cc names it
const Rule kPcieNumaSettingUnsuited = {
    .id = "pcie-numa-setting-unsuited",
    .code = "PCIE-010",
    .severity = Severity::warning,
    .physics = false,
    .summary = "the number of NUMA nodes per socket is slow for the GPUs, or contradicts the PCIe tree",
    .explanation = R"(## What it checks

Where PCIe GPUs on two EPYC sockets have no link of their own, each socket has four NUMA nodes. The NUMA nodes that a
PCIe tree names exist.

## Why it matters

GPUs on different sockets exchange data through host memory. With one NUMA node per socket, an EPYC spreads each buffer
over all its memory channels, and the GPU's accesses cross the whole chip.

## Formula

```
two EPYC sockets, GPUs on both, no NVLink:  nodes_per_socket = 4
numa of a slot < sockets x nodes_per_socket
```

Unit: none. Settings are compared.

Source: github.com/NVIDIA/nccl-tests/issues/115 (NCCL's author: try four) and github.com/NVIDIA/nccl-tests/issues/74 (two EPYC 7302 with A40: fewer than four "very bad" through shared memory).

## Example

Eight L40S on two EPYC with `nodes_per_socket: 1`.

## How to fix

Set NPS4 in the firmware and write `nodes_per_socket: 4`; bind ranks and interrupts to the device's NUMA node.

## When to accept

Where applications want one large memory for each socket, or jobs take one GPU.
)",
    .check = pcie_numa_setting_unsuited,
};

}  // namespace clusterc
