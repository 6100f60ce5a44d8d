// What the software of a node depends on in its GPUs: whose they are, how they are joined, which kernel modules drive
// them.
#pragma once
#include <optional>

#include "model/cluster.h"
#include "model/software_versions.h"
#include "spec/software.h"

namespace clusterc {

inline bool has_nvidia_gpus(const NodeGroupModel& g) {
  return g.count > 0 && g.server.gpu && g.server.gpu_count > 0 && g.server.gpu->vendor.value == Vendor::nvidia;
}

// Boards whose GPUs meet in NVSwitches: HGX and DGX of eight GPUs or more from SXM3 on, and trays of rack-scale
// systems. SXM2 boards (V100, P100) are meshes, PCIe cards have bridges at most, boards of four SXM GPUs are wired
// directly (fabric manager user guide, NVSwitch-based systems).
inline bool has_nvswitch(const NodeGroupModel& g) {
  if (!has_nvidia_gpus(g) || !g.server.gpu->form) return false;
  if (g.assembly >= 0) return true;
  const GpuForm f = *g.server.gpu->form;
  return g.server.gpu_count >= 8 &&
         (f == GpuForm::sxm3 || f == GpuForm::sxm4 || f == GpuForm::sxm5 || f == GpuForm::sxm);
}

// Open kernel modules: as written, else what the driver's packages install; nullopt when neither is said.
inline std::optional<bool> open_modules(const Software& s) {
  if (s.kernel_modules) return *s.kernel_modules == KernelModules::open;
  if (!s.gpu_driver) return std::nullopt;
  return s.gpu_driver->major() >= Version{std::string(kOpenByDefaultDriver)}.major();
}

// The flavour that is installed: as written; else the only one that drives the architecture; else what the driver's
// packages install.
inline std::optional<bool> modules_to_install(const NodeGroupModel& g) {
  if (!g.software->kernel_modules && g.server.gpu && g.server.gpu->sm)
    if (const GpuGeneration* gen = gpu_generation(g.server.gpu->sm->text()); gen && gen->open != gen->proprietary)
      return gen->open;
  return open_modules(*g.software);
}

// "570" names a branch, "570.86.15" a release of it.
inline bool is_branch(const Version& driver) { return driver.as_written.find('.') == std::string::npos; }

}  // namespace clusterc
