#include <algorithm>

#include "plan/plan.h"
#include "rules/pcie_say.h"
#include "rules/rule.h"

namespace clusterc {
namespace {

bool has_rails(const NetworkModel& n) {
  return n.spec->topology &&
         (*n.spec->topology == NetworkTopology::rail_optimised || *n.spec->topology == NetworkTopology::rail_only);
}

void check(const Rule& rule, const RuleInput& in, Findings& findings) {
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
                                  format("{} of each node of '{}' cannot make {} rails on network '{}'",
                                         plural(e.ports_each, "port"), g.name, rails, n.name));
        f.label(format("{} modulo {} = {}", e.ports_each, rails, e.ports_each % rails));
        if (e.span.valid() && !(e.span == at)) f.note(e.span, format("the ports of '{}'", g.name));
        f.help(rails > e.ports_each
                   ? format("`rails: {}`, or {} more ports in each node", e.ports_each, rails - e.ports_each)
                   : format("`rails: {}`", e.ports_each));
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
                         format("{} and {} of '{}' in each node of '{}' do not pair up on the rails of '{}'",
                                plural(s.gpu_count, "GPU"), plural(nics.count, "adapter"), nics.name, g.name, n.name));
        f.note(at, format("{} rails", rails));
        f.help("as many adapters as GPUs, or one for every two");
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
        Finding& f = findings.add(
            rule.severity, rule.id, first_place(in_spec(device_place(second), g), in_spec(nics.span, g), s.span),
            format("{} of each node of '{}' is the nearest adapter of {} GPUs, {} is its share on the rails of '{}'",
                   nic->name, g.name, users[i].size(), share, n.name));
        if (second)
          f.label(
              format("{} goes to it: {}", second->name, pcie_relation_name(pcie_road(tree, *second, *nic).relation)));
        if (in_spec(device_place(nic), g).valid()) f.note(device_place(nic), format("{} is here", nic->name));
        f.help("a GPU and its adapter below one PCIe switch, pair by pair");
        f.object("nodes." + g.name);
        break;
      }
    }
  }
}

}  // namespace

constexpr std::string_view kExplanation = R"(## What it checks

In a rail design each GPU has its adapter: the ports of a node divide by the rails, GPUs and adapters pair up, and in the PCIe tree no adapter is the nearest of more GPUs than its share.

## Why it matters

Rails work because GPU i of every node speaks on rail i. Where two GPUs take one adapter, one rail carries twice its load, another none, and every collective runs at half its rate.

## Formula

```
ports of a node modulo rails = 0
GPUs modulo adapters = 0, or adapters modulo GPUs = 0
GPUs for which an adapter is the nearest <= GPUs / adapters
```

Source: the server's PCIe tree; NCCL takes the nearest adapter of each GPU. Seen: github.com/NVIDIA/nccl/issues/820, where two GPUs chose the same adapter because virtual bridges hid the real order.

## Example

`rails: 7` with eight compute ports in each node.

## How to fix

As many rails as ports, one adapter for each GPU (or for each two), each beside its own.

## When to accept

Where jobs never take whole nodes.
)";

extern const Rule kPcieGpuRailPairingBroken;  // registry.cc names it
const Rule kPcieGpuRailPairingBroken = {
    .id = "pcie-gpu-rail-pairing-broken",
    .code = "PCIE-006",
    .severity = Severity::error,
    .physics = false,
    .summary = "GPUs and adapters of a rail design do not pair up",
    .explanation = kExplanation,
    .check = check,
};

}  // namespace clusterc
