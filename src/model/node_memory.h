// Memory of a node that jobs may use: Slurm's RealMemory, the least that a health check accepts, and what huge pages
// may take all come from here.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "base/quantity.h"
#include "model/cluster.h"

namespace clusterc {

constexpr std::int64_t kMiB = 1024 * 1024;

// slurmctld takes a node whose memory is at least this part of RealMemory (slurm.conf(5), SlurmctldParameters,
// node_reg_mem_percent, since 21.08; its default is 90 for State=CLOUD nodes and 100 for others). Below it the node
// registers as invalid, "Low RealMemory".
constexpr std::int64_t kLeastMemoryPercent = 90;

struct NodeMemory {               // MiB
  std::int64_t fitted = 0;        // of the spec, less what `mem=` hides from the kernel
  std::int64_t system = 0;        // firmware, hypervisor, kernel and daemons
  std::int64_t crash = 0;         // reserved for a crash kernel
  std::int64_t jobs = 0;          // RealMemory; 0 or less: nothing is left
  std::int64_t least_usable = 0;  // that a healthy node shows (MemTotal)
  std::string formula;            // "2097152 MiB, less 65536 MiB (1/32, …)"
};
// Of `fitted` MiB of a real machine, the MiB that firmware, kernel and daemons hold: on the safe side.
std::int64_t system_memory_of_real_machine(std::int64_t fitted);

// Of one node of the group; all 0 where its memory is not known.
NodeMemory node_memory(const Cluster&, const NodeGroupModel&);

// MiB that `crashkernel=` reserves of this much memory, with the default of the distribution where no argument says
// otherwise. `arguments`: the kernel's command line.
std::int64_t crash_kernel_mib(const Software&, std::int64_t memory_mib);

}  // namespace clusterc
