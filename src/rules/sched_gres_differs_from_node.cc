#include "base/text.h"
#include "model/slurm_lines.h"
#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"

namespace clusterc {
namespace {

// "gpu:h100:7", "gpu:7", "gpu": the number of GPUs, over all entries.
std::int64_t gpus_of(std::string_view gres) {
  std::int64_t n = 0;
  for (std::string_view entry : split(gres, ',')) {
    const std::vector<std::string_view> parts = split(entry, ':');
    if (parts.empty() || to_lower(parts[0]) != "gpu") continue;
    std::string_view last = parts.back();
    if (const std::size_t paren = last.find('('); paren != std::string_view::npos) last = last.substr(0, paren);
    const auto count = parse_uint(last);
    n += parts.size() > 1 && count ? static_cast<std::int64_t>(*count) : 1;
  }
  return n;
}

void sched_gres_differs_from_node(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  for (const SlurmLine& line : extra_slurm_lines(c, "slurm.conf")) {
    const std::string* name = line.value("nodename");
    if (!name || to_lower(*name) == "default") continue;
    const SlurmNames names = slurm_names_of(c, *name);
    if (names.nodes.empty()) continue;  // nodes of somebody else's
    const NodeGroupModel& g = c.nodes[c.node_group_of(names.nodes.front())];
    const std::string* gres = line.value("gres");
    const std::int64_t says = gres ? gpus_of(*gres) : 0;
    Finding& f = gres && says != g.server.gpu_count
                     ? findings.error(rule.id, line.span,
                                      format("an extra line gives {} to '{}', but the spec gives {}",
                                             plural(says, "GPU"), c.node_name(names.nodes.front()), g.server.gpu_count))
                     : findings.error(rule.id, line.span,
                                      format("'{}' is defined twice in slurm.conf, by the spec and by an extra line",
                                             c.node_name(names.nodes.front())));
    f.note(g.span, format("the compiled line comes from group '{}'", g.name));
    f.help(
         "slurmctld does not start if a node is defined twice: change the group (`gpus`, `memory`, `spares`), or leave "
         "the extra line out")
        .object("nodes." + g.name);
  }
}

}  // namespace

extern const Rule kSchedGresDiffersFromNode;  // registry.cc names it
const Rule kSchedGresDiffersFromNode = {
    .id = "sched-gres-differs-from-node",
    .code = "SCHED-001",
    .severity = Severity::error,
    .physics = false,
    .summary = "an extra line gives a node other GPUs than it has",
    .explanation = R"(## What it checks

Extra lines for slurm.conf (`outputs.slurm.extra`) define no node that the spec defines: neither with other GPUs nor again. The compiled lines themselves follow from the spec, and so do those of gres.conf.

## Why it matters

slurmctld refuses a node that stands twice. Where a line with another count wins, a node that reports fewer GPUs than configured goes to INVAL and drains; one that has more hides them.

## Formula

```
NodeName of an extra line: none of the cluster's nodes
```

Unit: none. Names are compared.

Source: slurm.conf(5), NodeName and Gres.

## Example

`extra: { slurm.conf: [ "NodeName=gpu01 Gres=gpu:h100:7" ] }` for a node that has eight.

## How to fix

A group of its own for a node that differs, with the GPUs that it has.

## When to accept

Where the lines go to a slurm.conf that the compiled one does not replace.
)",
    .check = sched_gres_differs_from_node,
};

}  // namespace clusterc
