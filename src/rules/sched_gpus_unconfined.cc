#include "base/text.h"
#include "model/slurm_lines.h"
#include "plan/plan.h"
#include "rules/fix.h"
#include "rules/rule.h"
#include "rules/say.h"

namespace clusterc {
namespace {

void sched_gpus_unconfined(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  const NodeGroupModel* gpus = nullptr;
  for (const NodeGroupModel& g : c.nodes)
    if (!gpus && g.computes && g.count > 0 && g.server.gpu_count > 1) gpus = &g;
  if (!gpus) return;
  const auto say = [&](const SlurmLine& line, std::string_view key, const std::string& value, std::string_view wanted) {
    Finding& f =
        findings.error(rule.id, line.span,
                       format("with {}={} a job sees all {} GPUs of a node of '{}', not only those that it requested",
                              key, value, gpus->server.gpu_count, gpus->name));
    f.note(gpus->span, "the nodes")
        .help(format("leave the line out: {}={} is compiled", key, wanted))
        .object("outputs.slurm");
    take_out(f, in.sources, line.span);
  };
  for (const SlurmLine& line : extra_slurm_lines(c, "cgroup.conf"))
    if (const std::string* v = line.value("constraindevices"); v && to_lower(*v) != "yes")
      say(line, "ConstrainDevices", *v, "yes");
  for (const SlurmLine& line : extra_slurm_lines(c, "slurm.conf")) {
    if (const std::string* v = line.value("taskplugin")) {
      const std::string text = to_lower(*v);
      const std::vector<std::string_view> plugins = split(text, ',');
      if (std::none_of(plugins.begin(), plugins.end(),
                       [](std::string_view p) { return p == "task/cgroup" || p == "cgroup"; }))
        say(line, "TaskPlugin", *v, "task/affinity,task/cgroup");
    }
    if (const std::string* v = line.value("proctracktype"); v && to_lower(*v) != "proctrack/cgroup")
      say(line, "ProctrackType", *v, "proctrack/cgroup");
  }
}

}  // namespace

extern const Rule kSchedGpusUnconfined;  // registry.cc names it
const Rule kSchedGpusUnconfined = {
    .id = "sched-gpus-unconfined",
    .code = "SCHED-003",
    .severity = Severity::error,
    .physics = false,
    .summary = "jobs are not confined to the GPUs that they were allocated",
    .explanation = R"(## What it checks

No extra line for Slurm (`outputs.slurm.extra`) takes back what confines a job to the GPUs it was given. The compiled files have all three settings.

## Why it matters

Slurm counts GPUs without them, and hands each job its own by an environment variable. A program that does not look at it runs on its neighbour's GPU, and both are slow and wrong.

## Formula

```
cgroup.conf: ConstrainDevices=yes
slurm.conf:  TaskPlugin contains task/cgroup, ProctrackType=proctrack/cgroup
```

Unit: none. Settings are compared.

Source: cgroup.conf(5), ConstrainDevices; slurm.conf(5), TaskPlugin and ProctrackType.

## Example

`extra: { cgroup.conf: [ "ConstrainDevices=no" ] }`.

## How to fix

Leave the line out.

## When to accept

Where every job gets whole nodes.
)",
    .check = sched_gpus_unconfined,
};

}  // namespace clusterc
