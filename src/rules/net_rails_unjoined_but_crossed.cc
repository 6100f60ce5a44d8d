#include "model/nvlink.h"
#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"

namespace clusterc {
namespace {

void check(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  for (const NetworkModel& n : c.networks) {
    if (n.spec->topology.value_or(NetworkTopology::fat_tree) != NetworkTopology::rail_only) continue;
    const SourceSpan at = first_place(written(n.spec->topology), n.span);
    const std::string object = "networks." + n.name;
    for (const auto& t : n.spec->carries)
      if (t && *t != Traffic::compute) {
        Finding& f = findings.error(rule.id, at,
                                    format("the rails of network '{}' are not joined, and it carries {} traffic, which "
                                           "goes from any port to any other",
                                           n.name, enum_text(*t)));
        f.note(first_place(t.span, n.span), format("{} is carried here", enum_text(*t)));
        f.help("`topology: rail-optimised` joins the rails at the spines; or another network for it").object(object);
        break;
      }
    for (const EndPoints& e : n.ends) {
      if (e.group < 0 || e.ports_each <= 1) continue;
      const NodeGroupModel& g = c.nodes[e.group];
      // GPUs that talk to each other inside the node hand traffic of another rail over to the GPU that sits on it.
      if (g.server.gpu_count <= 1 || gpus_joined_in_server(g.server) == g.server.gpu_count) continue;
      Finding& f = findings.error(rule.id, at,
                                  format("the {} rails of network '{}' are not joined, nor are the GPUs of '{}' inside "
                                         "the node: GPU 1 of one node has no path to GPU 2 of another",
                                         e.ports_each, n.name, g.name));
      f.note(e.span, format("{} on PCIe", plural(g.server.gpu_count, "GPU")));
      f.help("`topology: rail-optimised`, or GPUs with NVLink").object(object);
    }
  }
}

}  // namespace

constexpr std::string_view kExplanation = R"(## What it checks

Where the rails of a network are not joined (`topology: rail-only`), nothing needs a path from one rail to another: the network carries compute traffic only, and the GPUs of a node are joined by NVLink or its like.

## Why it matters

Port 1 of one node and port 2 of another are then on two networks. A job whose software sends that way does not start, or hangs with a timeout after minutes; storage and IP traffic know nothing of rails.

## Formula

```
topology is rail-only: carries = [compute]
topology is rail-only and more than one GPU a node: GPUs joined inside the node
```

Source: NVIDIA NCCL, issues 836, 1664, 1933 and 2193 (NCCL_CROSS_NIC and unjoined rails; PXN hands over inside the node through NVLink).

## Example

`topology: rail-only` with `carries: [compute, storage]`.

## How to fix

`topology: rail-optimised`, which has spines that join the rails; another network for storage; and for jobs on a rail-only fabric `NCCL_CROSS_NIC=0`.

## When to accept

Where all software that runs is known to stay on its rail.
)";

extern const Rule kNetRailsUnjoinedButCrossed;  // registry.cc names it
const Rule kNetRailsUnjoinedButCrossed = {
    .id = "net-rails-unjoined-but-crossed",
    .code = "NET-006",
    .severity = Severity::error,
    .physics = false,
    .summary = "rails without a path between them, and traffic that needs one",
    .explanation = kExplanation,
    .check = check,
};

}  // namespace clusterc
