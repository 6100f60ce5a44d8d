// In the place of the CUDA runtime and of gemm's kernels, for tests alone: two GPUs whose memory is this process's, and
// everything is done when it is asked for. What is freed twice, was never allocated or is read past its end ends the
// program. Linked instead of cudart, so that gemm's own CUDA code runs as it is.
//
// FAKE_GPUS=0: a driver without GPUs.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime_api.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>

#include "gemm/fill.h"
#include "gemm/verify.h"

namespace {

std::map<const std::byte*, std::size_t> blocks;
using Clock = std::chrono::steady_clock;
struct Event {
  Clock::time_point at{};
  bool recorded = false;
};
[[noreturn]] void wrong(const char* what) {
  std::fprintf(stderr, "fake CUDA: %s\n", what);
  std::abort();
}
// Is all of it in one block of the device?
bool on_device(const void* at, std::size_t bytes) {
  auto block = blocks.upper_bound(static_cast<const std::byte*>(at));
  if (block == blocks.begin()) return false;
  --block;
  return static_cast<const std::byte*>(at) + bytes <= block->first + block->second;
}

template <class T>
T from(double v) {
  return static_cast<T>(v);
}
template <>
__nv_bfloat16 from(double v) {
  return __double2bfloat16(v);
}
template <>
__half from(double v) {
  return __double2half(v);
}
template <>
__nv_fp8_e4m3 from(double v) {
  return __nv_fp8_e4m3(v);
}

template <class Do>
void with_type(clusterc::gemm::Element element, const Do& act) {
  using enum clusterc::gemm::Element;
  switch (element) {
    case fp64:
      return act(static_cast<double*>(nullptr));
    case fp32:
      return act(static_cast<float*>(nullptr));
    case bf16:
      return act(static_cast<__nv_bfloat16*>(nullptr));
    case fp16:
      return act(static_cast<__half*>(nullptr));
    case fp8:
      return act(static_cast<__nv_fp8_e4m3*>(nullptr));
    case int8:
      return act(static_cast<std::int8_t*>(nullptr));
    case int32:
      return act(static_cast<std::int32_t*>(nullptr));
  }
}

}  // namespace

extern "C" {
cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int device) {
  return std::snprintf(text, static_cast<std::size_t>(length), "0000:1%d:00.0", device), cudaSuccess;
}
const char* cudaGetErrorString(cudaError_t) { return "a fake error"; }
const char* cudaGetErrorName(cudaError_t) { return "fake"; }
cudaError_t cudaRuntimeGetVersion(int* version) { return *version = CUDART_VERSION, cudaSuccess; }
cudaError_t cudaDriverGetVersion(int* version) { return *version = CUDART_VERSION, cudaSuccess; }
cudaError_t cudaGetDeviceCount(int* count) {
  const char* const wish = std::getenv("FAKE_GPUS");
  *count = wish ? std::atoi(wish) : 2;
  return *count > 0 ? cudaSuccess : cudaErrorNoDevice;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int index) {
  *properties = {};
  std::snprintf(properties->name, sizeof properties->name, "a fake GPU");
  properties->uuid.bytes[15] = static_cast<char>(index + 1);
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int index) { return index < 2 ? cudaSuccess : cudaErrorInvalidDevice; }
cudaError_t cudaMalloc(void** at, size_t bytes) {
  if (bytes > std::size_t{1} << 32) return cudaErrorMemoryAllocation;
  *at = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  std::memset(*at, 0x7f, bytes);
  blocks[static_cast<const std::byte*>(*at)] = bytes;
  return cudaSuccess;
}
cudaError_t cudaFree(void* at) {
  if (!at) return cudaSuccess;
  if (blocks.erase(static_cast<const std::byte*>(at)) == 0) wrong("freed what was not allocated");
  std::free(at);
  return cudaSuccess;
}
cudaError_t cudaMemcpy(void* to, const void* from_here, size_t bytes, cudaMemcpyKind kind) {
  if ((kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice) != on_device(from_here, bytes))
    wrong("copied from another place than was said");
  if ((kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice) != on_device(to, bytes))
    wrong("copied to another place than was said");
  std::memcpy(to, from_here, bytes);
  return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return *event = reinterpret_cast<cudaEvent_t>(new Event), cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) { return delete reinterpret_cast<Event*>(event), cudaSuccess; }
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t) {
  return *reinterpret_cast<Event*>(event) = {Clock::now(), true}, cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  const auto *const from_here = reinterpret_cast<const Event*>(begin), *const to = reinterpret_cast<const Event*>(end);
  if (!from_here->recorded || !to->recorded) wrong("an event was read that nobody recorded");
  *milliseconds = std::chrono::duration<float, std::milli>(to->at - from_here->at).count();
  return cudaSuccess;
}
}

namespace clusterc::gemm {

void fill_random(void* at, Element element, std::uint64_t count, const Numbers& numbers, double scale) {
  if (!on_device(at, count * bytes_of(element))) wrong("filled past the end");
  with_type(element, [&](auto* type) {
    auto* const out = static_cast<decltype(type)>(at);
    for (std::uint64_t i = 0; i < count; ++i)
      out[i] = from<std::remove_pointer_t<decltype(type)>>(static_cast<double>(numbers.at(i)) * scale);
  });
}

void poison(void* at, Element element, std::uint64_t count) {
  if (!on_device(at, count * bytes_of(element))) wrong("poisoned past the end");
  with_type(element, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    for (std::uint64_t i = 0; i < count; ++i)
      static_cast<T*>(at)[i] = element == Element::int32 ? from<T>(std::numeric_limits<std::int32_t>::min())
                                                         : from<T>(std::numeric_limits<double>::quiet_NaN());
  });
}

std::uint64_t differing_then_poison(void* at, const void* reference, Element element, std::uint64_t count,
                                    void* counter) {
  if (!on_device(counter, 8)) wrong("the counter is none of the device's");
  const unsigned bytes = bytes_of(element);
  std::uint64_t out = 0;
  for (std::uint64_t i = 0; i < count; ++i)
    out += std::memcmp(static_cast<const std::byte*>(at) + i * bytes,
                       static_cast<const std::byte*>(reference) + i * bytes, bytes) != 0;
  poison(at, element, count);
  return out;
}

std::uint64_t wrong_rows(const void* c, Element element, const Problem& p, void* scratch) {
  if (!on_device(scratch, rows_scratch(p.n)) || !on_device(c, p.n * p.n * bytes_of(element)))
    wrong("a check reads or writes past the end");
  std::uint64_t out = 0;
  with_type(element, [&](auto* type) {
    const auto* const elements = static_cast<decltype(type)>(const_cast<void*>(c));
    for (std::uint64_t i = 0; i < p.n; ++i) {
      bool differs = false;
      for (std::uint64_t j = 0; j < p.n; ++j) {
        std::int64_t sum = 0;
        for (std::uint64_t k = 0; k < p.n; ++k) sum += p.a(i, k) * p.b(k, j);
        differs |= static_cast<double>(static_cast<float>(elements[i + j * p.n])) != static_cast<double>(sum) &&
                   !(sizeof(*elements) >= 4 && static_cast<double>(elements[i + j * p.n]) == static_cast<double>(sum));
      }
      out += differs;
    }
  });
  return out;
}

}  // namespace clusterc::gemm
