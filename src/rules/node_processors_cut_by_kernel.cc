#include <charconv>

#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "rules/software_say.h"

namespace clusterc {
namespace {

// The most processors that an argument lets the kernel bring up (Linux, Documentation/admin-guide/
// kernel-parameters.txt: maxcpus, nr_cpus, possible_cpus, nosmp). nullopt: the argument sets no such limit.
std::optional<std::int64_t> most_processors(std::string_view argument) {
  if (argument == "nosmp") return 1;
  for (const std::string_view key : {"maxcpus=", "nr_cpus=", "possible_cpus="}) {
    if (!argument.starts_with(key)) continue;
    const std::string_view number = argument.substr(key.size());
    std::int64_t most = 0;
    const auto [end, failed] = std::from_chars(number.data(), number.data() + number.size(), most);
    if (failed != std::errc() || end != number.data() + number.size() || most < 0) return std::nullopt;
    return std::max<std::int64_t>(1, most);  // 0: the first processor alone, as nosmp
  }
  return std::nullopt;
}

void node_processors_cut_by_kernel(const Rule& rule, const RuleInput& in, Findings& findings) {
  Once once;
  for (const NodeGroupModel& g : in.cluster.nodes) {
    const std::int64_t cores = g.server.cores, threads = cores * g.server.threads_per_core;
    if (g.count == 0 || !g.server.known || threads <= 0) continue;
    for (const Value<std::string>& argument : g.software->kernel_arguments) {
      const auto most = argument ? most_processors(*argument) : std::nullopt;
      if (!most || *most >= threads || !once.first(argument.span)) continue;
      findings
          .error(rule.id, argument.span,
                 format("the kernel argument `{}` leaves {} of {} processors on each node of '{}'", *argument, *most,
                        threads, g.name))
          .help(*most == cores ? "write `smt: nosmt` in its place: it leaves one thread of each core"
                               : "remove the argument")
          .object("nodes." + g.name);
    }
  }
}

}  // namespace

extern const Rule kNodeProcessorsCutByKernel;  // registry.cc names it
const Rule kNodeProcessorsCutByKernel = {
    .id = "node-processors-cut-by-kernel",
    .code = "NODE-014",
    .severity = Severity::error,
    .physics = false,
    .summary = "a kernel argument leaves a node fewer processors than the plan counts",
    .explanation = R"(## What it checks

No kernel argument limits the processors of a node (`maxcpus`, `nr_cpus`, `possible_cpus`, `nosmp`) to fewer than the
plan counts.

## Why it matters

CPUs in slurm.conf are those of the processors that the spec names. A node that boots with fewer registers as invalid
("Low socket\*core\*thread count, Low CPUs") and runs no job.

## Formula

```
processors that the kernel brings up >= cores x threads of a core
```

Unit: processors of the operating system on both sides.

Source: Linux, Documentation/admin-guide/kernel-parameters.txt (maxcpus, nr_cpus, possible_cpus, nosmp); slurm.conf(5), CPUs.

Error: none beyond its inputs.

## Example

`software: { kernel_arguments: ["nr_cpus=8"] }` for nodes with two processors of 32 cores.

## How to fix

Remove the argument. To switch off the second thread of each core, write `smt: nosmt`.

## When to accept

Where extra lines of slurm.conf state the lower number.
)",
    .check = node_processors_cut_by_kernel,
};

}  // namespace clusterc
