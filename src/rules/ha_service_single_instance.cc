#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/ha.h"
#include "spec/nodes.h"
#include "spec/software.h"

namespace clusterc {
namespace {

// Below this many nodes a stop of an hour is somebody's afternoon (planning default).
constexpr Threshold kHaServiceSingleInstanceThreshold{
    .means = "nodes from which a service needs two servers", .standard = 32, .least = 1, .most = 1e6, .whole = true};

struct Service {
  std::string_view what;
  Role role;
};
constexpr Service kServices[] = {
    {"scheduling", Role::scheduler}, {"the control plane", Role::control_plane}, {"installation", Role::provisioning}};

// All machines of the groups in one rack? Then its number, else -1.
std::int64_t common_rack(const RuleInput& in, const std::vector<int>& groups) {
  std::int64_t rack = -2;
  for (int g : groups) {
    const NodeGroupModel& n = in.cluster.nodes[g];
    for (std::int64_t i = n.first; i < n.first + n.count; ++i) {
      const std::int64_t here = in.plan.node_rack[i];
      if (here < 0 || (rack >= 0 && here != rack)) return -1;
      rack = here;
    }
  }
  return rack;
}

void ha_service_single_instance(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  const auto nodes_that_need_two = static_cast<std::int64_t>(in.threshold(rule));
  std::int64_t working = 0;
  for (const NodeGroupModel& g : c.nodes)
    if (g.computes) working += g.count;

  for (const NodeGroupModel& g : c.nodes)
    if (g.spec->ha && *g.spec->ha != HaMode::quorum && g.count == 1)  // a quorum is ha-quorum-even-or-split's
      findings
          .error(rule.id, g.spec->ha.span,
                 format("'{}' must survive the loss of a node ({}) but has 1 node; 2 are needed", g.name,
                        enum_text(*g.spec->ha)))
          .note(first_place(g.spec->names.span, g.span), "these are its names")
          .help("write two names")
          .object("nodes." + g.name);

  std::vector<std::vector<int>> told;  // one group with two roles is one cause
  for (const Service& s : kServices) {
    std::vector<int> groups;
    std::int64_t count = 0;
    for (std::size_t g = 0; g < c.nodes.size(); ++g)
      if (c.nodes[g].has_role(s.role)) {
        groups.push_back(static_cast<int>(g));
        count += c.nodes[g].count;
      }
    if (groups.empty() || std::find(told.begin(), told.end(), groups) != told.end()) continue;
    told.push_back(groups);
    const NodeGroupModel& g = c.nodes[groups.front()];
    if (count == 1) {
      if (g.spec->ha || working < nodes_that_need_two) continue;
      findings
          .warning(rule.id, g.span,
                   format("{} of {} depends on 1 node, '{}'", s.what, plural(working, "node"), g.names.name(0)))
          .help(format("use two nodes and `ha: active-passive`"))
          .object("nodes." + g.name);
    } else if (const std::int64_t rack = common_rack(in, groups); rack >= 0 && c.rack_count > 1) {
      findings
          .warning(rule.id, first_place(written(g.spec->racks), g.span),
                   format("all {} nodes that serve {} are in 1 rack, '{}'", count, s.what, c.rack_name(rack)))
          .help("write `per_rack: 1`, or move one of them to racks of another group")
          .object("nodes." + g.name)
          .object("rack/" + c.rack_name(rack));
    }
  }
  if (working >= nodes_that_need_two) {
    const auto lone = [&](const std::vector<Value<std::string>>& servers, std::string_view what, std::string_view key) {
      if (servers.size() == 1 && servers.front())
        findings
            .warning(rule.id, servers.front().span,
                     format("{} of {} depends on 1 server, '{}'", what, plural(working, "node"), *servers.front()))
            .help(format("add a second entry to `{}`", key))
            .object("software");
    };
    lone(c.spec.software->name_servers, "name resolution", "name_servers");
    lone(c.spec.software->time_servers, "time synchronisation", "time_servers");
  }
}

}  // namespace

extern const Rule kHaServiceSingleInstance;  // registry.cc names it
const Rule kHaServiceSingleInstance = {
    .id = "ha-service-single-instance",
    .code = "HA-001",
    .severity = Severity::warning,
    .physics = false,
    .summary = "a service that all nodes need has one instance, or all of it is in one rack",
    .explanation = R"(## What it checks

A group that must survive the loss of a node (`ha`) has two nodes (error). In clusters of 32 or more nodes, scheduler,
control plane and provisioning run on two nodes each, and there are two name servers and two time servers (warning).
Where a service has two nodes, they are in two racks (warning).

## Why it matters

While the only controller is down, no job starts and none ends cleanly. Two controllers in one rack share its PDUs and
its switch and fail together.

## Formula

```
nodes with the role >= 2, in more than one rack
name_servers >= 2, time_servers >= 2, where they are given
```

Unit: nodes, racks and servers, all counted.

Subnet managers are net-subnet-manager-or-lids-short's, file servers storage-metadata-on-single-server's. 32 nodes is a planning default.

Source: arithmetic.

Error: none beyond its inputs.

## Example

`head: { names: "head", roles: [scheduler] }` for 500 nodes.

## How to fix

`names: "head[1-2]"`, `ha: active-passive`, `per_rack: 1`.

## When to accept

Where the users accept a scheduler outage of an hour.
)",
    .check = ha_service_single_instance,
    .threshold = &kHaServiceSingleInstanceThreshold,
};

}  // namespace clusterc
