#include "plan/plan.h"
#include "rules/fix.h"
#include "rules/pcie_say.h"
#include "rules/rule.h"
#include "spec/software.h"

namespace clusterc {
namespace {

constexpr Bytes kLargest{4096};  // largest that PCI Express knows
// An adapter that must send faster than this needs long requests. 200 Gb/s are what short ones were seen to hold up
// (explanation below); half of it fits an adapter of the generation before, for which no guide asks for them.
constexpr BitsPerSecond kNeedsLong{100e9};

void pcie_read_requests_untuned(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  for (std::size_t gi = 0; gi < c.nodes.size(); ++gi) {
    const NodeGroupModel& g = c.nodes[gi];
    const ServerModel& s = g.server;
    if (!is_ours(g) || g.count == 0 || !g.computes || s.gpu_count == 0 || !s.cpu ||
        s.cpu->vendor.value != Vendor::amd || s.cpu->pcie_generation.value_or(0) != 4)
      continue;
    const Value<Bytes>& asked = g.software->max_read_request;
    if (asked && !(*asked < kLargest)) continue;
    for (const RdmaEnds& e : rdma_ends(c, static_cast<int>(gi))) {
      if (e.nics < 0) continue;
      const NicSet& nics = s.nics[static_cast<std::size_t>(e.nics)];
      if (!nics.part || nics.part->pcie_generation.value_or(0) != 4) continue;
      const BitsPerSecond sends = nic_demand(c, static_cast<int>(gi), e.nics).all;
      if (!above(sends.value, kNeedsLong.value)) continue;
      Finding& f = findings.add(rule.severity, rule.id, asked ? asked.span : first_place(in_spec(nics.span, g), s.span),
                                asked ? format("adapters '{}' of '{}' use read requests of {}, but PCIe allows {}",
                                               nics.name, g.name, to_text(*asked), to_text(kLargest))
                                      : format("adapters '{}' of '{}' use read requests of the default size over PCIe "
                                               "4.0 of '{}', but PCIe allows {}",
                                               nics.name, g.name, s.cpu_model, to_text(kLargest)));
      f.label(format("each adapter sends up to {}", to_text(sends)));
      f.help(
          "write `software: { max_read_request: 4 KiB }`, set MAX_ACC_OUT_READ in the adapter's firmware, and "
          "enable relaxed ordering");
      f.object("nodes." + g.name);
      write_instead(f, asked, "4 KiB");
      break;
    }
  }
}

}  // namespace

extern const Rule kPcieReadRequestsUntuned;  // registry.cc names it
const Rule kPcieReadRequestsUntuned = {
    .id = "pcie-read-requests-untuned",
    .code = "PCIE-015",
    .severity = Severity::note,
    .physics = false,
    .summary = "adapters use short read requests on a platform that needs long ones",
    .explanation = R"(## What it checks

Adapters of PCIe generation 4 that must send more than 100 Gb/s for the jobs of GPU nodes on EPYC processors of PCIe
generation 4 use read requests of 4 KiB: `software: { max_read_request: 4 KiB }`. What an adapter sends is the rate of
its networks, not that of the card: an HDR adapter on an HDR100 network sends 100 Gb/s.

## Why it matters

On these processors reads have a high latency. With short requests, and few of them outstanding, an adapter of 200 Gb/s
cannot read fast enough to send at its rate.

## Formula

```
max_read_request = 4096 bytes where processor (AMD) and adapter are of PCIe generation 4,
                              and ports in use x rate of the network > 100 Gb/s
```

Unit: bytes on both sides; bit/s.

Source: PCI Express Base Specification (4,096 bytes is the largest request); NVIDIA, tuning guides for AMD EPYC 7002 and 7003. Seen: github.com/NVIDIA/nccl-tests/issues/152, all-reduce at 93 GB/s after MAX_ACC_OUT_READ was raised.

Error: none beyond its inputs. What the setting gains on another machine is not known.

## Example

HDR adapters on EPYC 7742 with the defaults.

## How to fix

Raise MaxReadReq with setpci and MAX_ACC_OUT_READ with mlxconfig, and write it into the spec.

## When to accept

A note is never counted; it disappears when `max_read_request` is written.
)",
    .check = pcie_read_requests_untuned,
};

}  // namespace clusterc
