#include <algorithm>

#include "plan/plan.h"
#include "rules/pcie_say.h"
#include "rules/rule.h"

namespace clusterc {
namespace {

// Two GPUs of x16 below one x16 uplink is how boards of eight GPUs with four switches are built, and how they are
// measured (policy).
constexpr double kUsualRatio = 2;

struct Wanted {
  BytesPerSecond gpus{0}, drives{0}, adapters{0};
  std::int64_t gpu_count = 0, drive_count = 0, adapter_count = 0;
};

// Adapters that GPUs are served by are their peers: what they exchange turns round in the switch or is counted
// elsewhere. The others feed the host.
Wanted wanted_below(const RuleInput& in, int group, const PcieTree& tree, int sw) {
  const ServerModel& s = in.cluster.nodes[static_cast<std::size_t>(group)].server;
  const std::vector<RdmaEnds> rdma = rdma_ends(in.cluster, group);
  Wanted w;
  for (const PcieDevice& d : tree.devices) {
    const std::vector<int> above = switches_above(tree, d);
    if (std::find(above.begin(), above.end(), sw) == above.end()) continue;
    if (d.kind == PcieDeviceKind::gpu) {
      w.gpus += d.rate;
      ++w.gpu_count;
    } else if (d.kind == PcieDeviceKind::drive) {
      w.drives += d.rate;
      ++w.drive_count;
    } else if (s.gpu_count == 0 ||
               std::none_of(rdma.begin(), rdma.end(), [&](const RdmaEnds& e) { return e.nics == d.set; })) {
      const BytesPerSecond asked = bytes_of(nic_demand(in.cluster, group, d.set).all);
      if (asked.value <= 0) continue;
      w.adapters += asked;
      ++w.adapter_count;
    }
  }
  return w;
}

void pcie_switch_uplink_oversubscribed(const Rule& rule, const RuleInput& in, Findings& findings) {
  for (std::size_t gi = 0; gi < in.cluster.nodes.size(); ++gi) {
    const NodeGroupModel& g = in.cluster.nodes[gi];
    if (!is_ours(g) || g.count == 0) continue;
    const PcieTree& tree = in.plan.pcie_tree(gi);
    int worst = -1;
    std::int64_t failing = 0;
    double most = 0;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < tree.switches.size(); ++i) {
      const PcieTreeSwitch& sw = tree.switches[i];
      if (sw.uplink_rate.value <= 0) continue;  // its generation is not known: another rule says so
      const Wanted w = wanted_below(in, static_cast<int>(gi), tree, static_cast<int>(i));
      const double ratio = std::max(w.gpus.value, w.drives.value + w.adapters.value) / sw.uplink_rate.value;
      if (!above(ratio, kUsualRatio)) continue;
      ++failing;
      names.push_back(sw.name);
      if (above(ratio, most)) {
        most = ratio;
        worst = static_cast<int>(i);
      }
    }
    if (worst < 0) continue;
    const PcieTreeSwitch& sw = tree.switches[static_cast<std::size_t>(worst)];
    const Wanted w = wanted_below(in, static_cast<int>(gi), tree, worst);
    const bool down = w.gpus.value >= w.drives.value + w.adapters.value;
    std::string who = down                ? plural(w.gpu_count, "GPU")
                      : w.drive_count > 0 ? plural(w.drive_count, "drive")
                                          : std::string();
    if (!down && w.adapter_count > 0) who += (who.empty() ? "" : " and ") + plural(w.adapter_count, "adapter");
    const BytesPerSecond wanted = down ? w.gpus : w.drives + w.adapters;
    Finding& f =
        findings.add(rule.severity, rule.id, first_place(in_spec(sw.span, g), g.server.span),
                     format("the uplink of PCIe switch {} of '{}' carries {}, but {} below it need {} from the host",
                            name_list(names, failing), g.name, to_text(sw.uplink_rate, 3), who, to_text(wanted, 3)));
    f.label(format("{:.3g} : 1 on PCIe {}.0 x{}", most, sw.generation, sw.uplink_lanes));
    f.help(down ? "use a switch of a later generation or with a wider uplink, or fewer GPUs below each"
                : "use a wider uplink, or move some of them to another root port");
    f.object("nodes." + g.name);
  }
}

}  // namespace

extern const Rule kPcieSwitchUplinkOversubscribed;  // registry.cc names it
const Rule kPcieSwitchUplinkOversubscribed = {
    .id = "pcie-switch-uplink-oversubscribed",
    .code = "PCIE-004",
    .severity = Severity::warning,
    .physics = false,
    .summary = "the devices below a PCIe switch need more from the host than its uplink carries",
    .explanation = R"(## What it checks

The devices below a PCIe switch need at most twice the bandwidth of its uplink from the host.

## Why it matters

All data that GPUs load from host memory go through one uplink. Four GPUs on one x16 link each get a quarter of their
slot's rate, and wait for the data loaders.

## Formula

```
downwards: sum of the GPUs' links;  upwards: sum of the drives' links + rates of the adapters that serve the host
the larger of the two / rate of the uplink <= 2
```

Unit: a ratio of rates; rates in B/s.

PCI Express is full duplex, so what goes up and what goes down are not added. Peers below one switch do not use its uplink; adapters of networks that GPUs use by remote memory access count as such peers.

Source: PCI Express Base Specification (rates); 2 : 1 is the ratio of boards with eight GPUs behind four switches, a policy and not a limit.

Error: none beyond its inputs. The limit of 2 is policy.

## Example

Four GPUs of generation 4 behind one x16 uplink of generation 4: 4 x 31.5 GB/s through 31.5 GB/s.

## How to fix

Use a second switch, a wider uplink or one of a later generation, or spread the GPUs over more root ports.

## When to accept

Where jobs load their data once and then compute for hours.
)",
    .check = pcie_switch_uplink_oversubscribed,
};

}  // namespace clusterc
