#include <cstddef>
#include <cstdint>

#include "plan/plan.h"
#include "rules/fix.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "rules/software_say.h"

namespace clusterc {
namespace {

// All-to-all over 700 nodes ran out of descriptors below this (NVIDIA/nccl issue 1191); it is also systemd's own hard
// limit.
constexpr std::int64_t kOpenFiles = 1'048'576;
// NCCL and data loaders keep their buffers in /dev/shm; runtimes give a container 64 MiB (NCCL user guide,
// troubleshooting, sharing data).
constexpr Bytes kSharedMemory{1024.0 * 1024 * 1024};

void software_process_limits_too_low(const Rule& rule, const RuleInput& in, Findings& findings) {
  Once once;
  for (std::size_t i = 0; i < in.cluster.nodes.size(); ++i) {
    const NodeGroupModel& g = in.cluster.nodes[i];
    if (g.count == 0 || !g.computes || !g.software->limits) continue;
    const Limits& l = *g.software->limits;
    if (l.nofile && *l.nofile < kOpenFiles && uses_rdma(in.cluster, static_cast<int>(i)) && once.first(l.nofile.span))
      write_instead(findings
                        .warning(rule.id, l.nofile.span,
                                 format("'{}' allows {} open files, but an all-to-all of many nodes needs {}", g.name,
                                        *l.nofile, kOpenFiles))
                        .help(format("write `nofile: {}`", kOpenFiles))
                        .object("nodes." + g.name),
                    l.nofile, std::to_string(kOpenFiles));
    if (l.shared_memory && !g.software->containers.empty() && above(kSharedMemory.value, l.shared_memory->value) &&
        once.first(l.shared_memory.span))
      write_instead(
          findings
              .warning(rule.id, l.shared_memory.span,
                       format("containers on '{}' have {} of /dev/shm, but NCCL and data loaders need {}", g.name,
                              to_text(*l.shared_memory), to_text(kSharedMemory)))
              .help("write `shared_memory: 1 GiB`; for docker, use the option `--shm-size=1g` or `--ipc=host`")
              .object("nodes." + g.name),
          l.shared_memory, "1 GiB");
  }
}

}  // namespace

extern const Rule kSoftwareProcessLimitsTooLow;  // registry.cc names it
const Rule kSoftwareProcessLimitsTooLow = {
    .id = "software-process-limits-too-low",
    .code = "SW-010",
    .severity = Severity::warning,
    .physics = false,
    .summary = "open files or shared memory below what large jobs use",
    .explanation = R"(## What it checks

Limits that the spec sets: open files of groups in an RDMA network, `/dev/shm` of containers.

## Why it matters

Each connection of an all-to-all holds descriptors: at 700 nodes the creation of completion queues failed. With too little shared memory NCCL ends with a bus error, and data loaders are killed.

## Formula

```
nofile        >= 1,048,576
shared_memory >= 1 GiB
```

Unit: open files on both sides, bytes on both sides.

Source: NVIDIA/nccl issue 1191; NVIDIA, NCCL user guide, troubleshooting (shared memory).

Error: not known. How much a job needs depends on its size.

## Example

`limits: { shared_memory: 64 MiB }`, what a container gets where nobody asks.

## How to fix

`limits: { nofile: 1048576, shared_memory: 1 GiB }`.

## When to accept

Where no job uses more than a few dozen nodes, or every job sets its own limit.
)",
    .check = software_process_limits_too_low,
};

}  // namespace clusterc
