// What stands between us and a GPU, told apart: no driver, a driver too old, no GPU, this build without device code.
#pragma once
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "harness/report.h"

namespace clusterc::harness {

inline constexpr bool kCudaBuilt =
#ifdef CLUSTERC_CUDA
    true;
#else
    false;
#endif

// The number of GPUs, at least 1; throws CouldNotRun with the cause otherwise.
int require_gpus();

// Name, label and uuid of GPU `index` (as CUDA numbers them). Only in builds with CUDA.
Device gpu_device(int index);

// Where it is on the PCI bus, as sysfs has it: "0000:17:00.0". Only in builds with CUDA.
std::string gpu_address(int index);

// The UUIDs of the GPUs that this process sees, in CUDA's order; throws as require_gpus(). Only in builds with CUDA.
std::vector<std::string> visible_gpus();

// Throws CouldNotRun(device_error) naming `what` unless `status` (a cudaError_t) is success. Only in builds with CUDA.
void cuda_check(int status, const char* what);

// cuBLAS and cuBLASLt, found at run time (harness/cublas.h, cublas_lt.h). Throw CouldNotRun(library_missing). Only in
// builds with CUDA.
class Cublas;
std::shared_ptr<Cublas> open_cublas(std::initializer_list<const char*> names = {"libcublas.so.13", "libcublas.so.12"});
class CublasLt;
std::shared_ptr<CublasLt> open_cublas_lt(std::initializer_list<const char*> names = {"libcublasLt.so.13",
                                                                                     "libcublasLt.so.12"});

}  // namespace clusterc::harness
