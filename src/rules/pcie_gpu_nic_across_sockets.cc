#include "plan/plan.h"
#include "rules/pcie_say.h"
#include "rules/rule.h"
#include "spec/network.h"
#include "spec/software.h"

namespace clusterc {
namespace {

void pcie_gpu_nic_across_sockets(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  for (const NetworkModel& n : c.networks) {
    if (!n.carries_traffic(Traffic::compute) || !moves_memory(n)) continue;
    for (const EndPoints& e : n.ends) {
      if (e.group < 0 || e.ports < 0 || e.members == 0) continue;
      const NodeGroupModel& g = c.nodes[e.group];
      const ServerModel& s = g.server;
      // On superchips the GPU reaches the adapter over the chip's own link.
      if (!is_ours(g) || !s.gpu || s.gpu_count == 0 || s.gpu->form.value == GpuForm::superchip) continue;
      const int set = s.ports[e.ports].nics;
      if (set < 0) continue;
      const PcieTree& tree = in.plan.pcie_tree(static_cast<std::size_t>(e.group));
      std::int64_t across = 0, unknown = 0;
      const GpuNicPair* first = nullptr;
      const std::vector<GpuNicPair> pairs = pair_gpus_with_nics(s, tree, set);
      for (const GpuNicPair& p : pairs) {
        if (p.road.relation == PcieRelation::unknown) ++unknown;
        if (p.road.relation != PcieRelation::across_sockets) continue;
        if (!first) first = &p;
        ++across;
      }
      std::vector<std::string> unplaced;
      for (std::int64_t i = 0; i < s.nics[set].count; ++i)
        if (!tree.nic(set, i)) unplaced.push_back(format("nics.{}[{}]", s.nics[set].name, i));
      const auto without_place = static_cast<std::int64_t>(unplaced.size());
      if (unknown > 0 && without_place > 0 && without_place < s.nics[set].count)
        findings
            .note(rule.id, first_place(in_spec(s.nics[set].span, g), s.span),
                  format("the `pcie` tree has no place for {} of {} adapters of network '{}' in each node of '{}' "
                         "({}), so the paths of {} are unknown",
                         without_place, s.nics[set].count, n.name, g.name, name_list(unplaced, without_place),
                         plural(unknown, "GPU")))
            .help(format("write `pcie: {{ socket1: {{ slot10: \"{}\" }} }}`, with the socket and slot of the adapter",
                         unplaced.front()));
      else if (unknown > 0)
        findings.note(rule.id, s.span,
                      format("the `pcie` tree of '{}' does not show where {} of the {} GPUs and their adapters on "
                             "network '{}' are, so their paths were not checked",
                             s.id, unknown, s.gpu_count, n.name));
      if (!first) continue;
      const bool asked = g.software->gpudirect_rdma.value_or(false);
      const NicSet& nics = s.nics[set];
      const PcieDevice* gpu = tree.gpu(first->gpu);
      const PcieDevice* nic = tree.nic(set, first->nic);
      const SourceSpan at = first_place(in_spec(device_place(gpu), g), in_spec(nics.span, g), s.span);
      Finding& f = findings.add(asked ? Severity::error : Severity::warning, rule.id, at,
                                format("{} of {} GPUs in each node of '{}' reach '{}' only across the CPU sockets",
                                       across, s.gpu_count, g.name, nics.name));
      if (gpu && nic)
        f.label(format("{} on {}, {} on {} (SYS)", gpu->name, tree.sockets[static_cast<std::size_t>(gpu->socket)].name,
                       nic->name, tree.sockets[static_cast<std::size_t>(nic->socket)].name));
      if (device_place(nic).valid()) f.note(device_place(nic), format("the nearest adapter of network '{}'", n.name));
      if (asked) f.note(g.software->gpudirect_rdma.span, "GPUDirect RDMA is asked for here");
      f.help(s.nics[set].count < s.gpu_count
                 ? "use one adapter on each socket, or place all GPUs of a job on the adapter's socket"
                 : "move adapters so that each GPU has one on its own socket, best below its own PCIe switch");
      f.object("nodes." + g.name);
    }
  }
}

}  // namespace

extern const Rule kPcieGpuNicAcrossSockets;  // registry.cc names it
const Rule kPcieGpuNicAcrossSockets = {
    .id = "pcie-gpu-nic-across-sockets",
    .code = "PCIE-005",
    .severity = Severity::warning,
    .physics = false,
    .summary = "a GPU reaches its network adapter only across the CPU sockets",
    .explanation = R"(## What it checks

Each GPU reaches an adapter of its compute network without crossing to another CPU socket. A violation is a warning, and
an error where `software: { gpudirect_rdma: true }` asks for adapters that read GPU memory.

## Why it matters

PCIe traffic between sockets is slow: measurements show a fraction of the line rate, and libraries switch GPUDirect RDMA
off for such pairs.

## Formula

```
road of a GPU and its nearest adapter: same switch (PIX, PXB) > same socket (PHB, NODE) > across sockets (SYS)
```

Unit: none. Kinds of path are compared.

Source: the server's PCIe tree; words as in `nvidia-smi topo -m`. Seen: github.com/NVIDIA/nccl/issues/595 (3 GB/s of 25 on such pairs), github.com/NVIDIA/nccl/issues/489. Superchips are left out: there the adapter reaches the GPU over the chip's own link.

## Example

Four GPUs on two sockets and one adapter on the second: two GPUs must cross.

## How to fix

Use an adapter on each socket, best below one PCIe switch with its GPUs.

## When to accept

Where jobs use one node, or only the GPUs on the adapter's socket.
)",
    .check = pcie_gpu_nic_across_sockets,
};

}  // namespace clusterc
