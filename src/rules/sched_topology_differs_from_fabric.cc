#include "base/text.h"
#include "model/slurm_lines.h"
#include "plan/plan.h"
#include "rules/fix.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/network.h"
#include "spec/software.h"

namespace clusterc {
namespace {

// Whether topology.conf has something to say: a network that carries jobs and has switches in this plan (its own, or a
// host's).
bool has_tree(const RuleInput& in) {
  const Cluster& c = in.cluster;
  for (std::size_t i = 0; i < c.networks.size(); ++i) {
    if (!c.networks[i].carries_traffic(Traffic::compute)) continue;
    const int host = c.networks[i].shares >= 0 ? c.networks[i].shares : static_cast<int>(i);
    if (!in.plan.fabrics[host].tiers.empty()) return true;
  }
  return false;
}

void sched_topology_differs_from_fabric(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  const auto& scheduler = c.spec.software->scheduler;
  if (!scheduler || scheduler->kind.value != SchedulerKind::slurm) return;
  if (scheduler->topology.value == TopologyPlugin::tree && scheduler->topology.origin == Origin::spec && !has_tree(in))
    findings
        .error(rule.id, scheduler->topology.span,
               "a tree is asked for, and no network that carries jobs has switches in this plan: topology.conf would "
               "be empty")
        .help("write `topology: none`, or `carries: [compute, …]` on the network that jobs use")
        .object("software.scheduler");
  for (const SlurmLine& line : extra_slurm_lines(c, "topology.conf")) {
    const std::string* nodes = line.value("nodes");
    if (!nodes) continue;
    const std::string* what = line.value("switchname");
    if (!what) what = line.value("blockname");
    const SlurmNames names = slurm_names_of(c, *nodes);
    if (!names.readable) continue;
    const std::string who = what ? format("'{}'", *what) : std::string("an extra line");
    if (names.unknown)
      findings
          .error(rule.id, line.span,
                 format("{} of topology.conf names '{}', which is not a node of the cluster", who, *names.unknown))
          .help("name nodes of the spec; the compiled lines already contain every group of the spec")
          .object("outputs.slurm");
    else if (std::any_of(names.nodes.begin(), names.nodes.end(),
                         [&](std::int64_t n) { return c.nodes[c.node_group_of(n)].computes; }) &&
             has_tree(in))
      take_out(findings
                   .error(rule.id, line.span,
                          format("{} of topology.conf names '{}', which the compiled lines already contain: a node is "
                                 "in one leaf only",
                                 who, c.node_name(names.nodes.front())))
                   .help("leave the line out: the compiled lines follow the fabric")
                   .object("outputs.slurm"),
               in.sources, line.span);
  }
}

}  // namespace

extern const Rule kSchedTopologyDiffersFromFabric;  // registry.cc names it
const Rule kSchedTopologyDiffersFromFabric = {
    .id = "sched-topology-differs-from-fabric",
    .code = "SCHED-005",
    .severity = Severity::error,
    .physics = false,
    .summary = "topology.conf does not describe the fabric",
    .explanation = R"(## What it checks

Slurm's picture of the fabric is the fabric: a tree is asked for only where a network that carries jobs has switches, and extra lines for topology.conf (`outputs.slurm.extra`) name no node twice and none that is not there. The compiled lines follow the plan.

## Why it matters

slurmctld does not start with a topology.conf that names an unknown node. With an empty one, or a node in two leaves, jobs are spread over spines that they need not cross.

## Formula

```
every node in exactly one leaf; every name a node of the cluster
```

Unit: none. Names are compared.

Source: topology.conf(5); Slurm, topology guide.

## Example

`extra: { topology.conf: [ "SwitchName=s9 Nodes=gpu[942-943]" ] }` in a cluster of 128 nodes.

## How to fix

Leave the lines out; write the network as it is wired.

## When to accept

Where the node is added to Slurm by other means before the file is read.
)",
    .check = sched_topology_differs_from_fabric,
};

}  // namespace clusterc
