// In the place of libcublasLt.so.13, for tests alone: multiplies on the host, as strictly as the documentation of
// cublasLtMatmul() has it. What it does not list is not supported: combinations of types, 8-bit products that are not
// "TN" or of an order that 16 does not divide; a product into a matrix of another type than was described is an error.
// Products are work in a stream (tests/cuda_on_host). It
// proposes three algorithms, of which the second is the fastest. FP8 sums have 13 bits behind the point for 128
// terms, as Hopper's.
//
// FAKE_CUBLASLT_LACKS: an operand's type that this GPU has no products of, "fp8" or "int8". FAKE_CUBLASLT_WRONG: its
// results have an error: of "one" element, of "all" in their last 128 terms, of "few" in their first 8; or FP32
// operands are multiplied as "tf32" or "bf16". FAKE_CUBLASLT_HANGS: products that never end.
#include <cublasLt.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "cuda_on_host/libraries/queued.h"

namespace {

struct Product {
  cublasComputeType_t compute;
  cudaDataType factor;
  bool a_by_rows = false;
};
struct Layout {
  cudaDataType type;
  std::uint64_t rows, columns;
  std::int64_t leading;
};
struct Preference {
  std::size_t workspace = 0;
};
const Layout& as(cublasLtMatrixLayout_t l) { return *reinterpret_cast<const Layout*>(l); }
bool wished(const char* name, const char* value) {
  const char* const text = std::getenv(name);
  return text && std::strcmp(text, value) == 0;
}

bool eight_bits(cudaDataType t) { return t == CUDA_R_8F_E4M3 || t == CUDA_R_8I; }
// The rows of the documentation's table that anybody here could ask for.
bool supported(const Product& p, const Layout& a, const Layout& b, const Layout& c) {
  struct Row {
    cublasComputeType_t compute;
    cudaDataType factor, operands, result;
  };
  constexpr Row kRows[] = {{CUBLAS_COMPUTE_64F, CUDA_R_64F, CUDA_R_64F, CUDA_R_64F},
                           {CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F},
                           {CUBLAS_COMPUTE_32F_FAST_TF32, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F},
                           {CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_16BF, CUDA_R_16BF},
                           {CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_16F, CUDA_R_16F},
                           {CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_8F_E4M3, CUDA_R_16BF},
                           {CUBLAS_COMPUTE_32I, CUDA_R_32I, CUDA_R_8I, CUDA_R_32I}};
  bool listed = false;
  for (const Row& r : kRows)
    listed |= p.compute == r.compute && p.factor == r.factor && a.type == r.operands && b.type == r.operands &&
              c.type == r.result;
  if (!listed ||
      (eight_bits(a.type) && (!p.a_by_rows || a.rows % 16 != 0 || a.columns % 16 != 0 || b.columns % 16 != 0)))
    return false;
  return !(a.type == CUDA_R_8F_E4M3 && wished("FAKE_CUBLASLT_LACKS", "fp8")) &&
         !(a.type == CUDA_R_8I && wished("FAKE_CUBLASLT_LACKS", "int8"));
}

double at(const void* matrix, cudaDataType type, std::uint64_t i) {
  switch (type) {
    case CUDA_R_64F:
      return static_cast<const double*>(matrix)[i];
    case CUDA_R_32F:
      return static_cast<const float*>(matrix)[i];
    case CUDA_R_16BF:
      return __bfloat162float(static_cast<const __nv_bfloat16*>(matrix)[i]);
    case CUDA_R_16F:
      return __half2float(static_cast<const __half*>(matrix)[i]);
    case CUDA_R_8F_E4M3:
      return static_cast<float>(static_cast<const __nv_fp8_e4m3*>(matrix)[i]);
    default:
      return static_cast<const std::int8_t*>(matrix)[i];
  }
}
void put(void* matrix, cudaDataType type, std::uint64_t i, double v) {
  switch (type) {
    case CUDA_R_64F:
      static_cast<double*>(matrix)[i] = v;
      break;
    case CUDA_R_32F:
      static_cast<float*>(matrix)[i] = static_cast<float>(v);
      break;
    case CUDA_R_16BF:
      static_cast<__nv_bfloat16*>(matrix)[i] = __double2bfloat16(v);
      break;
    case CUDA_R_16F:
      static_cast<__half*>(matrix)[i] = __double2half(v);
      break;
    default:
      static_cast<std::int32_t*>(matrix)[i] = static_cast<std::int32_t>(v);
  }
}
// Towards zero, with so many bits behind the point of its own magnitude.
double truncated(double v, int bits) {
  if (v == 0) return 0;
  int exponent = 0;
  std::frexp(v, &exponent);
  return std::ldexp(std::trunc(std::ldexp(v, bits + 1 - exponent)), exponent - bits - 1);
}

// D := A B by the algorithm of that number, of which the second is the fastest.
void multiply(const Product& p, const void* a, const Layout& la, const void* b, const Layout& lb, void* d,
              const Layout& ld, std::uint64_t algorithm) {
  while (std::getenv("FAKE_CUBLASLT_HANGS")) ::pause();
  std::this_thread::sleep_for(std::chrono::milliseconds(std::getenv("FAKE_CUBLASLT_SLOW") ? 1100
                                                        : algorithm == 101                ? 1
                                                                                          : 60));
  const std::uint64_t n = la.rows;
  const bool narrow = la.type == CUDA_R_8F_E4M3, lost = wished("FAKE_CUBLASLT_WRONG", "all"),
             few = wished("FAKE_CUBLASLT_WRONG", "few");
  const int kept = la.type != CUDA_R_32F || p.compute != CUBLAS_COMPUTE_32F ? 0
                   : wished("FAKE_CUBLASLT_WRONG", "tf32")                  ? 10
                   : wished("FAKE_CUBLASLT_WRONG", "bf16")                  ? 7
                                                                            : 0;
  const auto as_fp32 = [&](double v) { return kept == 0 ? v : truncated(v, kept); };
  for (std::uint64_t j = 0; j < n; ++j)
    for (std::uint64_t i = 0; i < n; ++i) {
      double sum = 0, stretch = 0, group = 0;
      for (std::uint64_t k = 0; k < n; ++k) {
        if (lost && k + 128 >= n) break;
        if (few && k < 8) continue;
        const double product =
            as_fp32(at(a, la.type, p.a_by_rows ? k + i * n : i + k * n)) * as_fp32(at(b, lb.type, k + j * n));
        if (!narrow) {
          sum += product;
          continue;
        }
        group += product;
        if (k % 32 == 31) stretch = truncated(stretch + group, 13), group = 0;
        if (k % 128 == 127) sum += stretch, stretch = 0;
      }
      put(d, ld.type, i + j * n, sum + stretch + group);
    }
  if (wished("FAKE_CUBLASLT_WRONG", "one")) put(d, ld.type, n + 1, 3e8);
}

}  // namespace

extern "C" {
cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  return *handle = reinterpret_cast<cublasLtHandle_t>(new int), CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  return delete reinterpret_cast<int*>(handle), CUBLAS_STATUS_SUCCESS;
}
size_t cublasLtGetVersion() { return 130100; }
cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* out, cublasComputeType_t compute, cudaDataType factor) {
  return *out = reinterpret_cast<cublasLtMatmulDesc_t>(new Product{compute, factor}), CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t p) {
  return delete reinterpret_cast<Product*>(p), CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t p, cublasLtMatmulDescAttributes_t which,
                                              const void* value, size_t bytes) {
  cublasOperation_t operation{};
  if (which != CUBLASLT_MATMUL_DESC_TRANSA || bytes != sizeof operation) return CUBLAS_STATUS_INVALID_VALUE;
  std::memcpy(&operation, value, sizeof operation);
  reinterpret_cast<Product*>(p)->a_by_rows = operation == CUBLAS_OP_T;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* out, cudaDataType type, uint64_t rows,
                                          uint64_t columns, int64_t leading) {
  if (leading < static_cast<std::int64_t>(rows)) return CUBLAS_STATUS_INVALID_VALUE;
  return *out = reinterpret_cast<cublasLtMatrixLayout_t>(new Layout{type, rows, columns, leading}),
         CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t l) {
  return delete reinterpret_cast<Layout*>(l), CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* out) {
  return *out = reinterpret_cast<cublasLtMatmulPreference_t>(new Preference), CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t p) {
  return delete reinterpret_cast<Preference*>(p), CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t p,
                                                    cublasLtMatmulPreferenceAttributes_t which, const void* value,
                                                    size_t bytes) {
  if (which != CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES || bytes != sizeof(std::size_t))
    return CUBLAS_STATUS_INVALID_VALUE;
  std::memcpy(&reinterpret_cast<Preference*>(p)->workspace, value, bytes);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t, cublasLtMatmulDesc_t p, cublasLtMatrixLayout_t a,
                                              cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c,
                                              cublasLtMatrixLayout_t d, cublasLtMatmulPreference_t preference, int most,
                                              cublasLtMatmulHeuristicResult_t* out, int* count) {
  *count = 0;
  if (as(c).type != as(d).type || most < 1) return CUBLAS_STATUS_INVALID_VALUE;
  if (!supported(*reinterpret_cast<const Product*>(p), as(a), as(b), as(d)))
    return wished("FAKE_CUBLASLT_SAYS", "mismatch") ? CUBLAS_STATUS_ARCH_MISMATCH : CUBLAS_STATUS_NOT_SUPPORTED;
  for (; *count < most && *count < 3; ++*count) {
    out[*count] = {};
    out[*count].algo.data[0] = 100 + static_cast<std::uint64_t>(*count);
    out[*count].workspaceSize = reinterpret_cast<const Preference*>(preference)->workspace;
    out[*count].state = CUBLAS_STATUS_SUCCESS;
  }
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t description, const void* one, const void* a,
                              cublasLtMatrixLayout_t la, const void* b, cublasLtMatrixLayout_t lb, const void* zero,
                              const void* c, cublasLtMatrixLayout_t lc, void* d, cublasLtMatrixLayout_t ld,
                              const cublasLtMatmulAlgo_t* algorithm, void* workspace, size_t, cudaStream_t stream) {
  const Product& p = *reinterpret_cast<const Product*>(description);
  if (!supported(p, as(la), as(lb), as(ld)) || as(lc).type != as(ld).type || c != d || !workspace ||
      algorithm->data[0] < 100 || algorithm->data[0] > 102)
    return CUBLAS_STATUS_INVALID_VALUE;
  const auto factor = [&](const void* at_it) -> double {
    if (p.factor == CUDA_R_64F) return *static_cast<const double*>(at_it);
    if (p.factor == CUDA_R_32I) return *static_cast<const std::int32_t*>(at_it);
    return *static_cast<const float*>(at_it);
  };
  if (factor(one) != 1 || factor(zero) != 0) return CUBLAS_STATUS_INVALID_VALUE;
  const auto work = [=, p = p, la = as(la), lb = as(lb), ld = as(ld), number = algorithm->data[0]] {
    multiply(p, a, la, b, lb, d, ld, number);
    return true;
  };
  clusterc::emulation::queued(stream, work);
  return CUBLAS_STATUS_SUCCESS;
}
}
