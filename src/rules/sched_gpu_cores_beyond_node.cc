#include "base/text.h"
#include "model/slurm_lines.h"
#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"

namespace clusterc {
namespace {

// The groups that a partition line is about: of its Nodes=, else the one that gave the compiled partition its name.
std::vector<const NodeGroupModel*> groups_of(const Cluster& c, const SlurmLine& line, const std::string& partition) {
  std::vector<const NodeGroupModel*> out;
  const std::string* nodes = line.value("nodes");
  std::vector<bool> named(c.nodes.size(), nodes && to_lower(*nodes) == "all");
  if (nodes && !named.empty() && !named[0])
    for (const std::int64_t node : slurm_names_of(c, *nodes).nodes) named[c.node_group_of(node)] = true;
  for (std::size_t i = 0; i < c.nodes.size(); ++i)
    if (nodes ? named[i] : c.nodes[i].name == partition) out.push_back(&c.nodes[i]);
  return out;
}

void sched_gpu_cores_beyond_node(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  for (const SlurmLine& line : extra_slurm_lines(c, "slurm.conf")) {
    const std::string *partition = line.value("partitionname"), *share = line.value("defcpupergpu");
    const auto each = share ? parse_uint(*share) : std::nullopt;
    if (!partition || !each) continue;
    for (const NodeGroupModel* g : groups_of(c, line, *partition)) {
      const std::int64_t cpus = g->server.cores * g->server.threads_per_core, gpus = g->server.gpu_count;
      if (cpus == 0 || gpus == 0 ||
          !above(static_cast<double>(*each) * static_cast<double>(gpus), static_cast<double>(cpus)))
        continue;
      findings
          .error(
              rule.id, line.span,
              format("partition '{}' gives {} CPUs with each GPU, which makes {} for the {} of a node of '{}', but the "
                     "node has {}",
                     *partition, *each, *each * static_cast<std::uint64_t>(gpus), plural(gpus, "GPU"), g->name, cpus))
          .label(
              format("{} CPUs = {} x {}, cores and threads of each", cpus, g->server.cores, g->server.threads_per_core))
          .note(g->span, "these are the nodes")
          .help(
              format("write `DefCpuPerGPU={}` or less; without the line, the compiled partition of '{}' has that value",
                     cpus / gpus, g->name))
          .object("nodes." + g->name);
      break;  // the line is the cause, once
    }
  }
}

}  // namespace

extern const Rule kSchedGpuCoresBeyondNode;  // registry.cc names it
const Rule kSchedGpuCoresBeyondNode = {
    .id = "sched-gpu-cores-beyond-node",
    .code = "SCHED-007",
    .severity = Severity::error,
    .physics = false,
    .summary = "a partition gives more cores with each GPU than a node has",
    .explanation = R"(## What it checks

An extra partition of slurm.conf (`outputs.slurm.extra`) does not give more CPUs with each GPU (`DefCpuPerGPU`) than a node has for all of its GPUs.

## Why it matters

A job that asks for all GPUs of a node, and leaves the cores to the default, asks for more CPUs than there are: sbatch refuses it, or it takes fewer GPUs of more nodes. Up to that point the last GPUs of each node stay idle,
for want of cores.

## Formula

```
DefCpuPerGPU x GPUs of a node <= cores x threads of a core
```

Unit: processors of the operating system on both sides.

Source: slurm.conf(5), DefCpuPerGPU. Which cores are near to which GPU is no question here: the compiled gres.conf takes `Cores=` from the PCIe tree, and lines that name the GPUs again are sched-gres-file-malformed.

Error: none beyond its inputs.

## Example

`PartitionName=big Nodes=g[1-4] DefCpuPerGPU=32` for nodes of 2 x 48 cores, two threads each, and eight GPUs: 256 of 192 CPUs.

## How to fix

The number that a node has for each GPU, or leave it out: compiled partitions have it.

## When to accept

Where every job says itself how many cores it needs.
)",
    .check = sched_gpu_cores_beyond_node,
};

}  // namespace clusterc
