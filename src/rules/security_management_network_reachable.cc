#include <algorithm>
#include <array>
#include <cstdint>

#include "plan/plan.h"
#include "rules/management.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/network.h"

namespace clusterc {
namespace {

// RFC 1918, RFC 6598 (shared address space), RFC 3927 (link local): not routed in the Internet.
struct Private {
  std::uint32_t base;
  int length;
};
constexpr std::array kPrivate = {Private{10u << 24, 8}, Private{(172u << 24) | (16u << 16), 12},
                                 Private{(192u << 24) | (168u << 16), 16}, Private{(100u << 24) | (64u << 16), 10},
                                 Private{(169u << 24) | (254u << 16), 16}};

bool is_private(const Ipv4Prefix& p) {
  return std::any_of(kPrivate.begin(), kPrivate.end(), [&](const Private& r) {
    return p.length >= r.length && (p.base & (~0u << (32 - r.length))) == r.base;
  });
}

void security_management_network_reachable(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  for (const NetworkModel& n : c.networks) {
    if (!n.carries_traffic(Traffic::oob)) continue;
    if (n.subnet && !is_private(*n.subnet))
      findings
          .error(rule.id, n.spec->subnet.span,
                 format("management network '{}' has the public subnet {}", n.name, *n.spec->subnet))
          .help("use a subnet of 10.0.0.0/8, 172.16.0.0/12 or 192.168.0.0/16")
          .object("networks." + n.name);
    // Users' programs run on these.
    if (const Traffic* t = users_traffic(n))
      findings
          .error(rule.id, n.spec->carries.empty() ? n.span : n.spec->carries.front().span,
                 format("network '{}' carries management traffic and {}: every user program can reach the management "
                        "controllers",
                        n.name, enum_text(*t)))
          .help("use a separate network for `oob`; a separate VLAN is enough")
          .object("networks." + n.name);
    if (!shares_without_vlan(c, n)) continue;
    const NetworkModel& o = c.networks[static_cast<std::size_t>(n.shares)];
    findings
        .error(
            rule.id, n.spec->shares_switches_with.span,
            format(
                "management network '{}' is on the switches of '{}' without a VLAN{}: both share one broadcast domain",
                n.name, o.name, n.spec->vlan ? " of its own" : ""))
        .note(o.span, "the network with users")
        .help(format("use separate switches, or write {} for one of the two networks (but if the shared switches fail, "
                     "management access fails too)",
                     n.spec->vlan ? "another `vlan`" : "`vlan`"))
        .object("networks." + n.name);
  }
}

}  // namespace

extern const Rule kSecurityManagementNetworkReachable;  // registry.cc names it
const Rule kSecurityManagementNetworkReachable = {
    .id = "security-management-network-reachable",
    .code = "SEC-002",
    .severity = Severity::error,
    .physics = false,
    .summary = "management controllers have public addresses, or share a network with users",
    .explanation = R"(## What it checks

The network for management traffic (`oob`) has a private subnet, carries nothing else, and has its own VLAN where it
shares switches.

## Why it matters

A management controller can switch its server off, mount an image and read its console. Its firmware is often years old,
and its password is often the same on every node.

## Formula

```
subnet in 10/8, 172.16/12, 192.168/16, 100.64/10 or 169.254/16
carries: [oob] alone;  shares_switches_with needs a vlan on either side, and not the same
```

Unit: none. Ranges of addresses and VLANs are compared.

Source: RFC 1918, RFC 6598, RFC 3927; CISA and NSA, Harden Baseboard Management Controllers (2023): an isolated VLAN for management. Routes between networks are not in the spec and not checked.

## Example

`oob: { shares_switches_with: inband, connects: everything }` and no `vlan`.

## How to fix

Write `vlan: 20` for the management network, and allow access only through a bastion host.

## When to accept

Where switches isolate the ports of one network from each other (private VLANs).
)",
    .check = security_management_network_reachable,
};

}  // namespace clusterc
