#include "plan/plan.h"
#include "rules/fix.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/network.h"

namespace clusterc {
namespace {

// A RoCE v2 packet with 4,096 bytes of payload: IPv4 20 + UDP 8 + BTH 12 + RETH 16 + ICRC 4 = 60 more; adapters ask for
// 4,200 before they use it (NVIDIA, RoCE configuration guides). With less they fall back to 2,048 and 1,024.
constexpr std::int64_t kRoceWants = 4200;
constexpr std::int64_t kRoceHeaders = 60;
// What an Ethernet port has when nobody sets it (IEEE 802.3).
constexpr std::int64_t kEthernetDefault = 1500;
// The largest that ports of NVIDIA's Spectrum switches take (Cumulus Linux, `nv set interface swp1 link mtu`: 552 to
// 9216); those of others differ, few take more (Linux drivers of adapters: Broadcom 9,500, Intel E810 9,702).
constexpr std::int64_t kLargest = 9216;

std::int64_t roce_payload(std::int64_t mtu) {
  for (std::int64_t p : {std::int64_t{4096}, std::int64_t{2048}, std::int64_t{1024}, std::int64_t{512}})
    if (p + kRoceHeaders <= mtu && (p < 4096 || mtu >= kRoceWants)) return p;
  return 256;
}

void net_mtu_differs_along_path(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  for (const NetworkModel& n : c.networks) {
    if (n.kind != LinkKind::ethernet) continue;
    const std::int64_t mtu = n.spec->mtu.value_or(kEthernetDefault);
    const std::string object = "networks." + n.name;
    if (n.shares >= 0 && n.spec->mtu) {
      const NetworkModel& host = c.networks[n.shares];
      const std::int64_t ports = host.spec->mtu.value_or(kEthernetDefault);
      if (mtu > ports) {
        Finding& f = findings.error(
            rule.id, n.spec->mtu.span,
            format("packets of network '{}' have {} bytes, but the switch ports of '{}' that it uses pass {} bytes",
                   n.name, mtu, host.name, ports));
        if (host.spec->mtu)
          f.note(host.spec->mtu.span, "the MTU of the ports is set here");
        else
          f.note(host.span, "no `mtu` here: the Ethernet default of 1500 applies");
        f.help(format("write `mtu: {}` for network '{}' too", mtu, host.name)).object(object);
        continue;
      }
    }
    if (mtu > kLargest) {
      const bool nvidia = n.switch_part && n.switch_part->name && n.switch_part->name->starts_with("NVIDIA");
      Finding& f = findings.add(
          nvidia ? rule.severity : Severity::warning, rule.id, n.spec->mtu.span,
          nvidia ? format("packets of network '{}' have {} bytes, but the ports of '{}' pass at most {} bytes", n.name,
                          mtu, n.switch_model, kLargest)
                 : format("packets of network '{}' have {} bytes, but Ethernet ports usually pass at most {} bytes",
                          n.name, mtu, kLargest));
      f.help("write `mtu: 9000`, or 9216").object(object);
      write_instead(f, n.spec->mtu, "9000");
      continue;
    }
    // A guest without an `mtu` of its own rides on its host's.
    const std::int64_t effective =
        n.spec->mtu || n.shares < 0 ? mtu : c.networks[n.shares].spec->mtu.value_or(kEthernetDefault);
    if (n.spec->rdma.value_or(Rdma::none) == Rdma::roce && effective < kRoceWants) {
      Finding& f = findings.warning(rule.id, first_place(written(n.spec->mtu), written(n.spec->rdma), n.span),
                                    format("network '{}' has an MTU of {} bytes, but RoCE needs {} bytes for payloads "
                                           "of 4096 bytes: RoCE falls back to payloads of {} bytes",
                                           n.name, effective, kRoceWants, roce_payload(effective)));
      if (!n.spec->mtu) f.label("no `mtu` is written: the Ethernet default of 1500 applies");
      f.help("write `mtu: 9000`").object(object);
      if (n.shares < 0) write_instead(f, n.spec->mtu, "9000");
    }
  }
}

}  // namespace

extern const Rule kNetMtuDiffersAlongPath;  // registry.cc names it
const Rule kNetMtuDiffersAlongPath = {
    .id = "net-mtu-differs-along-path",
    .code = "NET-011",
    .severity = Severity::error,
    .physics = false,
    .summary = "packets are larger than a hop passes or a switch supports, or too small for RoCE",
    .explanation = R"(## What it checks

- A network that uses another's switch ports (`shares_switches_with`) has no larger packets than those ports pass
  (error).
- No Ethernet network has larger packets than its switches pass (error where the limit is known, else warning).
- A RoCE network has packets that hold RoCE's largest payload (warning).

Without `mtu`, the Ethernet default of 1500 bytes applies.

## Why it matters

Small messages pass and large ones are lost, so a job hangs at its first checkpoint. With 1,500 bytes, RoCE sends
payloads of 1,024 bytes: four times the packets, and less of the bandwidth for data.

## Formula

```
mtu of a guest network <= mtu of its host
mtu <= 9216 on Ethernet
RoCE: mtu >= 4200   (payload 4096 + IPv4 20 + UDP 8 + BTH 12 + RETH 16 + ICRC 4, and what the adapters ask for)
```

Unit: bytes on both sides.

Source: IEEE 802.3 (1500); InfiniBand architecture specification, annex A17 (RoCE v2); NVIDIA, RoCE MTU recommendations (4200). NVIDIA, Cumulus Linux,
NVUE (`link mtu`: integer, 552 to 9216); Cisco, "Configure and Verify Maximum Transmission Unit on Nexus Platforms" (9216); Linux, drivers/net/ethernet/broadcom/bnxt/bnxt.h (9500).

Error: none beyond its inputs on NVIDIA's switches. The largest packet of others is not known, so that more than 9216
bytes are a warning there.

## Example

`rdma: roce` without `mtu`.

## How to fix

Write `mtu: 9000` for the network and for the one whose switches it shares.

## When to accept

Where a provider's network supports no larger packets.
)",
    .check = net_mtu_differs_along_path,
};

}  // namespace clusterc
