// What the rules of the software family share: which groups they are about, what a group runs where the spec leaves it open.
#pragma once
#include <algorithm>
#include <optional>
#include <vector>

#include "model/rdma.h"
#include "rules/rule.h"
#include "rules/software_versions.h"

namespace clusterc {

inline bool has_nvidia_gpus(const NodeGroupModel& g) { return g.count > 0 && g.server.gpu && g.server.gpu_count > 0 && g.server.gpu->vendor.value == Vendor::nvidia; }

// One declaration for the whole cluster is one finding.
class Once {
 public:
  bool told(SourceSpan at) const { return std::find(told_.begin(), told_.end(), at) != told_.end(); }
  bool first(SourceSpan at) {
    if (told(at)) return false;
    told_.push_back(at);
    return true;
  }

 private:
  std::vector<SourceSpan> told_;
};

// Boards whose GPUs meet in NVSwitches: HGX and DGX of eight GPUs or more from SXM3 on, and trays of rack-scale systems. SXM2 boards (V100,
// P100) are meshes, PCIe cards have bridges at most, boards of four SXM GPUs are wired directly (fabric manager user guide, NVSwitch-based systems).
inline bool has_nvswitch(const NodeGroupModel& g) {
  if (!has_nvidia_gpus(g) || !g.server.gpu->form) return false;
  if (g.assembly >= 0) return true;
  const GpuForm f = *g.server.gpu->form;
  return g.server.gpu_count >= 8 && (f == GpuForm::sxm3 || f == GpuForm::sxm4 || f == GpuForm::sxm5 || f == GpuForm::sxm);
}

// Open kernel modules: as written, else what the driver's packages install; nullopt when neither is said.
inline std::optional<bool> open_modules(const Software& s) {
  if (s.kernel_modules) return *s.kernel_modules == KernelModules::open;
  if (!s.gpu_driver) return std::nullopt;
  return s.gpu_driver->major() >= Version{std::string(kOpenByDefaultDriver)}.major();
}

// The kernel as written, else the one that the operating system came with; empty when not known.
inline std::string_view kernel_of(const Software& s) {
  if (s.kernel) return s.kernel->as_written;
  if (s.os)
    for (const OsKernel& k : kOsKernels)
      if (k.os == *s.os) return k.kernel;
  return {};
}

// "570" names a branch, "570.86.15" a release of it.
inline bool is_branch(const Version& driver) { return driver.as_written.find('.') == std::string::npos; }

}  // namespace clusterc
