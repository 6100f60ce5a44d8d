#include "harness/gpu_users.h"

#include <unistd.h>

#include <algorithm>
#include <optional>

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
static_assert(sizeof(ProcessInfo) == 24);
constexpr unsigned kRoom = 64, kMostRoom = 1u << 16;  // processes; a list that is longer is asked for again
constexpr unsigned long long kNotTold = ~0ull;        // NVML_VALUE_NOT_AVAILABLE
constexpr std::string_view kServer = "nvidia-cuda-mps-server";

// nullopt: the driver has no such function, or refuses.
std::optional<std::vector<ProcessInfo>> list_of(const Nvml& nvml, NvmlDevice* device, const char* name) {
  for (unsigned room = kRoom; room <= kMostRoom;) {
    // Twice the room: see `listed`.
    std::vector<ProcessInfo> seen(std::size_t{2} * room);
    unsigned count = room;
    if (nvml.call(name, device, &count, seen.data())) {
      seen.resize(std::min(count, room));
      return seen;
    }
    if (count <= room) return std::nullopt;
    room = count + kRoom;  // NVML_ERROR_INSUFFICIENT_SIZE tells how many there are; more may have come meanwhile
  }
  return std::nullopt;
}

// Of both functions the older one first. Drivers 535.43 to 535.86 write a longer structure from _v3 and nothing tells
// so (XuehaiPan/nvitop, pull request 79); _v2 has had one since it is there.
std::vector<ProcessInfo> listed(const Nvml& nvml, NvmlDevice* device, std::string_view function) {
  for (const char* version : {"_v2", "_v3"})
    if (auto list = list_of(nvml, device, format("{}{}", function, version).c_str())) return std::move(*list);
  return {};
}

// "/usr/bin/python3 train.py" -> "python3"
std::string program_of(std::string name) {
  name.resize(std::min(name.size(), name.find(' ')));
  return name.substr(name.rfind('/') + 1);
}

}  // namespace

std::vector<GpuUser> gpu_users(const Nvml& nvml, NvmlDevice* device) {
  std::vector<GpuUser> out;
  for (const char* function : {"nvmlDeviceGetComputeRunningProcesses", "nvmlDeviceGetMPSComputeRunningProcesses"})
    for (const ProcessInfo& info : listed(nvml, device, function)) {
      if (std::ranges::find(out, info.process, &GpuUser::process) != out.end()) continue;
      std::string name = program_of(nvml.text("nvmlSystemGetProcessName", info.process));
      if (name == kServer) continue;
      out.push_back({info.process, info.bytes == kNotTold ? 0 : info.bytes, std::move(name)});
    }
  return out;
}

// The first namespace of processes has this number on every Linux (include/linux/proc_ns.h, PROC_PID_INIT_INO).
bool has_numbers_of_host(const std::filesystem::path& root) {
  std::error_code failed;
  return std::filesystem::read_symlink(root / "proc/self/ns/pid", failed) == "pid:[4026531836]";
}

std::string users_of_gpus(const std::vector<std::string>& uuids, int first, std::set<unsigned> ours) {
  stage("asking NVML who uses the GPUs");
  std::string why, out;
  const std::optional<Nvml> nvml = Nvml::open(why);
  if (!nvml) return {};
  const bool same_numbers = has_numbers_of_host();
  ours.insert(static_cast<unsigned>(::getpid()));
  for (std::size_t i = 0; i < uuids.size(); ++i) {
    NvmlDevice* const device = nvml->device(uuids[i]);
    if (!device) continue;
    for (const GpuUser& user : gpu_users(*nvml, device)) {
      if (same_numbers && ours.contains(user.process)) continue;
      out += format("{}gpu{}: process {}", out.empty() ? "" : ", ", first + static_cast<int>(i), user.process);
      std::string more = user.name;
      if (user.bytes > 0) more += format("{}{}", more.empty() ? "" : ", ", bytes_text(static_cast<double>(user.bytes)));
      if (!more.empty()) out += format(" ({})", more);
    }
  }
  if (!out.empty() && !same_numbers) out += ", as the host numbers them";
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
