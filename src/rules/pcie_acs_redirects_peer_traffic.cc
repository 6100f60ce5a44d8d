#include "model/machine_hosts.h"
#include "plan/plan.h"
#include "rules/pcie_say.h"
#include "rules/rule.h"
#include "spec/nodes.h"
#include "spec/software.h"

namespace clusterc {
namespace {

void pcie_acs_redirects_peer_traffic(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  struct Told {
    SourceSpan at;
    Finding* finding;
  };
  bool noted = false;
  std::vector<Told> told;  // one declaration for several groups is one finding
  // Groups that carry virtual machines need the access control that keeps their devices apart.
  const std::set<std::string_view> hosts = hosts_of_machines(c);
  for (std::size_t gi = 0; gi < c.nodes.size(); ++gi) {
    const NodeGroupModel& g = c.nodes[gi];
    const ServerModel& s = g.server;
    if (!is_ours(g) || g.count == 0 || hosts.contains(g.name)) continue;
    if (!g.software->acs && !noted && s.gpu_count > 0 && g.software->gpudirect_rdma.value_or(false) &&
        (!s.gpu || s.gpu->form.value != GpuForm::superchip)) {
      findings
          .note(rule.id, g.software->gpudirect_rdma.span,
                "adapters must read GPU memory, but `software: { acs }` does not say whether access control services "
                "are off, so it was not checked")
          .help("write `acs: false`: the plays switch it off at every start (role pcie_acs)");
      noted = true;
    }
    if (!g.software->acs.value_or(false)) continue;
    const std::vector<RdmaEnds> rdma = s.gpu_count > 0 ? rdma_ends(c, static_cast<int>(gi)) : std::vector<RdmaEnds>();
    const bool adapters = !rdma.empty() && g.software->gpudirect_rdma.value_or(true);
    if (!adapters && !gpus_meet_on_pcie(s)) continue;
    const SourceSpan at = g.software->acs.span;
    const auto before = std::find_if(told.begin(), told.end(), [&](const Told& t) { return t.at == at; });
    if (before != told.end()) {
      before->finding->note(g.span, format("the same applies to group '{}'", g.name)).object("nodes." + g.name);
      continue;
    }
    Finding& f =
        findings.add(rule.severity, rule.id, at,
                     format("access control services (ACS) redirect the {} traffic of '{}' through the root port",
                            adapters ? "GPU-adapter" : "GPU-GPU", g.name));
    // The narrowest point of a pair that would have met in its switch.
    const PcieTree& tree = in.plan.pcie_tree(gi);
    const PcieDevice* gpu = tree.gpu(0);
    const PcieDevice* other = nullptr;
    if (adapters && rdma.front().nics >= 0) {
      const std::vector<GpuNicPair> pairs = pair_gpus_with_nics(s, tree, rdma.front().nics);
      if (!pairs.empty() && pairs.front().nic >= 0) other = tree.nic(rdma.front().nics, pairs.front().nic);
    } else {
      other = tree.gpu(1);
    }
    if (gpu && other) {
      const PcieRoad direct = pcie_road(tree, *gpu, *other), redirected = pcie_road(tree, *gpu, *other, PcieAcs::on);
      if (direct.relation == PcieRelation::same_switch && redirected.rate.value > 0)
        f.note(
            device_place(gpu),
            format(
                "{} and {} are below one switch; with ACS they share an uplink of {} with all other devices below it",
                gpu->name, other->name, to_text(redirected.rate, 3)));
    }
    f.help(
        "write `acs: false`: the plays switch ACS off at every start (role pcie_acs); nodes that run virtual machines "
        "need ACS, with ATS on the adapters");
    f.object("nodes." + g.name);
    told.push_back({at, &f});
  }
}

}  // namespace

extern const Rule kPcieAcsRedirectsPeerTraffic;  // registry.cc names it
const Rule kPcieAcsRedirectsPeerTraffic = {
    .id = "pcie-acs-redirects-peer-traffic",
    .code = "PCIE-008",
    .severity = Severity::error,
    .physics = false,
    .summary = "access control services redirect traffic between devices through the root port",
    .explanation = R"(## What it checks

Nodes whose GPUs exchange data with each other or with their adapters over PCIe have access control services (ACS) off
on their bridges, unless they run virtual machines.

## Why it matters

ACS redirects requests between devices to the root port. Transfers hang, or all of them share the slow uplink that they
would otherwise avoid.

## Formula

```
acs: true, bare metal, and GPUs that meet over PCIe or adapters that read GPU memory
```

Unit: none. Settings are compared.

Source: NVIDIA NCCL documentation, troubleshooting, PCI Access Control Services; NVIDIA, enabling ATS for virtual machines. Seen: github.com/NVIDIA/nccl/issues/199, 489 and 667.

## Example

`software: { acs: true }` with eight GPUs and eight InfiniBand adapters.

## How to fix

Write `acs: false`: the plays switch ACS off with setpci at every start. In virtual machines leave on the bits that isolation
needs, and switch ATS on.

## When to accept

Where devices are passed through to virtual machines that the spec does not show.
)",
    .check = pcie_acs_redirects_peer_traffic,
};

}  // namespace clusterc
