#include <algorithm>

#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/network.h"
#include "spec/nodes.h"

namespace clusterc {
namespace {

// Unicast LIDs: 0x0001 to 0xBFFF (InfiniBand architecture specification, volume 1, section 4.1.3). Each end port and
// each switch has one.
constexpr std::int64_t kUnicastLids = 0xBFFF;

// A node manages the subnets that it has a port in.
void check_roles(const Rule& rule, const Cluster& c, Findings& findings) {
  for (std::size_t g = 0; g < c.nodes.size(); ++g) {
    const NodeGroupModel& group = c.nodes[g];
    if (!group.has_role(Role::fabric_manager) || group.count == 0 || !is_ours(group)) continue;
    std::string offered;
    bool joined = false;
    for (const NetworkModel& n : c.networks) {
      if (n.kind != LinkKind::infiniband) continue;
      if (offered.empty()) offered = n.name;
      joined =
          joined || std::ranges::any_of(n.ends, [&](const EndPoints& e) { return e.group == static_cast<int>(g); });
    }
    if (joined || offered.empty()) continue;
    findings
        .warning(rule.id, group.span,
                 format("'{}' has the role `fabric-manager` and no port in an InfiniBand network, so it manages no "
                        "subnet",
                        group.name))
        .help(format("give it an adapter with a port in '{}', or remove the role where the switches manage the subnet",
                     offered))
        .object("nodes." + group.name);
  }
}

void net_subnet_manager_or_lids_short(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  check_roles(rule, c, findings);
  for (const Fabric& f : in.plan.fabrics) {
    const NetworkModel& n = c.networks[f.network];
    if (n.kind != LinkKind::infiniband || n.shares >= 0) continue;
    const std::string object = "networks." + n.name;
    const std::int64_t lids =
        (f.end_ports_built_for + f.switch_count() + f.planes - 1) / f.planes;  // each plane is a subnet
    if (lids > kUnicastLids) {
      Finding& x = findings.error(
          rule.id, n.span,
          format("InfiniBand network '{}' needs {} addresses (LIDs), but a subnet has {}", n.name, lids, kUnicastLids));
      x.label(format("{} end ports + {} switches, 0x0001 to 0xBFFF", f.end_ports_built_for, f.switch_count()));
      x.help("use several networks, one for each rail or half of the rails").object(object);
      x.physics = true;
    }
    std::int64_t managers = 0;
    for (const EndPoints& e : n.ends)
      if (e.group >= 0 && c.nodes[e.group].has_role(Role::fabric_manager)) managers += c.nodes[e.group].count;
    const bool switches_can = n.switch_part && n.switch_part->subnet_manager.value_or(false);
    if (managers >= 2 || switches_can || !n.switch_part || !c.own_site) continue;
    if (managers == 1) {
      Finding& x = findings.warning(rule.id, n.span,
                                    format("network '{}' has 1 subnet manager; 2 are needed for fail-over", n.name));
      x.help("add a second node with `roles: [fabric-manager]`, or use switches with their own subnet manager")
          .object(object);
    } else if (n.switch_part->subnet_manager) {
      Finding& x = findings.warning(
          rule.id, n.span,
          format("network '{}' has 0 subnet managers; 1 is needed before any link carries data", n.name));
      x.note(n.spec->switch_model.span, format("'{}' has no subnet manager", n.switch_model));
      mention_unconfirmed(x, n.switch_part->subnet_manager,
                          format("whether '{}' has a subnet manager", n.switch_model));
      x.help("connect two nodes with `roles: [fabric-manager]`").object(object);
    } else {
      findings
          .note(rule.id, n.span,
                format("network '{}' connects no node with the role fabric-manager, and '{}' states no "
                       "`subnet_manager`, so it was not checked whether the network has one",
                       n.name, n.switch_model))
          .object(object);
    }
  }
}

}  // namespace

extern const Rule kNetSubnetManagerOrLidsShort;  // registry.cc names it
const Rule kNetSubnetManagerOrLidsShort = {
    .id = "net-subnet-manager-or-lids-short",
    .code = "NET-014",
    .severity = Severity::warning,
    .physics = false,
    .summary = "an InfiniBand network lacks a subnet manager, or has more ports than addresses",
    .explanation = R"(## What it checks

An InfiniBand network has a subnet manager: switches with their own, or two nodes with the role `fabric-manager` that it
connects (warning). It has no more ports than a subnet has addresses (error, against physics).

## Why it matters

Without a subnet manager no port gets an address and no link becomes active, although every link light is green. With
only one, nodes that restart while it reboots do not get back on the network.

A node manages the subnets that it has a port in: a node with the role and without such a port is a warning.

## Formula

```
end ports + switches <= 49,151   (LIDs 0x0001 to 0xBFFF, one each: LMC 0)
nodes with the role fabric-manager >= 2, or a switch that runs a manager itself
```

Unit: LIDs on both sides; nodes are counted.

Source: InfiniBand architecture specification, volume 1 (address ranges; every subnet needs a manager); NVIDIA, OpenSM ("one SM must be running for each InfiniBand subnet").

Error: none beyond its inputs.

## Example

Unmanaged switches, and no node with `roles: [fabric-manager]`.

## How to fix

Connect two small nodes with `roles: [fabric-manager]`, or use managed switches.

## When to accept

Where a subnet manager runs on nodes that the spec does not name.
)",
    .check = net_subnet_manager_or_lids_short,
};

}  // namespace clusterc
