// Which GPU each rank of a node takes (harness/ranks.h), asked of all ranks of the node.
#pragma once
#include <string>
#include <vector>

#include "harness/ranks.h"
#include "mpi/job.h"

namespace clusterc::mpi {
using harness::GpuChoice;

// `visible`: the UUIDs of the GPUs that this rank sees, at least one. Every rank of the job must call it.
GpuChoice choose_gpu(const Job&, const std::vector<std::string>& visible);

}  // namespace clusterc::mpi
