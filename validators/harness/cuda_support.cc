#include "harness/cuda_support.h"

#include <algorithm>

#include "base/format.h"
#include "harness/library.h"

#ifdef CLUSTERC_CUDA
#include <cuda_runtime_api.h>
#endif

namespace clusterc::harness {

#ifdef CLUSTERC_CUDA

namespace {

// Behind the runtime's own words, where they name no cause (CUDA Runtime API, cudaError_t).
const char* what_to_look_at(cudaError_t error) {
  switch (error) {
    case cudaErrorSystemNotReady:
      return ": GPUs that NVSwitches join need nvidia-fabricmanager, does `systemctl status nvidia-fabricmanager` say "
             "that it runs, with the version of the driver?";
    case cudaErrorSystemDriverMismatch:
      return ": the driver's libraries and the kernel's module have different versions, restart the machine";
    case cudaErrorDevicesUnavailable:
      return ": another process has the GPU alone (`nvidia-smi -q -d COMPUTE`), or MIG is on and has no slice";
    default:
      return "";
  }
}

}  // namespace

void cuda_check(int status, const char* what) {
  if (status == cudaSuccess) return;
  const auto error = static_cast<cudaError_t>(status);
  const Cause cause = error == cudaErrorNoKernelImageForDevice ? Cause::no_device_code
                      : error == cudaErrorMemoryAllocation     ? Cause::no_memory
                                                               : Cause::device_error;
  throw CouldNotRun(
      cause, format("{}: {} ({}){}", what, cudaGetErrorString(error), cudaGetErrorName(error), what_to_look_at(error)));
}

int require_gpus() {
  int driver = 0, runtime = 0, count = 0;
  cuda_check(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
  // Without a driver this succeeds and gives 0, while cudaGetDeviceCount speaks of a driver that is too old.
  cuda_check(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  if (driver == 0) throw CouldNotRun(Cause::no_driver, "libcuda.so.1 was not found or did not load");
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaErrorInsufficientDriver) {
    throw CouldNotRun(Cause::driver_too_old,
                      format("the driver supports CUDA {}.{}, this build needs {}.{}", driver / 1000,
                             driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10));
  }
  if (status == cudaErrorStubLibrary) {
    throw CouldNotRun(Cause::no_driver, "the libcuda.so.1 on the library path is the toolkit's stub");
  }
  if (status == cudaErrorNoDevice || (status == cudaSuccess && count == 0)) {
    throw CouldNotRun(Cause::no_gpu, "the driver is there and sees no GPU");
  }
  cuda_check(status, "cudaGetDeviceCount");
  return count;
}

Device gpu_device(int index) {
  cudaDeviceProp properties{};
  cuda_check(cudaGetDeviceProperties(&properties, index), "cudaGetDeviceProperties");
  std::string uuid = "GPU-";
  for (unsigned i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) uuid += '-';
    uuid += format("{:02x}", static_cast<unsigned char>(properties.uuid.bytes[i]));
  }
  return {.backend = Backend::cuda, .label = format("gpu{}", index), .name = properties.name, .uuid = uuid};
}

std::string gpu_address(int index) {
  char text[32] = {};
  cuda_check(cudaDeviceGetPCIBusId(text, sizeof text, index), "cudaDeviceGetPCIBusId");
  std::string out = text;
  std::transform(out.begin(), out.end(), out.begin(),
                 [](char c) { return c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c; });
  return out;
}

std::vector<std::string> visible_gpus() {
  std::vector<std::string> out;
  for (int gpu = 0, count = require_gpus(); gpu < count; ++gpu) out.push_back(gpu_device(gpu).uuid);
  return out;
}

#else

int require_gpus() {
  std::string why;
  if (!Library::open({"libcuda.so.1"}, why))
    throw CouldNotRun(Cause::no_driver, "libcuda.so.1 was not found or did not load");
  throw CouldNotRun(Cause::not_built, "this build has no device code; build with a CUDA toolkit");
}

#endif

}  // namespace clusterc::harness
