// In the place of libcublas.so.13: the products that hpl asks for, by the host's BLAS with one thread, in the stream of
// the handle. 16-bit operands are widened first, as the tensor cores have them: products and sums in FP32.
#include <cublas_v2.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "cuda_on_host/libraries/queued.h"

namespace {
using clusterc::emulation::queued;

struct Handle {
  cudaStream_t stream = nullptr;
};
Handle& as(cublasHandle_t handle) { return *reinterpret_cast<Handle*>(handle); }

template <class Function>
Function* blas(const char* name) {
  static void* const library = [] {
    void* const out = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!out) std::fprintf(stderr, "emulated CUDA: fault: %s\n", dlerror()), std::abort();
    if (auto* const threads = reinterpret_cast<void (*)(int)>(dlsym(out, "openblas_set_num_threads"))) threads(1);
    return out;
  }();
  return reinterpret_cast<Function*>(dlsym(library, name));
}
template <class T>
using Gemm = void(const char*, const char*, const int*, const int*, const int*, const T*, const T*, const int*,
                  const T*, const int*, const T*, T*, const int*);
template <class T>
using Trsm = void(const char*, const char*, const char*, const char*, const int*, const int*, const T*, const T*,
                  const int*, T*, const int*);
template <class T>
using Gemv = void(const char*, const int*, const int*, const T*, const T*, const int*, const T*, const int*, const T*,
                  T*, const int*);

const char* text(cublasOperation_t o) { return o == CUBLAS_OP_N ? "N" : "T"; }

template <class T>
cublasStatus_t trsm(const char* name, cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t fill,
                    cublasOperation_t operation, cublasDiagType_t diagonal, int m, int n, const T* alpha, const T* a,
                    int lda, T* b, int ldb) {
  if (m < 0 || n < 0 || lda < (side == CUBLAS_SIDE_LEFT ? m : n) || ldb < m) return CUBLAS_STATUS_INVALID_VALUE;
  queued(as(handle).stream, [=, factor = *alpha] {
    blas<Trsm<T>>(name)(side == CUBLAS_SIDE_LEFT ? "L" : "R", fill == CUBLAS_FILL_MODE_LOWER ? "L" : "U",
                        text(operation), diagonal == CUBLAS_DIAG_UNIT ? "U" : "N", &m, &n, &factor, a, &lda, b, &ldb);
    return true;
  });
  return CUBLAS_STATUS_SUCCESS;
}
template <class T>
cublasStatus_t gemv(const char* name, cublasHandle_t handle, cublasOperation_t operation, int m, int n, const T* alpha,
                    const T* a, int lda, const T* x, int step_x, const T* beta, T* y, int step_y) {
  if (m < 0 || n < 0 || lda < m) return CUBLAS_STATUS_INVALID_VALUE;
  queued(as(handle).stream, [=, factor = *alpha, old = *beta] {
    blas<Gemv<T>>(name)(text(operation), &m, &n, &factor, a, &lda, x, &step_x, &old, y, &step_y);
    return true;
  });
  return CUBLAS_STATUS_SUCCESS;
}

float wide(const void* at, cudaDataType type, std::size_t i) {
  if (type == CUDA_R_16F) return __half2float(static_cast<const __half*>(at)[i]);
  if (type == CUDA_R_16BF) return __bfloat162float(static_cast<const __nv_bfloat16*>(at)[i]);
  return static_cast<const float*>(at)[i];
}
// A matrix by columns in FP32, without what lies between its columns.
std::vector<float> widened(const void* at, cudaDataType type, int rows, int columns, int ld) {
  std::vector<float> out(static_cast<std::size_t>(rows) * columns);
  for (int j = 0; j < columns; ++j)
    for (int i = 0; i < rows; ++i)
      out[i + static_cast<std::size_t>(j) * rows] = wide(at, type, i + static_cast<std::size_t>(j) * ld);
  return out;
}

}  // namespace

extern "C" {
cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
  return *handle = reinterpret_cast<cublasHandle_t>(new Handle), CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  return delete reinterpret_cast<Handle*>(handle), CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetVersion_v2(cublasHandle_t, int* version) { return *version = 130100, CUBLAS_STATUS_SUCCESS; }
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
  return as(handle).stream = stream, CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDtrsm_v2(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t fill,
                              cublasOperation_t operation, cublasDiagType_t diagonal, int m, int n, const double* alpha,
                              const double* a, int lda, double* b, int ldb) {
  return trsm("dtrsm_", handle, side, fill, operation, diagonal, m, n, alpha, a, lda, b, ldb);
}
cublasStatus_t cublasStrsm_v2(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t fill,
                              cublasOperation_t operation, cublasDiagType_t diagonal, int m, int n, const float* alpha,
                              const float* a, int lda, float* b, int ldb) {
  return trsm("strsm_", handle, side, fill, operation, diagonal, m, n, alpha, a, lda, b, ldb);
}
cublasStatus_t cublasDgemv_v2(cublasHandle_t handle, cublasOperation_t operation, int m, int n, const double* alpha,
                              const double* a, int lda, const double* x, int step_x, const double* beta, double* y,
                              int step_y) {
  return gemv("dgemv_", handle, operation, m, n, alpha, a, lda, x, step_x, beta, y, step_y);
}
cublasStatus_t cublasSgemv_v2(cublasHandle_t handle, cublasOperation_t operation, int m, int n, const float* alpha,
                              const float* a, int lda, const float* x, int step_x, const float* beta, float* y,
                              int step_y) {
  return gemv("sgemv_", handle, operation, m, n, alpha, a, lda, x, step_x, beta, y, step_y);
}
cublasStatus_t cublasDgemm_v2(cublasHandle_t handle, cublasOperation_t a_turned, cublasOperation_t b_turned, int m,
                              int n, int k, const double* alpha, const double* a, int lda, const double* b, int ldb,
                              const double* beta, double* c, int ldc) {
  if (m < 0 || n < 0 || k < 0 || lda < (a_turned == CUBLAS_OP_N ? m : k) || ldb < (b_turned == CUBLAS_OP_N ? k : n) ||
      ldc < m)
    return CUBLAS_STATUS_INVALID_VALUE;
  queued(as(handle).stream, [=, factor = *alpha, old = *beta] {
    blas<Gemm<double>>("dgemm_")(text(a_turned), text(b_turned), &m, &n, &k, &factor, a, &lda, b, &ldb, &old, c, &ldc);
    return true;
  });
  return CUBLAS_STATUS_SUCCESS;
}
// The one form that is asked for: C := alpha A B + beta C, C and the factors in FP32.
cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t a_turned, cublasOperation_t b_turned, int m, int n,
                            int k, const void* alpha, const void* a, cudaDataType a_type, int lda, const void* b,
                            cudaDataType b_type, int ldb, const void* beta, void* c, cudaDataType c_type, int ldc,
                            cublasComputeType_t compute, cublasGemmAlgo_t) {
  if (a_turned != CUBLAS_OP_N || b_turned != CUBLAS_OP_N || a_type != b_type || c_type != CUDA_R_32F ||
      compute != CUBLAS_COMPUTE_32F)
    return CUBLAS_STATUS_NOT_SUPPORTED;
  if (m < 0 || n < 0 || k < 0 || lda < m || ldb < k || ldc < m) return CUBLAS_STATUS_INVALID_VALUE;
  queued(as(handle).stream, [=, factor = *static_cast<const float*>(alpha), old = *static_cast<const float*>(beta)] {
    const std::vector<float> wide_a = widened(a, a_type, m, k, lda), wide_b = widened(b, b_type, k, n, ldb);
    const int tight_b = k > 0 ? k : 1;
    blas<Gemm<float>>("sgemm_")("N", "N", &m, &n, &k, &factor, wide_a.data(), &m, wide_b.data(), &tight_b, &old,
                                static_cast<float*>(c), &ldc);
    return true;
  });
  return CUBLAS_STATUS_SUCCESS;
}
}
