// What the vendor says of drivers, toolkits and GPUs: the few numbers that the rules compare. The tables with their sources are data too:
// catalog/compatibility/cuda-major-driver.yaml, gpu-architectures.yaml and kernel-modules.yaml; a unit test holds the two together.
#pragma once
#include <array>
#include <optional>
#include <string_view>

namespace clusterc {

// https://docs.nvidia.com/deploy/cuda-compatibility/minor-version-compatibility.html: every toolkit of a major runs on this driver or a newer one.
struct CudaMajor { int major; std::string_view driver; };
inline constexpr std::array kCudaMajors = {CudaMajor{13, "580"}, CudaMajor{12, "525"}, CudaMajor{11, "450.80.02"}};

// https://docs.nvidia.com/datacenter/tesla/drivers/cuda-toolkit-driver-and-architecture-matrix.html, the CUDA 13.2 release notes (Volta removed in 13.0)
// and https://docs.nvidia.com/datacenter/tesla/driver-installation-guide/kernel-modules.html.
struct GpuGeneration {
  std::string_view name, sm, first_cuda;
  std::string_view last_cuda;       // major; empty: support goes on
  std::string_view last_driver;     // branch; empty: support goes on
  bool open, proprietary;           // kernel modules that drive it
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

// The first branch whose packages have open modules only: the installation guide of R620.
inline constexpr std::string_view kOpenOnlyDriver = "620";
// Open modules are what is installed where nothing else is asked for, from this branch on.
inline constexpr std::string_view kOpenByDefaultDriver = "560";

}  // namespace clusterc
