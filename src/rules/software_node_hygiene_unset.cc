#include "plan/plan.h"
#include "rules/fix.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "rules/software_say.h"

namespace clusterc {
namespace {

void software_node_hygiene_unset(const Rule& rule, const RuleInput& in, Findings& findings) {
  Once once;
  for (const NodeGroupModel& g : in.cluster.nodes) {
    const Software& s = *g.software;
    if (g.count == 0 || !is_ours(g)) continue;
    if (s.time_servers.size() == 1 && once.first(s.time_servers[0].span))
      findings
          .note(rule.id, s.time_servers[0].span,
                format("there is only one time server ('{}'): when it fails, clocks drift apart, and munge refuses a "
                       "credential "
                       "that is 300 s old",
                       s.time_servers[0].value_or("")))
          .help("add a second server to `time_servers`; four servers outvote a wrong one");
    if (has_nvidia_gpus(g) && s.persistence && !*s.persistence && once.first(s.persistence.span))
      write_instead(findings
                        .note(rule.id, s.persistence.span,
                              format("persistence mode is off on '{}': the driver initialises {} GPUs at the start of "
                                     "each job and loses earlier settings",
                                     g.name, g.server.gpu_count))
                        .help("write `persistence: true`: nvidia-persistenced then keeps the driver initialised")
                        .object("nodes." + g.name),
                    s.persistence, "true");
  }
}

}  // namespace

extern const Rule kSoftwareNodeHygieneUnset;  // registry.cc names it
const Rule kSoftwareNodeHygieneUnset = {
    .id = "software-node-hygiene-unset",
    .code = "SW-016",
    .severity = Severity::note,
    .physics = false,
    .summary = "only one time server, or GPUs that the driver initialises again for each job",
    .explanation = R"(## What it checks

Where time servers are named there are two of them; where persistence mode is written it is on. What the spec leaves out is left to the operating system and is not spoken of.

## Why it matters

munge, and with it Slurm, refuses credentials when clocks are more than 300 s apart, and logs of two nodes cannot be laid beside each other. Without persistence the driver is initialised for each job, and power and clock limits are forgotten in between.

## Formula

```
time_servers: 0 (the system's own) or >= 2        persistence: not false
```

Unit: none. Settings are compared.

Source: munge(7), credential time to live 300 s; RFC 8633 section 3.2 (number of time sources); NVIDIA, driver persistence.

## Example

`time_servers: [ntp1.example.org]`.

## How to fix

`time_servers: [ntp1.example.org, ntp2.example.org]`, `persistence: true`.

## When to accept

Where the one name stands for several servers.
)",
    .check = software_node_hygiene_unset,
};

}  // namespace clusterc
