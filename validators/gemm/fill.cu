#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>

#include <type_traits>
#include <vector>

#include "gemm/fill.h"
#include "gemm/verify.h"
#include "harness/cuda_support.h"
#include "harness/launch.h"

namespace clusterc::gemm {
namespace {

using harness::launch;

constexpr unsigned kThreads = 256, kBlocks = 2048;  // strides over the array; speed does not matter here
constexpr const char* kLaunching = "launching a kernel";

template <class T>
__device__ T from_double(double value);
template <>
__device__ double from_double(double value) {
  return value;
}
template <>
__device__ float from_double(double value) {
  return static_cast<float>(value);
}
template <>
__device__ __nv_bfloat16 from_double(double value) {
  return __double2bfloat16(value);
}
template <>
__device__ __half from_double(double value) {
  return __double2half(value);
}
template <>
__device__ __nv_fp8_e4m3 from_double(double value) {
  return __nv_fp8_e4m3(value);
}
template <>
__device__ std::int8_t from_double(double value) {
  return static_cast<std::int8_t>(value);
}

template <class T>
__device__ T poison_of() {
  return from_double<T>(__longlong_as_double(0x7ff8000000000000LL));
}  // a NaN
template <>
__device__ std::int32_t poison_of() {
  return static_cast<std::int32_t>(0x80000000u);
}

template <class T>
__global__ void random_kernel(T* at, std::uint64_t count, Numbers numbers, double scale) {
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * kThreads + threadIdx.x; i < count;
       i += std::uint64_t{gridDim.x} * kThreads) {
    at[i] = from_double<T>(static_cast<double>(numbers.at(i)) * scale);
  }
}

template <class T>
__global__ void poison_kernel(T* at, std::uint64_t count) {
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * kThreads + threadIdx.x; i < count;
       i += std::uint64_t{gridDim.x} * kThreads)
    at[i] = poison_of<T>();
}

template <class T>
__device__ bool same_bits(T a, T b) {
  if constexpr (sizeof(T) == 8)
    return __double_as_longlong(a) == __double_as_longlong(b);
  else if constexpr (std::is_same_v<T, float>)
    return __float_as_uint(a) == __float_as_uint(b);
  else if constexpr (std::is_same_v<T, std::int32_t>)
    return a == b;
  else if constexpr (std::is_same_v<T, __half>)
    return __half_as_ushort(a) == __half_as_ushort(b);
  else
    return __bfloat16_as_ushort(a) == __bfloat16_as_ushort(b);
}

template <class T>
__global__ void compare_kernel(T* at, const T* reference, std::uint64_t count, unsigned long long* wrong) {
  unsigned long long mine = 0;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * kThreads + threadIdx.x; i < count;
       i += std::uint64_t{gridDim.x} * kThreads) {
    mine += !same_bits(at[i], reference[i]);
    at[i] = poison_of<T>();
  }
  if (mine > 0) atomicAdd(wrong, mine);
}

template <class T>
__device__ double as_double(T value) {
  return static_cast<double>(static_cast<float>(value));
}
template <>
__device__ double as_double(double value) {
  return value;
}
template <>
__device__ double as_double(std::int32_t value) {
  return value;
}

// The columns of a row are divided among kSlices threads, whose sums are added modulo 2^64. Neighbours have
// neighbouring rows, which lie side by side in memory.
constexpr std::uint64_t kSlices = 64;

template <class Term>
__device__ void sum_rows(std::uint64_t n, unsigned long long* sums, const Term& term) {
  const std::uint64_t width = (n + kSlices - 1) / kSlices;
  for (std::uint64_t t = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; t < n * kSlices;
       t += std::uint64_t{gridDim.x} * blockDim.x) {
    const std::uint64_t row = t % n, begin = t / n * width, end = begin + width < n ? begin + width : n;
    std::uint64_t sum = 0;
    for (std::uint64_t column = begin; column < end; ++column) sum += term(row, column);
    atomicAdd(&sums[row], static_cast<unsigned long long>(sum));
  }
}
__global__ void weigh_b(Problem p, unsigned long long* bx) {
  sum_rows(p.n, bx, [&](std::uint64_t row, std::uint64_t column) {
    return static_cast<std::uint64_t>(p.b(row, column)) * p.x(column);
  });
}
__global__ void weigh_a(Problem p, const unsigned long long* bx, unsigned long long* abx) {
  sum_rows(p.n, abx, [&](std::uint64_t row, std::uint64_t column) {
    return static_cast<std::uint64_t>(p.a(row, column)) * bx[column];
  });
}
template <class T>
__global__ void weigh_c(const T* c, Problem p, unsigned long long* cx, unsigned long long* broken) {
  sum_rows(p.n, cx, [&](std::uint64_t row, std::uint64_t column) {
    std::int64_t element = 0;
    if (!as_whole(as_double(c[row + column * p.n]), element)) atomicOr(&broken[row], 1ull);
    return static_cast<std::uint64_t>(element) * p.x(column);
  });
}

// Operands are of any type but int32, results of any but fp8 and int8: no kernels are made for the others.
enum class Side { operand, result };
template <Side side, class Start>
void with_type(Element element, const Start& start) {
  switch (element) {
    case Element::fp64:
      start(static_cast<double*>(nullptr));
      break;
    case Element::fp32:
      start(static_cast<float*>(nullptr));
      break;
    case Element::bf16:
      start(static_cast<__nv_bfloat16*>(nullptr));
      break;
    case Element::fp16:
      start(static_cast<__half*>(nullptr));
      break;
    case Element::fp8:
      if constexpr (side == Side::operand) start(static_cast<__nv_fp8_e4m3*>(nullptr));
      break;
    case Element::int8:
      if constexpr (side == Side::operand) start(static_cast<std::int8_t*>(nullptr));
      break;
    case Element::int32:
      if constexpr (side == Side::result) start(static_cast<std::int32_t*>(nullptr));
      break;
  }
  harness::cuda_check(cudaDeviceSynchronize(), "filling or comparing a matrix");
}

}  // namespace

void fill_random(void* at, Element element, std::uint64_t count, const Numbers& numbers, double scale) {
  with_type<Side::operand>(element, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    launch({kBlocks, kThreads}, kLaunching, random_kernel<T>, static_cast<T*>(at), count, numbers, scale);
  });
}

void poison(void* at, Element element, std::uint64_t count) {
  with_type<Side::result>(element, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    launch({kBlocks, kThreads}, kLaunching, poison_kernel<T>, static_cast<T*>(at), count);
  });
}

std::uint64_t differing_then_poison(void* at, const void* reference, Element element, std::uint64_t count,
                                    void* counter) {
  auto* const wrong = static_cast<unsigned long long*>(counter);
  unsigned long long out = 0;
  harness::cuda_check(cudaMemset(wrong, 0, sizeof out), "cudaMemset");
  with_type<Side::result>(element, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    launch({kBlocks, kThreads}, kLaunching, compare_kernel<T>, static_cast<T*>(at), static_cast<const T*>(reference),
           count, wrong);
  });
  harness::cuda_check(cudaMemcpy(&out, wrong, sizeof out, cudaMemcpyDeviceToHost), "cudaMemcpy");
  return out;
}

std::uint64_t wrong_rows(const void* c, Element element, const Problem& p, void* scratch) {
  auto* const bx = static_cast<unsigned long long*>(scratch);
  unsigned long long *const abx = bx + p.n, *const cx = abx + p.n, *const broken = cx + p.n;
  harness::cuda_check(cudaMemset(scratch, 0, rows_scratch(p.n)), "cudaMemset");
  launch({kBlocks, kThreads}, kLaunching, weigh_b, p, bx);
  launch({kBlocks, kThreads}, kLaunching, weigh_a, p, bx, abx);
  with_type<Side::result>(element, [&]<class T>(T*) {
    launch({kBlocks, kThreads}, kLaunching, weigh_c<T>, static_cast<const T*>(c), p, cx, broken);
  });
  std::vector<unsigned long long> all(4 * p.n);
  harness::cuda_check(cudaMemcpy(all.data(), scratch, rows_scratch(p.n), cudaMemcpyDeviceToHost), "cudaMemcpy");
  std::uint64_t wrong = 0;
  for (std::uint64_t row = 0; row < p.n; ++row)
    wrong += all[3 * p.n + row] != 0 || all[p.n + row] != all[2 * p.n + row];
  return wrong;
}

}  // namespace clusterc::gemm
