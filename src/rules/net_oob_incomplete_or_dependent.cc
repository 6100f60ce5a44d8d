#include "model/group_ends.h"
#include "plan/plan.h"
#include "rules/management.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/network.h"

namespace clusterc {
namespace {

// Below this many servers somebody walks over with a keyboard (planning default: one row of a machine room).
constexpr std::int64_t kServersToWalkTo = 32;

bool has_management_port(const NodeGroupModel& g) {
  return is_ours(g) && g.count > 0 && g.server.part.bmc.value_or(true);
}

void net_oob_incomplete_or_dependent(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  if (!c.own_site) return;
  std::int64_t servers = 0, switches = 0;
  for (const NodeGroupModel& g : c.nodes)
    if (has_management_port(g)) servers += g.count;
  const NetworkModel* oob = nullptr;
  bool everything = false;
  for (const NetworkModel& n : c.networks) {
    if (!n.carries_traffic(Traffic::oob)) continue;
    if (!oob) oob = &n;
    everything |= n.everything;
  }
  if (!oob) {
    if (servers >= kServersToWalkTo && !c.networks.empty())
      findings
          .note(rule.id, c.networks.front().span,
                format("no network carries `oob`: {} management ports of servers are not connected", servers))
          .help(
              "write `oob: { kind: ethernet, rate: 1 Gb/s, switch: nvidia-sn2201, subnet: …, connects: everything }`");
    return;
  }
  for (const Fabric& f : in.plan.fabrics)
    if (c.networks[f.network].shares < 0 && !c.networks[f.network].carries_traffic(Traffic::oob))
      switches += f.switch_count();

  // It must not run over what it is there to repair.
  for (const NetworkModel& n : c.networks) {
    if (!n.carries_traffic(Traffic::oob)) continue;
    if (users_traffic(n) || shares_without_vlan(c, n)) continue;  // said by security-management-network-reachable
    const NetworkModel& wires = n.shares >= 0 ? c.networks[n.shares] : n;
    const bool compute = wires.carries_traffic(Traffic::compute);
    if (!compute && !wires.carries_traffic(Traffic::inband) && !wires.carries_traffic(Traffic::storage)) continue;
    Finding& f = findings.add(compute ? Severity::error : Severity::warning, rule.id,
                              first_place(written(n.spec->shares_switches_with), n.span),
                              format("management ports of network '{}' are on the switches that carry {}: if these "
                                     "switches fail, the management ports cannot be reached for repair",
                                     n.name, compute ? "the jobs" : "the nodes' own traffic"));
    if (n.shares >= 0) f.note(wires.span, "these switches belong to this network");
    f.help("use separate switches: `switch: nvidia-sn2201`").object("networks." + n.name);
  }
  if (everything) return;
  // Named groups only: what was left out?
  std::vector<std::string> left;
  for (std::size_t g = 0; g < c.nodes.size(); ++g) {
    if (!has_management_port(c.nodes[g])) continue;
    const bool there = std::ranges::any_of(ends_of_group(c, static_cast<int>(g)), [&](const GroupEnd& at) {
      return c.networks[static_cast<std::size_t>(at.network)].carries_traffic(Traffic::oob);
    });
    if (!there) left.push_back(c.nodes[g].name);
  }
  const std::int64_t pdus = static_cast<std::int64_t>(in.plan.pdus.size());
  if (left.empty() && switches + pdus == 0) return;
  std::string what = left.empty()
                         ? std::string()
                         : format("the servers of {}", name_list(left, static_cast<std::int64_t>(left.size())));
  if (switches) what += format("{}{} {}", what.empty() ? "" : " and ", switches, switches == 1 ? "switch" : "switches");
  if (pdus) what += format("{}{}", what.empty() ? "" : " and ", plural(pdus, "PDU"));
  Finding& f = findings.error(rule.id, first_place(oob->spec->connects.span, oob->span),
                              format("network '{}' leaves {} without a management connection", oob->name, what));
  f.help("write `connects: everything`").object("networks." + oob->name);
}

}  // namespace

extern const Rule kNetOobIncompleteOrDependent;  // registry.cc names it
const Rule kNetOobIncompleteOrDependent = {
    .id = "net-oob-incomplete-or-dependent",
    .code = "NET-018",
    .severity = Severity::error,
    .physics = false,
    .summary = "management ports are not connected, or only through the switches that they manage",
    .explanation = R"(## What it checks

The out-of-band network connects every management port (servers, switches, PDUs), on switches that carry nothing else. A
cluster of 32 or more servers without such a network gets a note.

## Why it matters

When a fabric switch hangs, it is repaired through its management port. If that port, or the server's, is connected
through the fabric itself, it fails at the same time, and someone must go to the site.

## Formula

```
connected management ports = servers with a BMC + switches + PDUs   (`connects: everything`)
switches of the network that carries oob carry neither compute nor storage nor in-band traffic
```

Unit: ports on both sides.

Where no VLAN keeps users away from it either, security-management-network-reachable says it, and only that rule does.

Source: NVIDIA, DGX SuperPOD reference architecture (out-of-band management network); 32 servers is a planning default.

Error: none beyond its inputs.

## Example

`oob: { shares_switches_with: compute, … }`.

## How to fix

Use small separate switches with `connects: everything`.

## When to accept

In a small room where in-band and management traffic share a switch by choice.
)",
    .check = net_oob_incomplete_or_dependent,
};

}  // namespace clusterc
