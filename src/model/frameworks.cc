#include "model/frameworks.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/text.h"
#include "model/gpu_software.h"
#include "model/software_versions.h"
#include "spec/software.h"

namespace clusterc {
namespace {

// PyPI, metadata (Requires-Dist) of the wheels for CPython 3.12 on x86_64, November 2026: nvidia-cuda-runtime or
// cuda-toolkit, nvidia-cudnn, nvidia-nccl. Oldest first; of one release the older CUDA first.
constexpr auto kWheels = std::to_array<FrameworkWheel>({
    {"pytorch", "2.6.0", "torch", "12.4", "nvidia-cudnn-cu12==9.1.0.70", "nvidia-nccl-cu12==2.21.5"},
    {"pytorch", "2.7.1", "torch", "12.6", "nvidia-cudnn-cu12==9.5.1.17", "nvidia-nccl-cu12==2.26.2"},
    {"pytorch", "2.8.0", "torch", "12.8", "nvidia-cudnn-cu12==9.10.2.21", "nvidia-nccl-cu12==2.27.3"},
    {"pytorch", "2.9.0", "torch", "12.8", "nvidia-cudnn-cu12==9.10.2.21", "nvidia-nccl-cu12==2.27.5"},
    {"pytorch", "2.9.1", "torch", "12.8", "nvidia-cudnn-cu12==9.10.2.21", "nvidia-nccl-cu12==2.27.5"},
    {"pytorch", "2.10.0", "torch", "12.8", "nvidia-cudnn-cu12==9.10.2.21", "nvidia-nccl-cu12==2.27.5"},
    {"pytorch", "2.11.0", "torch", "13.0", "nvidia-cudnn-cu13==9.19.0.56", "nvidia-nccl-cu13==2.28.9"},
    {"pytorch", "2.12.0", "torch", "13.0", "nvidia-cudnn-cu13==9.20.0.48", "nvidia-nccl-cu13==2.29.7"},
    {"pytorch", "2.12.1", "torch", "13.0", "nvidia-cudnn-cu13==9.20.0.48", "nvidia-nccl-cu13==2.29.7"},
    {"pytorch", "2.13.0", "torch", "13.0", "nvidia-cudnn-cu13==9.20.0.48", "nvidia-nccl-cu13==2.29.7"},
    {"pytorch", "2.14.0", "torch", "13.0", "nvidia-cudnn-cu13==9.24.0.43", "nvidia-nccl-cu13==2.30.7"},
    {"tensorflow", "2.21.0", "tensorflow[and-cuda]", "12.5", "nvidia-cudnn-cu12>=9.3.0.75,<10",
     "nvidia-nccl-cu12>=2.27.7,<3"},
    {"jax", "0.11.0", "jax[cuda12]", "12", "", ""},
    {"jax", "0.11.0", "jax[cuda13]", "13", "", ""},
    {"jax", "0.11.1", "jax[cuda12]", "12", "", ""},
    {"jax", "0.11.1", "jax[cuda13]", "13", "", ""},
});

bool is_arm(const NodeGroupModel& g) {
  return (g.server.part.arch && *g.server.part.arch == Arch::aarch64) ||
         (g.software->arch && *g.software->arch == Arch::aarch64);
}

}  // namespace

std::optional<std::string_view> driver_for(const FrameworkWheel& w) {
  const Version cuda{std::string(w.cuda)};
  for (const CudaMajor& m : kCudaMajors)
    if (m.major == cuda.major()) return m.driver;
  return std::nullopt;
}

bool driver_runs(const NodeGroupModel& g, const FrameworkWheel& w) {
  const auto needed = driver_for(w);
  if (!needed || !g.software->gpu_driver) return true;
  const Version least{std::string(*needed)};
  const Version& driver = *g.software->gpu_driver;
  return is_branch(driver) ? driver.major() >= least.major() : driver >= least;
}

const FrameworkWheel* wheel_of(const NodeGroupModel& g, const NamedVersion& wanted) {
  if (!wanted.kind || !has_nvidia_gpus(g) || is_arm(g)) return nullptr;
  std::string name = to_lower(*wanted.kind);
  if (name == "torch") name = "pytorch";
  const std::string release = wanted.version ? wanted.version->text() : std::string();
  const FrameworkWheel* newest = nullptr;
  const FrameworkWheel* runs = nullptr;
  for (const FrameworkWheel& w : kWheels) {
    const bool begins = w.release.starts_with(release) &&
                        (release.empty() || w.release.size() == release.size() || w.release[release.size()] == '.');
    if (w.name != name || !begins) continue;
    newest = &w;
    if (driver_runs(g, w)) runs = &w;
  }
  return runs ? runs : newest;
}

}  // namespace clusterc
