#include <algorithm>

#include "plan/plan.h"
#include "rules/pcie_say.h"
#include "rules/rule.h"
#include "spec/network.h"

namespace clusterc {
namespace {

bool has_rails(const NetworkModel& n) {
  return n.spec->topology &&
         (*n.spec->topology == NetworkTopology::rail_optimised || *n.spec->topology == NetworkTopology::rail_only);
}

void pcie_gpu_rail_pairing_broken(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  for (const NetworkModel& n : c.networks) {
    if (!has_rails(n) || n.shares >= 0) continue;
    const std::int64_t rails = n.spec->rails.value_or(0);
    if (rails <= 1) continue;
    for (const EndPoints& e : n.ends) {
      if (e.group < 0 || e.ports < 0 || e.members == 0) continue;
      const NodeGroupModel& g = c.nodes[static_cast<std::size_t>(e.group)];
      const ServerModel& s = g.server;
      // Nodes without GPUs (fabric managers, gateways) have no rail of their own.
      if (!s.known || s.gpu_count == 0) continue;
      const SourceSpan at = first_place(written(n.spec->rails), e.span, n.span);
      if (e.ports_each % rails != 0) {
        Finding& f = findings.add(rule.severity, rule.id, at,
                                  format("{} of each node of '{}' cannot be divided over {} rails of network '{}'",
                                         plural(e.ports_each, "port"), g.name, rails, n.name));
        f.label(format("{} modulo {} = {}", e.ports_each, rails, e.ports_each % rails));
        if (e.span.valid() && !(e.span == at)) f.note(e.span, format("the ports of '{}'", g.name));
        f.help(rails > e.ports_each
                   ? format("write `rails: {}`, or use {} more ports in each node", e.ports_each, rails - e.ports_each)
                   : format("write `rails: {}`", e.ports_each));
        f.object("networks." + n.name).object("nodes." + g.name);
        continue;
      }
      const int set = s.ports[static_cast<std::size_t>(e.ports)].nics;
      if (!is_ours(g) || set < 0) continue;
      const NicSet& nics = s.nics[static_cast<std::size_t>(set)];
      if (nics.count == 0 || nics.count < rails) continue;
      if (s.gpu_count % nics.count != 0 && nics.count % s.gpu_count != 0) {
        Finding& f =
            findings.add(rule.severity, rule.id, first_place(in_spec(nics.span, g), s.span),
                         format("{} and {} of '{}' in each node of '{}' cannot be paired on the rails of '{}'",
                                plural(s.gpu_count, "GPU"), plural(nics.count, "adapter"), nics.name, g.name, n.name));
        f.note(at, format("{} rails", rails));
        f.help("use as many adapters as GPUs, or one for every two GPUs");
        f.object("nodes." + g.name);
        continue;
      }
      // In the tree each adapter has its share of the GPUs.
      const PcieTree& tree = in.plan.pcie_tree(static_cast<std::size_t>(e.group));
      const std::int64_t share = std::max<std::int64_t>(1, s.gpu_count / nics.count);
      std::vector<std::vector<std::int64_t>> users(static_cast<std::size_t>(nics.count));
      bool whole = true;
      for (const GpuNicPair& p : pair_gpus_with_nics(s, tree, set)) {
        whole = whole && p.road.relation != PcieRelation::unknown;
        if (p.nic >= 0) users[static_cast<std::size_t>(p.nic)].push_back(p.gpu);
      }
      if (!whole) continue;  // pcie-gpu-nic-across-sockets says that the tree is not whole
      for (std::size_t i = 0; i < users.size(); ++i) {
        if (static_cast<std::int64_t>(users[i].size()) <= share) continue;
        const PcieDevice* second = tree.gpu(users[i][static_cast<std::size_t>(share)]);
        const PcieDevice* nic = tree.nic(set, static_cast<std::int64_t>(i));
        Finding& f = findings.add(rule.severity, rule.id,
                                  first_place(in_spec(device_place(second), g), in_spec(nics.span, g), s.span),
                                  format("{} of each node of '{}' is the nearest adapter of {} GPUs, but on the rails "
                                         "of '{}' each adapter should serve {}",
                                         nic->name, g.name, users[i].size(), n.name, share));
        if (second)
          f.label(format("{} uses it: {}", second->name, pcie_relation_name(pcie_road(tree, *second, *nic).relation)));
        if (in_spec(device_place(nic), g).valid()) f.note(device_place(nic), format("{} is here", nic->name));
        f.help("place each GPU and its adapter below the same PCIe switch");
        f.object("nodes." + g.name);
        break;
      }
    }
  }
}

}  // namespace

extern const Rule kPcieGpuRailPairingBroken;  // registry.cc names it
const Rule kPcieGpuRailPairingBroken = {
    .id = "pcie-gpu-rail-pairing-broken",
    .code = "PCIE-006",
    .severity = Severity::error,
    .physics = false,
    .summary = "the GPUs and adapters of a rail design cannot be paired",
    .explanation = R"(## What it checks

In a rail design each GPU has its adapter: the ports of a node divide evenly over the rails, GPUs and adapters can be
paired, and no adapter in the PCIe tree is the nearest of more GPUs than its share.

## Why it matters

Rails work because GPU i of every node communicates on rail i. If two GPUs use one adapter, one rail carries twice its
load, another none, and every collective runs at half its rate.

## Formula

```
ports of a node modulo rails = 0
GPUs modulo adapters = 0, or adapters modulo GPUs = 0
GPUs for which an adapter is the nearest <= GPUs / adapters
```

Unit: ports, GPUs and adapters, all counted.

Source: the server's PCIe tree; NCCL takes the nearest adapter of each GPU. Seen: github.com/NVIDIA/nccl/issues/820, where two GPUs chose the same adapter because virtual bridges hid the real order.

Error: none beyond its inputs.

## Example

`rails: 7` with eight compute ports in each node.

## How to fix

Use as many rails as ports, and one adapter for each GPU (or for every two), each near its own GPU.

## When to accept

Where jobs never use whole nodes.
)",
    .check = pcie_gpu_rail_pairing_broken,
};

}  // namespace clusterc
