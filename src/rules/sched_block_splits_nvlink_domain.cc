#include "model/nvlink.h"
#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/network.h"
#include "spec/nodes.h"
#include "spec/software.h"

namespace clusterc {
namespace {

void sched_block_splits_nvlink_domain(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  const auto& scheduler = c.spec.software->scheduler;
  const bool blocks = scheduler && scheduler->kind.value == SchedulerKind::slurm &&
                      scheduler->topology.value_or(TopologyPlugin::block) == TopologyPlugin::block;
  for (const NodeGroupModel& g : c.nodes) {
    if (!g.computes || g.count == 0 || g.server.gpu_count == 0) continue;
    const std::int64_t gpus = nvlink_domain_gpus(c, g), each = nvlink_domain_nodes(c, g);
    const std::string object = "nodes." + g.name;
    SourceSpan said = g.span;
    for (const auto& d : c.spec.nvlink)
      for (const auto& name : d.value.nodes)
        if (name.value == g.name) said = first_place(d.value.size.span, d.name_span);
    if (gpus > g.server.gpu_count && gpus % g.server.gpu_count != 0) {
      findings
          .error(rule.id, said,
                 format("an NVLink domain of {} GPUs ends inside a node of '{}': each node has {}", gpus, g.name,
                        g.server.gpu_count))
          .note(g.span, "the nodes")
          .help(format("write {} or {} GPUs", gpus / g.server.gpu_count * g.server.gpu_count,
                       (gpus / g.server.gpu_count + 1) * g.server.gpu_count))
          .object(object);
      continue;
    }
    if (each == 0 || !blocks) continue;
    const std::int64_t domains = (g.count + each - 1) / each, spares = g.spec->spares.value_or(0),
                       size = nvlink_block_size(c, g);
    if (const std::int64_t left = g.count % each; left != 0) {
      Finding& f = findings.warning(
          rule.id, first_place(written(g.spec->names), g.span),
          format("'{}' has {} nodes and each NVLink domain has {}: the last block of Slurm has only {}", g.name,
                 g.count, each, left));
      f.label(format("{} = {} x {} + {}", g.count, g.count / each, each, left));
      f.help(format("use {} or {} nodes", g.count - left, g.count - left + each)).object(object);
      continue;
    }
    if (spares > 0 && spares % domains != 0) {
      const std::int64_t idle = g.count - spares - domains * size, each_domain = (spares + domains - 1) / domains;
      Finding& f =
          findings.warning(rule.id, g.spec->spares.span,
                           format("{} cannot be divided evenly over {} NVLink domains of '{}' with {} each: "
                                  "Slurm gets blocks of {}, and {} in no complete block",
                                  plural(spares, "spare"), domains, g.name, plural(each, "node"), plural(size, "node"),
                                  idle == 1 ? "1 node is" : format("{} nodes are", idle)));
      f.label(format("{} - {} - {} x {} = {}", g.count, spares, domains, size, idle));
      f.help(format("write `spares: {}`, which is {} for each domain", domains * each_domain, each_domain))
          .object(object);
    }
  }
}

}  // namespace

extern const Rule kSchedBlockSplitsNvlinkDomain;  // registry.cc names it
const Rule kSchedBlockSplitsNvlinkDomain = {
    .id = "sched-block-splits-nvlink-domain",
    .code = "SCHED-006",
    .severity = Severity::warning,
    .physics = false,
    .summary = "blocks of the scheduler that do not fill NVLink domains",
    .explanation = R"(## What it checks

NVLink domains end where nodes end (error). Where Slurm places jobs by block, a group's nodes fill whole domains and its spares are spread evenly over them (warning): the size of a block is what every domain can count on.

## Why it matters

A job of one block gets a whole domain, or waits. Nodes that never fill a block idle in jobs of that kind, and nobody sees why the racks are never full.

## Formula

```
nodes of a domain = GPUs of the domain / GPUs of a node, without remainder
nodes of the group = domains x nodes of a domain
BlockSizes = nodes of a domain - spares / domains, rounded up
```

Unit: nodes on both sides.

Source: topology.conf(5), BlockSizes; NVIDIA, GB200 NVL72 (18 compute trays of four GPUs).

Error: none beyond its inputs.

## Example

`spares: 9` over eight racks of 18 trays: blocks of 16, and seven trays never fill one.

## How to fix

`spares` a multiple of the domains: 8 or 16.

## When to accept

Where jobs are smaller than a block by far.
)",
    .check = sched_block_splits_nvlink_domain,
};

}  // namespace clusterc
