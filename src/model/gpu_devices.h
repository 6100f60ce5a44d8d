// Which device files the kernel makes of a server's GPUs: gres.conf, health check and whatever else names them read
// this. GPU n of the spec is taken as the n-th that the driver finds: both follow the PCI address.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/cluster.h"

namespace clusterc {

struct GpuDeviceFiles {
  std::string_view stem;              // "/dev/nvidia", "/dev/dri/renderD"
  std::vector<std::int64_t> numbers;  // behind it, of each GPU in order
};

// NVIDIA's driver numbers its nodes from 0. The kernel's DRM render nodes begin at minor 128
// (drivers/gpu/drm/drm_drv.c), and a GPU that can be partitioned takes several in a row, used or not: the first one is
// the GPU's (`render_nodes` of the part, drivers/gpu/drm/amd/amdgpu/amdgpu_xcp.c: "xcp #0 shares drm device setting
// with adev").
inline GpuDeviceFiles gpu_device_files(const ServerModel& server) {
  const bool nvidia = !server.gpu || server.gpu->vendor.value_or(Vendor::nvidia) == Vendor::nvidia;
  const std::int64_t first = nvidia ? 0 : 128, step = nvidia ? 1 : server.gpu->render_nodes.value_or(1);
  GpuDeviceFiles out{nvidia ? "/dev/nvidia" : "/dev/dri/renderD", {}};
  out.numbers.reserve(static_cast<std::size_t>(server.gpu_count));
  for (std::int64_t i = 0; i < server.gpu_count; ++i) out.numbers.push_back(first + i * step);
  return out;
}

// Where the AMD driver lists its GPUs, and each partition of one, with the number of its render node
// (drivers/gpu/drm/amd/amdkfd/kfd_topology.c, drm_render_minor).
inline constexpr std::string_view kAmdGpuList = "/sys/class/kfd/kfd/topology/nodes";
// Whether that list has each GPU of the server once, and nothing else: then a partition too many is seen. Not asked of
// parts without partitions, of which one may be several GPUs of the driver (MI250X: two).
inline bool kfd_lists_each_gpu_once(const ServerModel& server) {
  return server.gpu && server.gpu->render_nodes.value_or(1) > 1;
}

}  // namespace clusterc
