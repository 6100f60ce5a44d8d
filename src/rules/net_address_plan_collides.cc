#include <algorithm>
#include <map>
#include <utility>

#include "model/named_hosts.h"
#include "plan/fabric/addresses.h"
#include "plan/plan.h"
#include "rules/management.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/network.h"

namespace clusterc {
namespace {

// A network comes untagged on its own ports, and a guest with a `vlan` tagged beside it: a switch has a VLAN on a port
// in one of the two ways (IEEE 802.1Q: a port is in the untagged set of a VLAN, or it is not).
void check_vlans(const Rule& rule, const Cluster& c, Findings& findings) {
  for (const NetworkModel& n : c.networks) {
    if (n.shares < 0 || n.kind != LinkKind::ethernet || !n.spec->vlan ||
        (n.carries_traffic(Traffic::oob) && shares_without_vlan(c, n)))
      continue;  // of management security-management-network-reachable says it
    const NetworkModel& host = c.networks[static_cast<std::size_t>(n.shares)];
    if (!host.spec->vlan || *host.spec->vlan != *n.spec->vlan) continue;
    const auto same = [&](const EndPoints& e) {
      return std::any_of(host.ends.begin(), host.ends.end(), [&](const EndPoints& h) {
        return h.group == e.group && h.ports == e.ports && h.storage == e.storage;
      });
    };
    const auto shared = std::find_if(n.ends.begin(), n.ends.end(), same);
    if (shared == n.ends.end()) continue;
    const std::string& who = shared->group >= 0 ? c.nodes[static_cast<std::size_t>(shared->group)].name
                                                : c.storage[static_cast<std::size_t>(shared->storage)].name;
    findings
        .error(rule.id, n.spec->vlan.span,
               format("network '{}' uses VLAN {} tagged on ports of '{}', but network '{}' uses the same VLAN untagged "
                      "on these ports",
                      n.name, *n.spec->vlan, who, host.name))
        .note(host.spec->vlan.span, "the other VLAN is set here")
        .help("give one of them a different VLAN")
        .object("networks." + n.name);
  }
}

// Prefixes with the network that has each. Two prefixes that overlap lie one in the other.
class Prefixes {
 public:
  // The first network whose prefix overlaps this one; -1: none.
  int overlapping(const Ipv4Prefix& p) const {
    int first = -1;
    const auto look = [&](const std::map<std::pair<std::uint32_t, int>, int>& in, int length) {
      if (const auto at = in.find(cut(p, length)); at != in.end() && (first < 0 || at->second < first))
        first = at->second;
    };
    look(inside_, p.length);
    for (int length = 0; length < p.length; ++length) look(same_, length);
    return first;
  }
  void add(const Ipv4Prefix& p, int network) {
    same_.try_emplace(cut(p, p.length), network);
    for (int length = 0; length <= p.length; ++length) inside_.try_emplace(cut(p, length), network);
  }

 private:
  static std::pair<std::uint32_t, int> cut(const Ipv4Prefix& p, int length) {
    return {p.base & Ipv4Prefix{0, length}.mask(), length};
  }
  std::map<std::pair<std::uint32_t, int>, int> same_, inside_;  // the first network with the prefix, and with one in it
};

void net_address_plan_collides(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  Prefixes before;
  for (std::size_t i = 0; i < c.networks.size(); ++i) {
    const NetworkModel& n = c.networks[i];
    if (!n.subnet) continue;
    const int overlapped = before.overlapping(*n.subnet);
    before.add(*n.subnet, static_cast<int>(i));
    if (overlapped >= 0) {  // one is enough: the way out is the same for all
      const NetworkModel& o = c.networks[static_cast<std::size_t>(overlapped)];
      Finding& f = findings.error(
          rule.id, n.spec->subnet.span,
          format("{} of network '{}' overlaps {} of network '{}'", n.subnet->text(), n.name, o.subnet->text(), o.name));
      const Ipv4Prefix& small = n.subnet->length >= o.subnet->length ? *n.subnet : *o.subnet;
      f.label(format("{} addresses, {} to {}, are in both", small.size(), ipv4_text(small.base),
                     ipv4_text(small.broadcast())));
      f.note(o.spec->subnet.span, "the other prefix is set here");
      f.help("give one of them a separate prefix");
      f.object("networks." + n.name);
    }
  }
  check_vlans(rule, c, findings);
  for (const AddressPlan& a : in.plan.addresses) {
    const NetworkModel& n = c.networks[a.network];
    if (a.needed <= a.usable) {
      if (has_addresses(a)) continue;
      // The plan lays members side by side; with enough addresses in all, only a gateway among them can be in the way.
      Finding& f = findings.error(
          rule.id, n.spec->gateway ? n.spec->gateway.span : n.spec->subnet.span,
          format("gateway {} of network '{}' splits the {} addresses of {}: {} consecutive addresses do not fit beside "
                 "it{}",
                 ipv4_text(a.gateway), n.name, a.usable, a.subnet.text(), a.needed - 1,
                 addresses_outside(c, a.subnet).empty() ? "" : " and the external hosts that the spec names there"));
      f.help(format("give the gateway the first address, {}, or use a shorter prefix", ipv4_text(a.subnet.base + 1)));
      f.object("networks." + n.name);
      continue;
    }
    // The smallest prefix that would do: the network's own and the broadcast address come on top.
    int length = a.subnet.length;
    while (length > 0 && Ipv4Prefix{0, length}.host_count() < a.needed + (a.subnet.host_count() - a.usable)) --length;
    Finding& f = findings.error(
        rule.id, n.spec->subnet.span,
        format("network '{}' needs {} addresses, but {} has {}", n.name, a.needed, a.subnet.text(), a.usable));
    f.label(format(
        "2^{} - 2{} = {}", 32 - a.subnet.length,
        a.subnet.host_count() > a.usable ? format(" - {} for the gateway", a.subnet.host_count() - a.usable) : "",
        a.usable));
    f.help(format("use a prefix of /{} or shorter", length));
    f.object("networks." + n.name);
  }
}

}  // namespace

extern const Rule kNetAddressPlanCollides;  // registry.cc names it
const Rule kNetAddressPlanCollides = {
    .id = "net-address-plan-collides",
    .code = "NET-012",
    .severity = Severity::error,
    .physics = true,
    .summary = "address prefixes or VLANs of networks collide, or a prefix is too small",
    .explanation = R"(## What it checks

No two networks use the same IPv4 addresses, or the same VLAN on a port that both use. Each prefix has an address for
every port that needs one.

## Why it matters

If two hosts have the same address, both answer for it. A prefix that is too small is noticed when the last nodes are
installed, and renumbering changes every configuration file.

## Formula

```
prefixes of two networks are disjoint
vlan != vlan of the network whose ports it shares
addresses needed <= 2^(32 - length) - 2   (a /31 has 2: RFC 3021)
```

Unit: addresses on both sides; VLANs and prefixes are compared as they are.

The need is that of the size built for: ports of nodes and storage, management ports of switches and PDUs where the network connects everything, and the gateway.

A network comes untagged on its own ports; one that `shares_switches_with` it and has a `vlan` comes tagged beside it. A VLAN is on a port in one of the two ways.

Source: arithmetic; RFC 4632; IEEE 802.1Q.

Error: none beyond its inputs.

## Example

`subnet: 10.9.0.0/24` for 300 management ports: 254 addresses.

## How to fix

Use a shorter prefix, or one in another range.

## When to accept

Never: an address belongs to one port.
)",
    .check = net_address_plan_collides,
};

}  // namespace clusterc
