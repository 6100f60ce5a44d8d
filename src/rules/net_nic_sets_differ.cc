#include "model/group_ends.h"
#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/network.h"
#include "spec/workload.h"

namespace clusterc {
namespace {

struct Set {
  int group = -1;
  std::int64_t ports = 0;
  BitsPerSecond rate{0};
  SourceSpan span;
};

// What the nodes of a group have on the networks that carry jobs.
Set set_of(const Cluster& c, int group) {
  Set s{.group = group};
  for (const GroupEnd& at : ends_of_group(c, group)) {
    const NetworkModel& n = c.networks[static_cast<std::size_t>(at.network)];
    if (!n.carries_traffic(Traffic::compute) || n.shares >= 0) continue;
    const EndPoints& e = n.ends[static_cast<std::size_t>(at.end)];
    s.ports += e.ports_each;
    s.rate = s.rate.value > 0 ? std::min(s.rate, e.rate) : e.rate;
    s.span = e.span;
  }
  return s;
}

void net_nic_sets_differ(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  for (const auto& w : c.spec.workloads) {
    if (w.value.on.size() < 2) continue;
    std::optional<Set> first;
    for (const auto& on : w.value.on) {
      const int g = c.find_node_group(on.name);
      if (g < 0) continue;
      const Set s = set_of(c, g);
      if (!first) {
        first = s;
        continue;
      }
      if (s.ports == first->ports && s.rate == first->rate) continue;
      const auto text = [&](const Set& x) {
        return x.ports == 0 ? format("'{}' has no port", c.nodes[x.group].name)
                            : format("'{}' has {} x {}", c.nodes[x.group].name, x.ports, to_text(x.rate));
      };
      Finding& f = findings.warning(
          rule.id, on.name_span,
          format("workload '{}' runs on nodes with different compute ports: {}, {}", w.name, text(*first), text(s)));
      if (first->span.valid()) f.note(first->span, format("'{}' is connected here", c.nodes[first->group].name));
      if (s.span.valid()) f.note(s.span, format("'{}' is connected here", c.nodes[g].name));
      f.help("use one group in each job, or the same adapters in both groups").object("workloads." + w.name);
      break;
    }
  }
}

}  // namespace

extern const Rule kNetNicSetsDiffer;  // registry.cc names it
const Rule kNetNicSetsDiffer = {
    .id = "net-nic-sets-differ",
    .code = "NET-019",
    .severity = Severity::warning,
    .physics = false,
    .summary = "the nodes of one job have different compute ports",
    .explanation = R"(## What it checks

All nodes of one workload (`on:`) have the same number of ports of the same rate on the compute networks.

## Why it matters

Collective libraries build their rings from the ports that all nodes have. Where these differ, the job uses the smaller
set, refuses to start, or hangs; the slowest node sets the rate of all.

## Formula

```
ports and rate of group a = ports and rate of group b, for all groups of one workload
```

Unit: ports and bit/s on both sides.

Source: NVIDIA NCCL, issue 2428 (one adapter that cannot be opened, and a silent hang).

Error: none beyond its inputs.

## Example

`on: { h100: 8, v100: 6 }` where one has 8 ports of 400 Gb/s and the other one of 100 Gb/s.

## How to fix

Keep a job within one group, or install the same adapters.

## When to accept

Where the parts of the job on the two groups do not communicate with each other.
)",
    .check = net_nic_sets_differ,
};

}  // namespace clusterc
