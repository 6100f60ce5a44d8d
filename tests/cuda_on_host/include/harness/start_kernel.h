// In the place of validators/harness/start_kernel.h: hands a kernel to the emulation, typed, as a function of the
// process itself.
#pragma once
#include "cuda_on_host/emulation.h"

namespace clusterc::harness {

template <class... Parameters>
cudaError_t start_kernel(void (*kernel)(Parameters...), dim3 blocks, dim3 threads, std::size_t shared,
                         cudaStream_t stream, Parameters... arguments) {
  const auto check = [](const auto& argument) {
    if constexpr (std::is_pointer_v<std::remove_cvref_t<decltype(argument)>>)
      return emulation::reachable_by_kernels(const_cast<const void*>(static_cast<const volatile void*>(argument)));
    else
      return true;
  };
  if (!(check(arguments) && ...)) return emulation::refuse("a kernel was given a pointer to ordinary host memory");
  return emulation::launch_kernel(
      reinterpret_cast<const void*>(kernel), [=] { kernel(arguments...); }, (sizeof(Parameters) + ... + 0), blocks,
      threads, shared, stream);
}

}  // namespace clusterc::harness
