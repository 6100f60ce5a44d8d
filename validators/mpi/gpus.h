// Which GPU each rank of a node takes (harness/ranks.h), asked of all ranks of the node.
#pragma once
#include <string>
#include <vector>

#include "harness/options.h"
#include "harness/ranks.h"
#include "mpi/job.h"

namespace clusterc::mpi {
using harness::GpuChoice;

// `visible`: the UUIDs of the GPUs that this rank sees, at least one. Every rank of the job must call it.
GpuChoice choose_gpu(const Job&, const std::vector<std::string>& visible);

// Throws CouldNotRun(busy) on every rank where a process that is no rank of this job uses the GPU of one of them,
// unless the options allow it. Every rank of the job must call it, before the first use of a GPU.
void refuse_used_gpu(const Job&, const harness::Options&, int gpu, const std::string& uuid);

}  // namespace clusterc::mpi
