// The table of cuBLAS's functions that we call; open_cublas() of cuda_support.h fills it. Only in builds with CUDA.
#pragma once
#include <cublas_v2.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/library.h"
#include "harness/report.h"

namespace clusterc::harness {

class Cublas {
 public:
  // Throws CouldNotRun(library_missing).
  explicit Cublas(std::initializer_list<const char*> names);
  std::vector<std::pair<std::string, Parameter>> parameters(cublasHandle_t) const;  // library and its version

  using GemmEx = cublasStatus_t(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int, const void*,
                                const void*, cudaDataType, int, const void*, cudaDataType, int, const void*, void*,
                                cudaDataType, int, cublasComputeType_t, cublasGemmAlgo_t);
  decltype(cublasCreate_v2)* create = nullptr;
  decltype(cublasDestroy_v2)* destroy = nullptr;
  decltype(cublasGetVersion_v2)* version = nullptr;
  decltype(cublasSetStream_v2)* set_stream = nullptr;
  GemmEx* gemm = nullptr;
  decltype(cublasDgemm_v2)* dgemm = nullptr;
  decltype(cublasDtrsm_v2)* dtrsm = nullptr;
  decltype(cublasStrsm_v2)* strsm = nullptr;
  decltype(cublasDgemv_v2)* dgemv = nullptr;
  decltype(cublasSgemv_v2)* sgemv = nullptr;

 private:
  std::unique_ptr<Library> library_;
};

// A user's wish for FP64 or FP32 made of lower precision (cuBLAS documentation, "Floating Point Emulation") is not what
// is measured here: whether such a figure is one of 64-bit arithmetic is contested. Nor is a wish against TF32
// (NVIDIA_TF32_OVERRIDE=0), with which the figure of TF32 would be that of FP32. Both libraries read them when they are
// opened.
void forget_emulation();

// Throws CouldNotRun(device_error) naming `what` unless `status` is success.
void cublas_check(cublasStatus_t status, const char* what);

}  // namespace clusterc::harness
