#include "model/nvlink.h"
#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/network.h"
#include "spec/software.h"

namespace clusterc {
namespace {

// A scheduler that gives out single GPUs puts a job of two on GPU 0 of one node and GPU 1 of another: on two rails that
// nothing joins, and the GPU that could hand over belongs to another job.
void check_shared_nodes(const Rule& rule, const RuleInput& in, Findings& findings, const NetworkModel& n,
                        SourceSpan at) {
  const Cluster& c = in.cluster;
  const auto& scheduler = c.spec.software->scheduler;
  if (!scheduler || !scheduler->kind) return;
  const bool kubernetes = *scheduler->kind == SchedulerKind::kubernetes;
  if (!kubernetes && *scheduler->kind != SchedulerKind::slurm) return;
  for (const EndPoints& e : n.ends) {
    if (e.group < 0 || e.ports_each <= 1) continue;
    const NodeGroupModel& g = c.nodes[static_cast<std::size_t>(e.group)];
    if (g.server.gpu_count <= 1 || !g.computes || g.count < 2) continue;
    findings
        .warning(
            rule.id, at,
            format("the {} rails of network '{}' are not connected, but {} gives single GPUs of '{}' to jobs: GPU 0 "
                   "of one node and GPU 1 of another have no path",
                   e.ports_each, n.name, kubernetes ? "Kubernetes" : "Slurm", g.name))
        .note(scheduler->kind.span, "the scheduler")
        .help("let jobs take whole nodes (`--exclusive`, `gpus: 8` for each pod), or write `topology: rail-optimised`")
        .object("networks." + n.name);
    return;
  }
}

void net_rails_unjoined_but_crossed(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  for (const NetworkModel& n : c.networks) {
    if (n.spec->topology.value_or(NetworkTopology::fat_tree) != NetworkTopology::rail_only) continue;
    const SourceSpan at = first_place(written(n.spec->topology), n.span);
    const std::string object = "networks." + n.name;
    for (const auto& t : n.spec->carries)
      if (t && *t != Traffic::compute) {
        Finding& f = findings.error(rule.id, at,
                                    format("the rails of network '{}' are not connected, but it carries {} traffic, "
                                           "which goes from any port to any other",
                                           n.name, enum_text(*t)));
        f.note(first_place(t.span, n.span), format("{} is carried here", enum_text(*t)));
        f.help(
             "write `topology: rail-optimised`, which connects the rails at the spines; or use another network for "
             "this traffic")
            .object(object);
        break;
      }
    check_shared_nodes(rule, in, findings, n, at);
    for (const EndPoints& e : n.ends) {
      if (e.group < 0 || e.ports_each <= 1) continue;
      const NodeGroupModel& g = c.nodes[e.group];
      // GPUs that talk to each other inside the node hand traffic of another rail over to the GPU that sits on it.
      if (g.server.gpu_count <= 1 || gpus_joined_in_server(g.server) == g.server.gpu_count) continue;
      Finding& f = findings.error(rule.id, at,
                                  format("the {} rails of network '{}' are not connected, and neither are the GPUs of "
                                         "'{}' inside the node: GPU 1 of one node has no path to GPU 2 of another",
                                         e.ports_each, n.name, g.name));
      f.note(e.span, format("{} on PCIe", plural(g.server.gpu_count, "GPU")));
      f.help("write `topology: rail-optimised`, or use GPUs with NVLink").object(object);
    }
  }
}

}  // namespace

extern const Rule kNetRailsUnjoinedButCrossed;  // registry.cc names it
const Rule kNetRailsUnjoinedButCrossed = {
    .id = "net-rails-unjoined-but-crossed",
    .code = "NET-006",
    .severity = Severity::error,
    .physics = false,
    .summary = "the rails have no path between them, but traffic needs one",
    .explanation = R"(## What it checks

Where the rails of a network are not connected (`topology: rail-only`), nothing needs a path from one rail to another:
the network carries only compute traffic, and the GPUs of a node are connected by NVLink or a similar link.

## Why it matters

Port 1 of one node and port 2 of another are then on two separate networks. A job that sends between them does not
start, or hangs and ends with a timeout after minutes. Storage and IP traffic do not follow rails.

## Formula

```
topology is rail-only: carries = [compute]
topology is rail-only and more than one GPU a node: GPUs joined inside the node
topology is rail-only and a scheduler that shares nodes among jobs: a warning
```

Unit: none. Settings are compared.

Source: NVIDIA NCCL, issues 836, 1664, 1933 and 2193 (NCCL_CROSS_NIC and unjoined rails; PXN hands over inside the node through NVLink).

## Example

`topology: rail-only` with `carries: [compute, storage]`.

## How to fix

Use `topology: rail-optimised`, whose spines connect the rails; use another network for storage; and set
`NCCL_CROSS_NIC=0` for jobs on a rail-only fabric.

## When to accept

Where all software is known to stay on its rail.
)",
    .check = net_rails_unjoined_but_crossed,
};

}  // namespace clusterc
