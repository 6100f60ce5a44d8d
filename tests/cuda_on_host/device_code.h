// Included before each source with device code (-include): the part of CUDA C++ that a C++ compiler lacks. What is not
// here (warps, textures, tensor cores, dynamic shared memory) does not compile.
#pragma once
#include <cuda_runtime.h>

#include <bit>
#include <type_traits>

#include "cuda_on_host/emulation.h"

#define threadIdx (::clusterc::emulation::indices().thread)
#define blockIdx (::clusterc::emulation::indices().block)
#define blockDim (::clusterc::emulation::indices().threads)
#define gridDim (::clusterc::emulation::indices().blocks)
#undef __shared__
#define __shared__ static __attribute__((section("emulated_shared")))
#undef __launch_bounds__
#define __launch_bounds__(...)

inline void __syncthreads() { ::clusterc::emulation::barrier(); }
inline void __threadfence() { ::clusterc::emulation::may_switch(); }

// Atomic operations of CUDA are relaxed.
template <class T>
T atomicAdd(T* at, std::type_identity_t<T> value) {
  ::clusterc::emulation::may_switch();
  if constexpr (std::is_integral_v<T>) return __atomic_fetch_add(at, value, __ATOMIC_RELAXED);
  T old = 0, sum = 0;
  __atomic_load(at, &old, __ATOMIC_RELAXED);
  do sum = old + value;
  while (!__atomic_compare_exchange(at, &old, &sum, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  return old;
}
template <class T>
T atomicSub(T* at, std::type_identity_t<T> value) {
  return atomicAdd(at, static_cast<T>(T{} - value));
}
template <class T>
T atomicOr(T* at, std::type_identity_t<T> value) {
  ::clusterc::emulation::may_switch();
  return __atomic_fetch_or(at, value, __ATOMIC_RELAXED);
}
template <class T>
T atomicAnd(T* at, std::type_identity_t<T> value) {
  ::clusterc::emulation::may_switch();
  return __atomic_fetch_and(at, value, __ATOMIC_RELAXED);
}
template <class T>
T atomicXor(T* at, std::type_identity_t<T> value) {
  ::clusterc::emulation::may_switch();
  return __atomic_fetch_xor(at, value, __ATOMIC_RELAXED);
}
template <class T>
T atomicExch(T* at, std::type_identity_t<T> value) {
  ::clusterc::emulation::may_switch();
  T old{};
  __atomic_exchange(at, &value, &old, __ATOMIC_RELAXED);
  return old;
}
template <class T>
T atomicCAS(T* at, std::type_identity_t<T> expected, std::type_identity_t<T> value) {
  ::clusterc::emulation::may_switch();
  __atomic_compare_exchange_n(at, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return expected;
}
template <class T>
T atomicMin(T* at, std::type_identity_t<T> value) {
  ::clusterc::emulation::may_switch();
  T old = __atomic_load_n(at, __ATOMIC_RELAXED);
  while (value < old && !__atomic_compare_exchange_n(at, &old, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
  return old;
}
template <class T>
T atomicMax(T* at, std::type_identity_t<T> value) {
  ::clusterc::emulation::may_switch();
  T old = __atomic_load_n(at, __ATOMIC_RELAXED);
  while (old < value && !__atomic_compare_exchange_n(at, &old, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
  return old;
}

inline long long __double_as_longlong(double v) { return std::bit_cast<long long>(v); }
inline double __longlong_as_double(long long v) { return std::bit_cast<double>(v); }
inline unsigned __float_as_uint(float v) { return std::bit_cast<unsigned>(v); }
inline float __uint_as_float(unsigned v) { return std::bit_cast<float>(v); }
inline int __float_as_int(float v) { return std::bit_cast<int>(v); }
inline float __int_as_float(int v) { return std::bit_cast<float>(v); }
template <class T>
T __ldg(const T* at) {
  return *at;
}
