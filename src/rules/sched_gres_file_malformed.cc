#include "base/text.h"
#include "model/slurm_lines.h"
#include "plan/plan.h"
#include "rules/fix.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/software.h"

namespace clusterc {
namespace {

bool cut_by_mig(const NodeGroupModel& g) {
  const std::string mig = g.software->mig.value_or("off");
  return mig != "off" && mig != "no" && !mig.empty();
}

void sched_gres_file_malformed(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  const NodeGroupModel* with_files = nullptr;  // a group for which File= lines are compiled
  for (const NodeGroupModel& g : c.nodes)
    if (g.computes && g.count > 0 && g.server.gpu_count > 0 && !cut_by_mig(g))
      with_files = with_files ? with_files : &g;
  for (const SlurmLine& line : extra_slurm_lines(c, "gres.conf")) {
    const std::string* nodes = line.value("nodename");
    const NodeGroupModel* g = with_files;
    if (nodes) {
      const SlurmNames names = slurm_names_of(c, *nodes);
      if (names.nodes.empty()) continue;
      g = &c.nodes[c.node_group_of(names.nodes.front())];
      if (g->server.gpu_count == 0 || cut_by_mig(*g)) g = nullptr;
    }
    const std::string* detect = line.value("autodetect");
    const std::string* name = line.value("name");
    if (detect && to_lower(*detect) != "off" && g) {
      take_out(findings
                   .error(rule.id, line.span,
                          format("AutoDetect={} finds the GPUs of '{}', but the compiled gres.conf already names them "
                                 "by `File=` too: duplicate records",
                                 *detect, g->name))
                   .note(g->span, "the compiled gres.conf lists its GPUs by device")
                   .help("leave the line out")
                   .object("nodes." + g->name),
               in.sources, line.span);
    } else if (name && to_lower(*name) == "gpu" && g) {
      Finding& f = line.value("file") ? findings.error(rule.id, line.span,
                                                       format("an extra line lists GPUs of '{}', which the compiled "
                                                              "gres.conf lists already: duplicate records",
                                                              g->name))
                                      : findings.error(rule.id, line.span,
                                                       format("an extra line of gres.conf names GPUs of '{}' without "
                                                              "`File=`: jobs would not be confined to them",
                                                              g->name));
      f.note(g->span, "the compiled gres.conf lists its GPUs by device")
          .help("leave the line out; `gpus` of the group says how many there are")
          .object("nodes." + g->name);
      take_out(f, in.sources, line.span);
    }
  }
}

}  // namespace

extern const Rule kSchedGresFileMalformed;  // registry.cc names it
const Rule kSchedGresFileMalformed = {
    .id = "sched-gres-file-malformed",
    .code = "SCHED-002",
    .severity = Severity::error,
    .physics = false,
    .summary = "gres.conf names the same GPUs twice",
    .explanation = R"(## What it checks

Extra lines for gres.conf (`outputs.slurm.extra`) do not name the GPUs that the compiled file names by `File=`: neither by AutoDetect nor once more.

## Why it matters

slurmd finds each GPU twice, reports twice as many or none, and the node drains ("duplicate records"). GPUs without a file are counted and not confined: every job sees all of them.

## Formula

```
one of: AutoDetect, or Name=gpu with File=; for each node
```

Unit: none. Lines are compared.

Source: gres.conf(5), AutoDetect and File.

## Example

`extra: { gres.conf: [ "AutoDetect=nvml" ] }`.

## How to fix

Leave it out: the compiled lines follow from the PCIe tree of the server and are read by every build of slurmd.

## When to accept

Where a script of yours takes the compiled lines out again.
)",
    .check = sched_gres_file_malformed,
};

}  // namespace clusterc
