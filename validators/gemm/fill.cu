#include "gemm/fill.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <limits>

#include "gemm/verify.h"
#include "harness/cuda_support.h"

namespace clusterc::gemm {
namespace {

constexpr unsigned kThreads = 256, kBlocks = 2048;  // strides over the array; speed does not matter here

template <class T>
__device__ T from_double(double value);
template <>
__device__ double from_double(double value) { return value; }
template <>
__device__ float from_double(double value) { return static_cast<float>(value); }
template <>
__device__ __nv_bfloat16 from_double(double value) { return __double2bfloat16(value); }
template <>
__device__ __half from_double(double value) { return __double2half(value); }

template <class T>
__global__ void random_kernel(T* at, std::uint64_t count, std::uint64_t seed, unsigned bits, double scale) {
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * kThreads + threadIdx.x; i < count; i += std::uint64_t{gridDim.x} * kThreads) {
    at[i] = from_double<T>(static_cast<double>(whole_number(seed, i, bits)) * scale);
  }
}

template <class T>
__global__ void constant_kernel(T* at, std::uint64_t count, double value) {
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * kThreads + threadIdx.x; i < count; i += std::uint64_t{gridDim.x} * kThreads) at[i] = from_double<T>(value);
}

template <class Launch>
void with_type(Element element, const Launch& launch) {
  switch (element) {
    case Element::fp64: launch(static_cast<double*>(nullptr)); break;
    case Element::fp32: launch(static_cast<float*>(nullptr)); break;
    case Element::bf16: launch(static_cast<__nv_bfloat16*>(nullptr)); break;
    case Element::fp16: launch(static_cast<__half*>(nullptr)); break;
  }
  harness::cuda_check(cudaGetLastError(), "launching a kernel");
  harness::cuda_check(cudaDeviceSynchronize(), "filling a matrix");
}

}  // namespace

void fill_random(void* at, Element element, std::uint64_t count, std::uint64_t seed, unsigned bits, double scale) {
  with_type(element, [&](auto* type) { random_kernel<<<kBlocks, kThreads>>>(static_cast<decltype(type)>(at), count, seed, bits, scale); });
}

void fill_nan(void* at, Element element, std::uint64_t count) {
  with_type(element, [&](auto* type) { constant_kernel<<<kBlocks, kThreads>>>(static_cast<decltype(type)>(at), count, std::numeric_limits<double>::quiet_NaN()); });
}

}  // namespace clusterc::gemm
