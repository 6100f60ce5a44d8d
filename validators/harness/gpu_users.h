// Who else computes on a GPU: a figure that is measured beside another job says nothing of the GPU.
#pragma once
#include <string>
#include <vector>

#include "harness/nvml.h"
#include "harness/options.h"

namespace clusterc::harness {

struct GpuUser {
  unsigned process = 0;          // as the host numbers it
  unsigned long long bytes = 0;  // of device memory; 0: the driver does not say
};
// Processes with a context of CUDA on the GPU (NVML API reference, nvmlDeviceGetComputeRunningProcesses_v3; since
// driver 510, _v2 before). NVML's numbers are the host's: in a container nobody can tell the own process from others,
// so ask before the first use of the GPU.
std::vector<GpuUser> gpu_users(const Nvml&, NvmlDevice*);

// "gpu1: process 4711 (512 MiB)"; empty: none of these GPUs is used, or no NVML tells. `uuids` in the order of the
// numbers, the first is that of GPU `first`.
std::string users_of_gpus(const std::vector<std::string>& uuids, int first = 0);

// Throws CouldNotRun(busy) where another process uses one of them, unless the options allow it. Before the first use
// of a GPU.
void refuse_used_gpus(const Options&, const std::vector<std::string>& uuids);

}  // namespace clusterc::harness
