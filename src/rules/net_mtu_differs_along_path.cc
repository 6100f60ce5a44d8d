#include "plan/plan.h"
#include "rules/fix.h"
#include "rules/rule.h"
#include "rules/say.h"

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

void check(const Rule& rule, const RuleInput& in, Findings& findings) {
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
            format("packets of network '{}' have {} bytes, the switch ports of '{}' that it uses pass {}", n.name, mtu,
                   host.name, ports));
        if (host.spec->mtu)
          f.note(host.spec->mtu.span, "the ports are set here");
        else
          f.note(host.span, "no `mtu` here: Ethernet's 1500");
        f.help(format("`mtu: {}` on network '{}' too", mtu, host.name)).object(object);
        continue;
      }
    }
    if (mtu > kLargest) {
      const bool nvidia = n.switch_part && n.switch_part->name && n.switch_part->name->starts_with("NVIDIA");
      Finding& f = findings.add(
          nvidia ? rule.severity : Severity::warning, rule.id, n.spec->mtu.span,
          nvidia ? format("packets of network '{}' have {} bytes, the ports of '{}' take {} at most", n.name, mtu,
                          n.switch_model, kLargest)
                 : format("packets of network '{}' have {} bytes, ports of Ethernet usually take {} at most", n.name,
                          mtu, kLargest));
      f.help("`mtu: 9000`, or 9216").object(object);
      write_instead(f, n.spec->mtu, "9000");
      continue;
    }
    // A guest without an `mtu` of its own rides on its host's.
    const std::int64_t effective =
        n.spec->mtu || n.shares < 0 ? mtu : c.networks[n.shares].spec->mtu.value_or(kEthernetDefault);
    if (n.spec->rdma.value_or(Rdma::none) == Rdma::roce && effective < kRoceWants) {
      Finding& f = findings.warning(
          rule.id, first_place(written(n.spec->mtu), written(n.spec->rdma), n.span),
          format("network '{}' has packets of {} bytes, RoCE needs {} to carry 4096 at a time: it falls to {}", n.name,
                 effective, kRoceWants, roce_payload(effective)));
      if (!n.spec->mtu) f.label("no `mtu` is written: Ethernet's 1500");
      f.help("`mtu: 9000`").object(object);
      if (n.shares < 0) write_instead(f, n.spec->mtu, "9000");
    }
  }
}

}  // namespace

constexpr std::string_view kExplanation = R"(## What it checks

A network that runs on another's switch ports (`shares_switches_with`) has no larger packets than those ports pass (error), no Ethernet network has larger ones than its switches take (error where that is known, else a warning), and a RoCE network has packets that carry RoCE's largest payload (warning). Nobody says `mtu`: 1500.

## Why it matters

Small messages pass, large ones vanish, and a job hangs at its first checkpoint. With 1,500 bytes RoCE sends 1,024 at a time: four times the packets, and less of the wire for data.

## Formula

```
mtu of a guest network <= mtu of its host
mtu <= 9216 on Ethernet
RoCE: mtu >= 4200   (payload 4096 + IPv4 20 + UDP 8 + BTH 12 + RETH 16 + ICRC 4, and what the adapters ask for)
```

Source: IEEE 802.3 (1500); InfiniBand architecture specification, annex A17 (RoCE v2); NVIDIA, RoCE MTU recommendations (4200). NVIDIA, Cumulus Linux,
NVUE (`link mtu`: integer, 552 to 9216); Cisco, "Configure and Verify Maximum Transmission Unit on Nexus Platforms" (9216); Linux, drivers/net/ethernet/broadcom/bnxt/bnxt.h (9500).

## Example

`rdma: roce` without `mtu`.

## How to fix

`mtu: 9000` on the network and on the one whose switches it shares.

## When to accept

Where a provider's network has no larger packets.
)";

extern const Rule kNetMtuDiffersAlongPath;  // registry.cc names it
const Rule kNetMtuDiffersAlongPath = {
    .id = "net-mtu-differs-along-path",
    .code = "NET-011",
    .severity = Severity::error,
    .physics = false,
    .summary = "packets larger than a hop passes or a switch takes, or too small for RoCE",
    .explanation = kExplanation,
    .check = check,
};

}  // namespace clusterc
