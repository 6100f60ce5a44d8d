// What the vendor says of drivers, toolkits and GPUs: the few numbers that the rules compare. The tables with their
// sources are data too: catalog/compatibility/cuda-major-driver.yaml, gpu-architectures.yaml, kernel-modules.yaml,
// fabric-manager.yaml and adapter-stack.yaml; tests/unit/rules/software_versions_test.cc holds the two together.
#pragma once
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "fields/scalars.h"

namespace clusterc {

// https://docs.nvidia.com/deploy/cuda-compatibility/minor-version-compatibility.html: every toolkit of a major runs on
// this driver or a newer one.
struct CudaMajor {
  int major;
  std::string_view driver;
};
inline constexpr std::array kCudaMajors = {CudaMajor{13, "580"}, CudaMajor{12, "525"}, CudaMajor{11, "450.80.02"}};

// https://docs.nvidia.com/datacenter/tesla/drivers/cuda-toolkit-driver-and-architecture-matrix.html, the CUDA 13.2
// release notes (Volta removed in 13.0) and
// https://docs.nvidia.com/datacenter/tesla/driver-installation-guide/kernel-modules.html.
struct GpuGeneration {
  std::string_view name, sm, first_cuda;
  std::string_view last_cuda;    // major; empty: support goes on
  std::string_view last_driver;  // branch; empty: support goes on
  bool open, proprietary;        // kernel modules that drive it
  bool confirmed;
};
inline constexpr std::array kGpuGenerations = {
    GpuGeneration{"volta", "70", "9.0", "12", "580", false, true, true},
    GpuGeneration{"turing", "75", "10.0", "", "", true, true, true},
    GpuGeneration{"ampere", "80", "11.0", "", "", true, true, true},
    GpuGeneration{"ampere", "86", "11.0", "", "", true, true, true},
    GpuGeneration{"ada", "89", "11.8", "", "", true, true, true},
    GpuGeneration{"hopper", "90", "11.8", "", "", true, true, true},
    GpuGeneration{"blackwell", "100", "12.8", "", "", true, false, true},
    GpuGeneration{"blackwell", "120", "12.8", "", "", true, false, true},
    GpuGeneration{"blackwell-ultra", "103", "12.9", "", "", true, false, false},
};
constexpr const GpuGeneration* gpu_generation(std::string_view sm) {
  for (const GpuGeneration& g : kGpuGenerations)
    if (g.sm == sm) return &g;
  return nullptr;
}

// Driver branch that each of those first toolkits came with: an older one does not know the GPU. Release notes of the
// toolkits (catalog/compatibility/cuda-toolkit-driver.yaml).
struct FirstDriver {
  std::string_view cuda, driver;
};
inline constexpr std::array kFirstDrivers = {FirstDriver{"11.0", "450"}, FirstDriver{"11.8", "520"},
                                             FirstDriver{"12.8", "570"}, FirstDriver{"12.9", "575"}};
constexpr std::string_view first_driver(std::string_view cuda) {  // empty: not read
  for (const FirstDriver& d : kFirstDrivers)
    if (d.cuda == cuda) return d.driver;
  return {};
}

// NVIDIA's driver branches have three digits; what is below is the release of ROCm that AMD's driver comes with.
inline constexpr int kLeastNvidiaDriver = 100;

// The first release of ROCm that lists the GPU (catalog/compatibility/rocm-gpus.yaml), by catalogue id.
struct RocmGpu {
  std::string_view gpu, target, first_rocm;
  bool confirmed;
};
inline constexpr std::array kRocmGpus = {
    RocmGpu{"amd-mi300x", "gfx942", "6.0", true},
    RocmGpu{"amd-mi325x", "gfx942", "6.0", false},
    RocmGpu{"amd-mi350x", "gfx950", "7.0", true},
    RocmGpu{"amd-mi355x", "gfx950", "7.0", true},
};
constexpr const RocmGpu* rocm_gpu(std::string_view gpu) {
  for (const RocmGpu& g : kRocmGpus)
    if (g.gpu == gpu) return &g;
  return nullptr;
}

// The first branch whose packages have open modules only: the installation guide of R620.
inline constexpr std::string_view kOpenOnlyDriver = "620";
// Open modules are what is installed where nothing else is asked for, from this branch on.
inline constexpr std::string_view kOpenByDefaultDriver = "560";

// Host stacks of the adapter families: the first and last standalone MLNX_OFED and the first DOCA-Host that drive one;
// empty: not read, no standalone release, every DOCA release. A long-term branch older than the first may have got the
// driver in a release of its own. `family` is what the catalogue's `name` of an adapter says. DOCA Profiles and the
// DOCA 2.9.0 installation guide.
struct AdapterStack {
  std::string_view family, last_mlnx_ofed, first_doca, first_mlnx_ofed = {}, first_of_long_term = {};
};
inline constexpr std::array kAdapterStacks = {
    AdapterStack{"ConnectX-5", "24.10", ""},
    AdapterStack{"ConnectX-6", "24.10", ""},
    AdapterStack{"ConnectX-7", "24.10", "", "5.6-1.0.3.3", "5.4-3.5.8.0"},
    AdapterStack{"BlueField-2", "24.10", ""},
    AdapterStack{"BlueField-3", "", ""},
    AdapterStack{"ConnectX-8", "", "2.10"},
};
constexpr const AdapterStack* adapter_stack(std::string_view name) {
  for (const AdapterStack& a : kAdapterStacks)
    if (name.find(a.family) != std::string_view::npos) return &a;
  return nullptr;
}

// Whether a release of MLNX_OFED is one that drives the family, from its first on. What is cut short (5.6, 5.6-1) is
// taken for the newest release that begins so.
inline bool mlnx_ofed_drives(const AdapterStack& a, const Version& v) {
  const auto starts = [](std::string_view whole, std::string_view part) {
    return whole.starts_with(part) && whole.size() > part.size() &&
           (whole[part.size()] == '-' || whole[part.size()] == '.');
  };
  const auto from = [&](std::string_view first) {
    return v >= Version{std::string(first)} || starts(first, v.as_written);
  };
  if (from(a.first_mlnx_ofed)) return true;
  const std::string branch(a.first_of_long_term.substr(0, a.first_of_long_term.find('-')));
  return !branch.empty() && (v.as_written == branch || starts(v.as_written, branch)) && from(a.first_of_long_term);
}

// The first kernel whose RDMA subsystem takes memory of other devices as DMA-BUF (RDMA/uverbs, Linux 5.12).
inline constexpr std::string_view kDmaBufKernel = "5.12";

// The first release of a file system's client whose notes name the kernel: an older one is not known to build for it
// (catalog/compatibility/file-system-clients.yaml). By kernel, the oldest first.
struct ClientKernel {
  std::string_view client, kernel, release;
};
inline constexpr std::array kClientKernels = {
    ClientKernel{"beegfs", "6.1", "7.3.4"},   ClientKernel{"beegfs", "6.8", "7.4.5"},
    ClientKernel{"beegfs", "6.11", "7.4.6"},  ClientKernel{"lustre", "5.11", "2.15.0"},
    ClientKernel{"lustre", "6.4", "2.15.7"},  ClientKernel{"lustre", "6.8", "2.16.0"},
    ClientKernel{"lustre", "6.12", "2.17.0"},
};

// Releases of a branch of the GPU driver, up to this one, whose modules do not compile from the kernel on
// (catalog/compatibility/driver-kernels.yaml). `last`: the branch had no later one.
struct DriverKernel {
  std::string_view branch, until;
  bool last;
  std::string_view kernel;
};
inline constexpr std::array kDriverKernels = {
    DriverKernel{"470", "470.256.02", true, "6.12"},  DriverKernel{"530", "530.41.03", true, "6.4"},
    DriverKernel{"535", "535.216.03", false, "6.12"}, DriverKernel{"545", "545.29.06", true, "6.8"},
    DriverKernel{"550", "550.78", false, "6.10"},     DriverKernel{"555", "555.42.02", false, "6.10"},
    DriverKernel{"560", "560.35.03", false, "6.12"},  DriverKernel{"565", "565.77", true, "6.13"},
    DriverKernel{"590", "590.48.01", false, "6.19"},
};

// Kernels as the distributions first shipped the release; long-term releases may take newer ones. From the
// distributions' release notes.
struct OsKernel {
  std::string_view os, kernel;
};
inline constexpr std::array kOsKernels = {
    OsKernel{"ubuntu-20.04", "5.4"}, OsKernel{"ubuntu-22.04", "5.15"}, OsKernel{"ubuntu-24.04", "6.8"},
    OsKernel{"debian-11", "5.10"},   OsKernel{"debian-12", "6.1"},     OsKernel{"debian-13", "6.12"},
    OsKernel{"rocky-8", "4.18"},     OsKernel{"rocky-9", "5.14"},      OsKernel{"rhel-8", "4.18"},
    OsKernel{"rhel-9", "5.14"},
};

// The newest releases that the tables know (nccl.yaml: 2.30.7, built for CUDA 13.3; driver-branches.yaml), and the
// newest Slurm that the compiled files are written for (src/compile/slurm).
inline constexpr std::string_view kNewestCuda = "13.3", kNewestDriver = "610", kNewestNccl = "2.30.7",
                                  kNewestSlurm = "25.05", kNewestKubernetes = "1.35";

// Is it beyond that release? As many numbers are compared as `newest` has: 610.43 is 610.
inline bool beyond_release(const Version& v, std::string_view newest) {
  std::size_t parts = 1 + static_cast<std::size_t>(std::count(newest.begin(), newest.end(), '.')), end = 0;
  const std::string_view text = v.as_written;
  while (end < text.size() && parts > 0) parts -= text[end] == '.', end += parts > 0;
  return Version{std::string(text.substr(0, end))} > Version{std::string(newest)};
}

}  // namespace clusterc
