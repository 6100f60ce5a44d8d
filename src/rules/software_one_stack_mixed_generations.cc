#include <string>

#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "rules/software_say.h"
#include "spec/network.h"

namespace clusterc {
namespace {

void software_one_stack_mixed_generations(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  Once once;
  for (const NetworkModel& n : c.networks) {
    if (!n.carries_traffic(Traffic::compute)) continue;
    const NodeGroupModel* first = nullptr;  // the others are compared with the first of the network
    for (const EndPoints& e : n.ends) {
      if (e.group < 0) continue;
      const NodeGroupModel& g = c.nodes[static_cast<std::size_t>(e.group)];
      if (!has_nvidia_gpus(g) || !g.computes) continue;
      if (!first) {
        first = &g;
        continue;
      }
      if (g.server.gpu_model == first->server.gpu_model)
        continue;  // one kind of node: software-versions-differ-in-class
      const Software &a = *first->software, &b = *g.software;
      if (a.nccl && b.nccl && a.nccl->as_written != b.nccl->as_written && once.first(b.nccl.span))
        findings
            .warning(rule.id, b.nccl.span,
                     format("'{}' has nccl {}, but '{}' of the same network '{}' has nccl {}: a job over both groups "
                            "fails at its start",
                            g.name, b.nccl->text(), first->name, n.name, a.nccl->text()))
            .note(a.nccl.span, "the other release")
            .help(
                "use one release of NCCL for both: a newer NCCL still supports the old GPUs, unless it is built for a "
                "new major release of CUDA")
            .object("nodes." + g.name);
      if (a.cuda && b.cuda && a.cuda->major() != b.cuda->major() && once.first(b.cuda.span)) {
        Finding& f = findings.warning(rule.id, b.cuda.span,
                                      format("'{}' ({}) has cuda {}, but '{}' ({}) of the same network '{}' has cuda "
                                             "{}: no image can run a job over both groups",
                                             g.name, g.server.gpu_model, b.cuda->text(), first->name,
                                             first->server.gpu_model, n.name, a.cuda->text()));
        f.note(a.cuda.span, "the other toolkit");
        const GpuGeneration* x = first->server.gpu->sm ? gpu_generation(first->server.gpu->sm->as_written) : nullptr;
        const GpuGeneration* y = g.server.gpu->sm ? gpu_generation(g.server.gpu->sm->as_written) : nullptr;
        if (x && y) {
          const std::string_view newest_first =
              Version{std::string(x->first_cuda)} < Version{std::string(y->first_cuda)} ? y->first_cuda : x->first_cuda;
          const std::string_view last = !x->last_cuda.empty() ? x->last_cuda : y->last_cuda;
          if (last.empty() || Version{std::string(newest_first)}.major() <= Version{std::string(last)}.major())
            f.help(format("CUDA {} and newer{} supports both", newest_first,
                          last.empty() ? std::string() : format(", up to the last of CUDA {},", last)));
        }
        f.object("nodes." + g.name);
      }
    }
  }
}

}  // namespace

extern const Rule kSoftwareOneStackMixedGenerations;  // registry.cc names it
const Rule kSoftwareOneStackMixedGenerations = {
    .id = "software-one-stack-mixed-generations",
    .code = "SW-017",
    .severity = Severity::warning,
    .physics = false,
    .summary = "groups of different GPUs on one fabric whose software does not work together in one job",
    .explanation = R"(## What it checks

Groups with different GPUs that one compute network joins have one NCCL and one major release of CUDA, as far as the spec says. Whether each toolkit knows its own GPU is the business of software-gpu-unknown-to-toolkit, and of the modules software-wrong-kernel-module-flavour.

## Why it matters

Users see one network and start one job over both groups. Mixed NCCL releases are refused at initialisation, and an image of one CUDA major has no device code for a GPU that only the other knows.

## Formula

```
for each compute network, each two groups on it:  nccl = nccl;  major(cuda) = major(cuda)
both can be served by  max(first toolkit of each) <= cuda <= min(last toolkit of each)
```

Unit: none. Releases are compared.

Source: NVIDIA/nccl issue 1328; NVIDIA, CUDA toolkit, driver and architecture matrix. A warning, and not an error as the rule book had it: jobs inside one group work.

## Example

V100 nodes with `cuda: 12.9` and B200 nodes with `cuda: 13.0` on one InfiniBand fabric.

## How to fix

CUDA 12.9 with driver 580 serves V100 and B200 alike; the kernel modules stay those of each group.

## When to accept

Where the scheduler keeps every job inside one of the groups.
)",
    .check = software_one_stack_mixed_generations,
};

}  // namespace clusterc
