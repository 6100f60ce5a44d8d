#include "harness/gpu_users.h"

#include <algorithm>
#include <array>

#include "base/format.h"
#include "harness/loop.h"
#include "harness/outcome.h"

namespace clusterc::harness {
namespace {

// nvmlProcessInfo_t of _v2 and _v3.
struct ProcessInfo {
  unsigned process = 0;
  unsigned long long bytes = 0;
  unsigned gpu_instance = 0, compute_instance = 0;
};
constexpr unsigned kMost = 64;                  // more are not listed
constexpr unsigned long long kNotTold = ~0ull;  // NVML_VALUE_NOT_AVAILABLE

}  // namespace

std::vector<GpuUser> gpu_users(const Nvml& nvml, NvmlDevice* device) {
  for (const char* name : {"nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2"}) {
    std::array<ProcessInfo, kMost> seen{};
    unsigned count = kMost;
    if (!nvml.call(name, device, &count, seen.data())) continue;
    std::vector<GpuUser> out;
    for (unsigned i = 0; i < std::min(count, kMost); ++i)
      out.push_back({seen[i].process, seen[i].bytes == kNotTold ? 0 : seen[i].bytes});
    return out;
  }
  return {};
}

std::string users_of_gpus(const std::vector<std::string>& uuids, int first) {
  stage("asking NVML who uses the GPUs");
  std::string why, out;
  const std::optional<Nvml> nvml = Nvml::open(why);
  if (!nvml) return {};
  for (std::size_t i = 0; i < uuids.size(); ++i) {
    const auto device = nvml->get<NvmlDevice*>("nvmlDeviceGetHandleByUUID", uuids[i].c_str());
    if (!device) continue;
    for (const GpuUser& user : gpu_users(*nvml, *device)) {
      out += format("{}gpu{}: process {}", out.empty() ? "" : ", ", first + static_cast<int>(i), user.process);
      if (user.bytes > 0) out += format(" ({})", bytes_text(static_cast<double>(user.bytes)));
    }
  }
  nvml->shutdown();
  return out;
}

void refuse_used_gpus(const Options& options, const std::vector<std::string>& uuids) {
  if (options.allow_busy) return;
  const std::string users = users_of_gpus(uuids);
  if (!users.empty())
    throw CouldNotRun(Cause::busy,
                      format("other processes use the GPU: {} (--allow-busy measures all the same)", users));
}

}  // namespace clusterc::harness
