// Who else computes on a GPU: a figure that is measured beside another job says nothing of the GPU.
#pragma once
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "harness/nvml.h"
#include "harness/options.h"

namespace clusterc::harness {

struct GpuUser {
  unsigned process = 0;          // as the host numbers it
  unsigned long long bytes = 0;  // of device memory; 0: the driver does not say
  std::string name;              // of its program; empty: the driver does not say
};
// Processes with a context of CUDA on the GPU, and clients of MPS (NVML API reference,
// nvmlDeviceGetComputeRunningProcesses and nvmlDeviceGetMPSComputeRunningProcesses; since driver 470 as _v2, since 510
// as _v3). Programs that draw (Xorg) and those that watch (DCGM, nvidia-persistenced) have none; the server of MPS has
// one without computing, and is left out: its clients count.
std::vector<GpuUser> gpu_users(const Nvml&, NvmlDevice*);

// NVML's numbers of processes are the host's. Whether this process has the host's numbers, too: a container may have
// numbers of its own.
bool has_numbers_of_host(const std::filesystem::path& root = "/");

// "gpu1: process 4711 (python3, 512 MiB)"; empty: none of these GPUs is used, or no NVML tells. `uuids` in the order of
// the numbers, the first is that of GPU `first`. `ours`: processes that belong to this run (a library of MPI may have
// opened the GPUs when it started); this process is one of them anyway. Ask before the first use of a GPU: in a
// container nobody can tell the own processes from others.
std::string users_of_gpus(const std::vector<std::string>& uuids, int first = 0, std::set<unsigned> ours = {});

// Throws CouldNotRun(busy) where another process uses one of them, unless the options allow it. Before the first use
// of a GPU.
void refuse_used_gpus(const Options&, const std::vector<std::string>& uuids);

}  // namespace clusterc::harness
