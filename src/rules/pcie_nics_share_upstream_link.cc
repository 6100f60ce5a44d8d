#include <algorithm>

#include "plan/plan.h"
#include "rules/pcie_say.h"
#include "rules/rule.h"

namespace clusterc {
namespace {

void pcie_nics_share_upstream_link(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  for (std::size_t gi = 0; gi < c.nodes.size(); ++gi) {
    const NodeGroupModel& g = c.nodes[gi];
    const ServerModel& s = g.server;
    if (!is_ours(g) || g.count == 0) continue;
    const PcieTree& tree = in.plan.pcie_tree(gi);
    if (tree.switches.empty()) continue;
    const std::vector<RdmaEnds> rdma = rdma_ends(c, static_cast<int>(gi));
    // Adapters whose traffic goes through each uplink.
    std::vector<std::vector<const PcieDevice*>> through(tree.switches.size());
    for (std::size_t set = 0; set < s.nics.size(); ++set) {
      const bool for_gpus = s.gpu_count > 0 && std::any_of(rdma.begin(), rdma.end(), [&](const RdmaEnds& e) {
                              return e.nics == static_cast<int>(set);
                            });
      std::vector<GpuNicPair> pairs;
      if (for_gpus) pairs = pair_gpus_with_nics(s, tree, static_cast<int>(set));
      for (const PcieDevice& d : tree.devices) {
        if (d.kind != PcieDeviceKind::nic || d.set != static_cast<int>(set)) continue;
        for (int up : switches_above(tree, d)) {
          // What serves the host crosses every uplink above it; what serves GPUs, those on the road to its own.
          const bool crosses = !for_gpus || std::any_of(pairs.begin(), pairs.end(), [&](const GpuNicPair& p) {
            return p.nic == d.index &&
                   std::find(p.road.uplinks.begin(), p.road.uplinks.end(), up) != p.road.uplinks.end();
          });
          if (crosses) through[static_cast<std::size_t>(up)].push_back(&d);
        }
      }
    }
    std::int64_t failing = 0;
    std::vector<std::string> names;
    int worst = -1;
    double most = 0;
    const auto wanted = [&](std::size_t i) {
      BytesPerSecond sum{0};
      for (const PcieDevice* d : through[i])
        sum += std::min(bytes_of(nic_demand(c, static_cast<int>(gi), d->set).all),
                        d->rate.value > 0 ? d->rate : BytesPerSecond{1e18});
      return sum;
    };
    for (std::size_t i = 0; i < tree.switches.size(); ++i) {
      const BytesPerSecond uplink = tree.switches[i].uplink_rate, asked = wanted(i);
      if (through[i].size() < 2 || uplink.value <= 0 || !above(asked.value, uplink.value)) continue;
      ++failing;
      names.push_back(tree.switches[i].name);
      if (above(asked.value / uplink.value, most)) {
        most = asked.value / uplink.value;
        worst = static_cast<int>(i);
      }
    }
    if (worst < 0) continue;
    const PcieTreeSwitch& sw = tree.switches[static_cast<std::size_t>(worst)];
    const std::vector<const PcieDevice*>& who = through[static_cast<std::size_t>(worst)];
    Finding& f = findings.add(
        rule.severity, rule.id, first_place(in_spec(device_place(who[1]), g), in_spec(sw.span, g), s.span),
        format("{} and {}{} of '{}' share the uplink of PCIe switch {}, which carries {}, but need {}", who[0]->name,
               who[1]->name, who.size() > 2 ? format(" and {} more", who.size() - 2) : std::string(), g.name,
               name_list(names, failing), to_text(sw.uplink_rate, 3),
               to_text(wanted(static_cast<std::size_t>(worst)), 3)));
    f.label(format("the uplink is PCIe {}.0 x{}", sw.generation, sw.uplink_lanes));
    if (in_spec(device_place(who[0]), g).valid()) f.note(device_place(who[0]), format("{} is here", who[0]->name));
    f.help("move one of these adapters below another switch, or below the switch of the GPUs that the adapter serves");
    f.object("nodes." + g.name);
  }
}

}  // namespace

extern const Rule kPcieNicsShareUpstreamLink;  // registry.cc names it
const Rule kPcieNicsShareUpstreamLink = {
    .id = "pcie-nics-share-upstream-link",
    .code = "PCIE-007",
    .severity = Severity::warning,
    .physics = false,
    .summary = "network adapters share a PCIe uplink that is too slow for them",
    .explanation = R"(## What it checks

Adapters that share the uplink of a PCIe switch, on the path to their GPUs or to the host, together need no more than
the uplink carries.

## Why it matters

Two links of the fabric then run as fast as one. Nothing reports it: each adapter alone reaches its rate.

## Formula

```
sum over adapters of min(rate that the networks ask for, its own PCIe link) <= rate of the uplink, one direction
```

Unit: B/s on both sides.

An adapter counts where its road to its GPU crosses the uplink. Below the same switch as the GPU it does not. Adapters that serve the host always cross.

Source: PCI Express Base Specification (rates). Seen: github.com/NVIDIA/nccl/issues/439, two 200 Gb/s adapters behind one x16 link of generation 4: one ring instead of two, 24 GB/s instead of 48.

Error: headers are not taken off the rate of the uplink: it carries 7 % to 10 % less (256 of 276 to 284 bytes).

## Example

Two adapters of 200 Gb/s (25 GB/s each) below one x16 uplink of generation 4 (31.5 GB/s), the GPUs elsewhere.

## How to fix

Move one of the adapters to another root port, or below the switch of its GPU.

## When to accept

Where the second adapter is for fail-over only.
)",
    .check = pcie_nics_share_upstream_link,
};

}  // namespace clusterc
