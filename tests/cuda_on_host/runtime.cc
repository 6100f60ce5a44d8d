// The functions of the CUDA runtime that the validators call. GPUs are EMULATED_GPUS many (default 2; 0: a driver
// without GPUs), less by CUDA_VISIBLE_DEVICES; EMULATED_CUDA_DRIVER=0: no driver. EMULATED_CUDA_FAIL=NAME:N:CODE lets
// the Nth call of a function fail with a code of cudaError_t.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <set>

#include "cuda_on_host/emulation.h"

extern "C" const char __executable_start;  // the linker's

namespace clusterc::emulation {
namespace {

constexpr int kMultiprocessors = 4, kMajor = 9;
constexpr std::size_t kMostShared = 48u << 10, kMostArguments = 4096;

thread_local cudaError_t last_error = cudaSuccess;
cudaError_t remember(cudaError_t error) {
  if (error != cudaSuccess) last_error = error;
  return error;
}

struct Event {
  Ticket ticket;
};
std::set<const Event*>& events() {
  static auto* const the = new std::set<const Event*>;
  return *the;
}
Event* as_event(cudaEvent_t event) {
  auto* const e = reinterpret_cast<Event*>(event);
  if (!events().contains(e)) end("fault: an event that is none, or was destroyed");
  return e;
}

// The physical numbers of the GPUs that this process sees.
const std::vector<int>& gpus() {
  static const std::vector<int> the = [] {
    const char *const wish = std::getenv("EMULATED_GPUS"), *visible = std::getenv("CUDA_VISIBLE_DEVICES");
    const int count = wish ? std::atoi(wish) : 2;
    std::vector<int> out;
    if (!visible)
      for (int i = 0; i < count; ++i) out.push_back(i);
    for (; visible && *visible; visible += *visible == ',') {
      char* after = nullptr;
      const long number = std::strtol(visible, &after, 10);
      if (after == visible || number < 0 || number >= count) break;
      out.push_back(static_cast<int>(number));
      visible = after;
    }
    return out;
  }();
  return the;
}
bool known(int device) { return device >= 0 && device < static_cast<int>(gpus().size()); }

void write_report() {
  const char* const path = std::getenv("EMULATED_CUDA_REPORT");
  const Counts& c = counts();
  if (!path || c.work + c.allocations == 0) return;
  std::string kernels;
  for (const auto& [at, times] : c.kernels)
    kernels += (kernels.empty() ? "\"" : ", \"") + std::to_string(at) + "\": " + std::to_string(times);
  std::string pieces;
  for (const auto& [bytes, unwritten] : c.pieces)
    pieces += (pieces.empty() ? "[" : ", [") + std::to_string(bytes) + ", " + std::to_string(unwritten) + "]";
  const std::string text =
      "{\"launches\": " + std::to_string(c.launches) + ", \"threads\": " + std::to_string(c.threads) +
      ", \"work\": " + std::to_string(c.work) + ", \"allocations\": " + std::to_string(c.allocations) +
      ", \"words\": " + std::to_string(c.words) + ", \"unwritten\": " + std::to_string(c.unwritten) +
      ", \"pieces\": [" + pieces + "], \"kernels\": {" + kernels + "}}\n";
  const int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file < 0) return;
  [[maybe_unused]] const auto n = write(file, text.data(), text.size());
  close(file);
}

std::recursive_mutex& lock() {
  static auto* const the = new std::recursive_mutex;
  return *the;
}
pid_t first_user = 0;

// What begins each function: one at a time, in the process that began; a wish to fail.
class Call {
 public:
  explicit Call(const char* name) : guard_(lock()) {
    if (first_user == 0) {
      first_user = getpid();
      std::atexit(write_report);
    }
    if (first_user != getpid()) error = cudaErrorInitializationError;  // CUDA does not survive a fork
    const char* const wish = std::getenv("EMULATED_CUDA_FAIL");
    const std::size_t length = std::strlen(name);
    if (!wish || std::strncmp(wish, name, length) != 0 || wish[length] != ':') return;
    static std::map<std::string, int> calls;
    int number = 0, code = 0;
    if (std::sscanf(wish + length, ":%d:%d", &number, &code) == 2 && ++calls[name] == number)
      error = static_cast<cudaError_t>(code);
  }
  cudaError_t error = cudaSuccess;

 private:
  std::lock_guard<std::recursive_mutex> guard_;
};
#define CALL(name)        \
  const Call call(#name); \
  if (call.error != cudaSuccess) return remember(call.error)

const char* side(int owner) { return owner == kHost ? "host" : "device"; }
// Both ends are where the caller says, and within what was allocated.
bool right_copy(const void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  const int source = owner(from), target = owner(to);
  const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice,
             to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  if (kind != cudaMemcpyDefault && (from_device != (source != kHost) || to_device != (target != kHost))) {
    say(std::string("fault: a copy from ") + side(source) + " to " + side(target) + " was said to be another");
    return false;
  }
  if (source != kHost && !within_one_piece(from, bytes)) {
    say("fault: a copy reads outside of what was allocated");
    return false;
  }
  if (target != kHost && !within_one_piece(to, bytes)) {
    say("fault: a copy writes outside of what was allocated");
    return false;
  }
  return true;
}
std::vector<int> devices_of(const void* a, const void* b) {
  std::vector<int> out;
  for (const void* at : {a, b})
    if (owner(at) != kHost) out.push_back(owner(at));
  return out;
}
// `now` is what the host may rely on when the call returns.
cudaError_t copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream, bool now) {
  if (bytes == 0) return cudaSuccess;
  if (!right_copy(to, from, bytes, kind)) return remember(cudaErrorInvalidValue);
  const bool staged = owner(from) == kHost && !pinned(from, bytes);
  Ticket ticket;
  if (staged) {  // of pageable memory: read before the call returns
    const auto* const at = static_cast<const std::byte*>(from);
    ticket = enqueue(
        stream,
        [=, content = std::vector<std::byte>(at, at + bytes)] {
          return take_time(), std::memcpy(to, content.data(), bytes), true;
        },
        devices_of(to, from));
  } else {
    ticket = enqueue(
        stream, [=] { return take_time(), std::memcpy(to, from, bytes), true; }, devices_of(to, from));
  }
  const bool to_pageable = owner(to) == kHost && !pinned(to, bytes);
  if (to_pageable || (now && owner(to) == kHost)) wait_for(ticket);
  return cudaSuccess;
}

}  // namespace

Counts& counts() {
  static auto* const the = new Counts;  // read when the program ends
  return *the;
}
void say(const std::string& text) {
  const std::string line = "emulated CUDA: " + text + "\n";
  [[maybe_unused]] const auto n = write(2, line.data(), line.size());
}
cudaError_t refuse(const std::string& text) {
  say("fault: " + text);
  return remember(cudaErrorInvalidValue);
}
void end(const std::string& text) {
  say(text.starts_with("fault") ? text : "fault: " + text);
  std::abort();
}

cudaError_t launch_kernel(const void* address, std::function<void()> thread, std::size_t argument_bytes, dim3 blocks,
                          dim3 threads, std::size_t shared, cudaStream_t stream) {
  CALL(cudaLaunchKernel);
  const std::uint64_t size = std::uint64_t{threads.x} * threads.y * threads.z;
  if (blocks.x == 0 || blocks.y == 0 || blocks.z == 0 || blocks.x > 0x7fffffff || blocks.y > 65535 ||
      blocks.z > 65535 || size == 0 || size > 1024 || threads.z > 64 || shared > kMostShared ||
      argument_bytes > kMostArguments)
    return remember(cudaErrorInvalidConfiguration);
  if (!known_stream(stream)) return remember(cudaErrorInvalidResourceHandle);
  if (stream && device_of(stream) != current_device()) {
    say("fault: a kernel was launched in a stream of another device than the current one");
    return remember(cudaErrorInvalidResourceHandle);
  }
  ++counts().launches;
  ++counts().kernels[reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(&__executable_start)];
  counts().threads += size * blocks.x * blocks.y * blocks.z;
  enqueue(stream,
          [=, run = std::move(thread)] { return take_time(), run_grid(blocks, threads, run, random_numbers()), true; });
  return cudaSuccess;
}

}  // namespace clusterc::emulation

using namespace clusterc::emulation;

extern "C" {
[[gnu::visibility("default")]] void emulated_cuda_enqueue(cudaStream_t stream, int (*work)(void*), void* argument,
                                                          void (*drop)(void*)) {
  const Call call("emulated_cuda_enqueue");
  enqueue(stream, [=, held = std::shared_ptr<void>(argument, drop)] { return work(held.get()) != 0; });
}

[[gnu::visibility("default")]] void emulated_cuda_collective(cudaStream_t stream) {
  const Call call("emulated_cuda_collective");
  collective_queued(stream);
}
[[gnu::visibility("default")]] void emulated_cuda_asked(const char* function) {
  const Call call("emulated_cuda_asked");
  asked(function);
}

const char* cudaGetErrorName(cudaError_t error) {
  return error == cudaErrorMemoryAllocation       ? "cudaErrorMemoryAllocation"
         : error == cudaErrorInvalidConfiguration ? "cudaErrorInvalidConfiguration"
         : error == cudaErrorInvalidValue         ? "cudaErrorInvalidValue"
                                                  : "cudaError";
}
const char* cudaGetErrorString(cudaError_t error) {
  return error == cudaErrorMemoryAllocation       ? "out of memory"
         : error == cudaErrorInvalidConfiguration ? "invalid configuration argument"
         : error == cudaErrorInvalidValue         ? "invalid argument"
                                                  : "an error of the emulation";
}
cudaError_t cudaGetLastError() {
  const cudaError_t out = last_error;
  last_error = cudaSuccess;
  return out;
}
cudaError_t cudaPeekAtLastError() { return last_error; }

cudaError_t cudaRuntimeGetVersion(int* version) { return *version = CUDART_VERSION, cudaSuccess; }
cudaError_t cudaDriverGetVersion(int* version) {
  const char* const wish = std::getenv("EMULATED_CUDA_DRIVER");
  return *version = wish ? std::atoi(wish) : CUDART_VERSION, cudaSuccess;
}
cudaError_t cudaGetDeviceCount(int* count) {
  CALL(cudaGetDeviceCount);
  *count = static_cast<int>(gpus().size());
  return *count > 0 ? cudaSuccess : remember(cudaErrorNoDevice);
}
cudaError_t cudaSetDevice(int device) {
  CALL(cudaSetDevice);
  if (!known(device)) return remember(cudaErrorInvalidDevice);
  set_current_device(device);
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) { return *device = current_device(), cudaSuccess; }
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  CALL(cudaGetDeviceProperties);
  if (!known(device)) return remember(cudaErrorInvalidDevice);
  *properties = {};
  std::snprintf(properties->name, sizeof properties->name, "an emulated GPU");
  properties->uuid.bytes[15] = static_cast<char>(gpus()[static_cast<std::size_t>(device)] + 1);
  properties->multiProcessorCount = kMultiprocessors;
  properties->l2CacheSize = 8;  // arrays of a few elements are beyond it
  properties->ECCEnabled = 1;
  properties->asyncEngineCount = 2;
  properties->major = kMajor;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  CALL(cudaDeviceGetAttribute);
  if (!known(device)) return remember(cudaErrorInvalidDevice);
  switch (attribute) {
    case cudaDevAttrMultiProcessorCount:
      return *value = kMultiprocessors, cudaSuccess;
    case cudaDevAttrSingleToDoublePrecisionPerfRatio:
      return *value = 2, cudaSuccess;
    case cudaDevAttrComputeCapabilityMajor:
      return *value = kMajor, cudaSuccess;
    case cudaDevAttrComputeCapabilityMinor:
      return *value = 0, cudaSuccess;
    default:
      return refuse("an attribute that the emulation does not have: " + std::to_string(attribute));
  }
}
cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int device) {
  CALL(cudaDeviceGetPCIBusId);
  if (!known(device)) return remember(cudaErrorInvalidDevice);
  std::snprintf(text, static_cast<std::size_t>(length), "0000:F%X:00.0", gpus()[static_cast<std::size_t>(device)]);
  return cudaSuccess;
}
cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int other) {
  CALL(cudaDeviceCanAccessPeer);
  if (!known(device) || !known(other)) return remember(cudaErrorInvalidDevice);
  return *can = device != other, cudaSuccess;
}
cudaError_t cudaDeviceEnablePeerAccess(int other, unsigned) {
  CALL(cudaDeviceEnablePeerAccess);
  if (!known(other) || other == current_device()) return remember(cudaErrorInvalidDevice);
  if (may_access(current_device(), other)) return remember(cudaErrorPeerAccessAlreadyEnabled);
  constexpr int kMostPeers = 8;  // of a machine without NVSwitches
  if (accesses_of(current_device()) >= kMostPeers) return remember(cudaErrorTooManyPeers);
  let_access(current_device(), other);
  return cudaSuccess;
}
cudaError_t cudaDeviceDisablePeerAccess(int other) {
  CALL(cudaDeviceDisablePeerAccess);
  if (!known(other) || other == current_device()) return remember(cudaErrorInvalidDevice);
  if (!may_access(current_device(), other)) return remember(cudaErrorPeerAccessNotEnabled);
  end_access(current_device(), other);
  return cudaSuccess;
}

cudaError_t cudaMalloc(void** at, size_t bytes) {
  CALL(cudaMalloc);
  if (!known(current_device())) return remember(cudaErrorNoDevice);
  *at = nullptr;
  if (bytes == 0) return cudaSuccess;
  *at = allocate(current_device(), bytes);
  return *at ? cudaSuccess : remember(cudaErrorMemoryAllocation);
}
cudaError_t cudaFree(void* at) {
  CALL(cudaFree);
  if (!at) return cudaSuccess;
  if (owner(at) != kHost) wait_for_device(owner(at));
  return release(at) ? cudaSuccess : refuse("memory was freed that was not allocated, or is freed already");
}
cudaError_t cudaMallocHost(void** at, size_t bytes) {
  CALL(cudaMallocHost);
  *at = std::malloc(bytes);
  if (!*at) return remember(cudaErrorMemoryAllocation);
  std::memset(*at, 0xa5, bytes);
  pin(*at, bytes);
  return cudaSuccess;
}
cudaError_t cudaFreeHost(void* at) {
  CALL(cudaFreeHost);
  if (!at) return cudaSuccess;
  wait_for_device(current_device());
  if (!unpin(at)) return refuse("host memory was freed that was not allocated");
  std::free(at);
  return cudaSuccess;
}
cudaError_t cudaHostRegister(void* at, size_t bytes, unsigned) {
  CALL(cudaHostRegister);
  if (pinned(at, 1)) return remember(cudaErrorHostMemoryAlreadyRegistered);
  return pin(at, bytes), cudaSuccess;
}
cudaError_t cudaHostUnregister(void* at) {
  CALL(cudaHostUnregister);
  wait_for_device(current_device());
  return unpin(at) ? cudaSuccess : remember(cudaErrorHostMemoryNotRegistered);
}
cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  CALL(cudaMemGetInfo);
  *free = room_left(current_device());
  *total = std::max(*free, std::size_t{640} << 20);
  return cudaSuccess;
}

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  CALL(cudaMemcpy);
  return copy(to, from, bytes, kind, nullptr, true);
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  CALL(cudaMemcpyAsync);
  if (!known_stream(stream)) return remember(cudaErrorInvalidResourceHandle);
  return copy(to, from, bytes, kind, stream, false);
}
cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, size_t bytes,
                                cudaStream_t stream) {
  CALL(cudaMemcpyPeerAsync);
  if (owner(to) != to_device || owner(from) != from_device)
    return refuse("a copy between devices names others than those of the memories");
  return copy(to, from, bytes, cudaMemcpyDeviceToDevice, stream, false);
}
cudaError_t cudaMemset(void* at, int value, size_t bytes) {
  CALL(cudaMemset);
  if (!within_one_piece(at, bytes)) return refuse("a memset outside of what was allocated");
  enqueue(nullptr, [=] { return std::memset(at, value, bytes), true; }, {owner(at)});
  return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void* at, int value, size_t bytes, cudaStream_t stream) {
  CALL(cudaMemsetAsync);
  if (!within_one_piece(at, bytes)) return refuse("a memset outside of what was allocated");
  enqueue(stream, [=] { return std::memset(at, value, bytes), true; }, {owner(at)});
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  CALL(cudaStreamCreateWithFlags);
  return *stream = new_stream(flags == cudaStreamNonBlocking), cudaSuccess;
}
cudaError_t cudaStreamCreate(cudaStream_t* stream) { return cudaStreamCreateWithFlags(stream, 0); }
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  CALL(cudaStreamDestroy);
  if (!stream || !known_stream(stream)) return remember(cudaErrorInvalidResourceHandle);
  return drop_stream(stream), cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  CALL(cudaStreamSynchronize);
  asked("cudaStreamSynchronize");
  return wait_for(last_of(stream)), cudaSuccess;
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  CALL(cudaStreamQuery);
  asked("cudaStreamQuery");
  return poll(last_of(stream)) ? cudaSuccess : cudaErrorNotReady;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  CALL(cudaStreamWaitEvent);
  const Event* const e = as_event(event);
  if (e->ticket) wait_on(stream, e->ticket);
  return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize() {
  CALL(cudaDeviceSynchronize);
  asked("cudaDeviceSynchronize");
  return wait_for_device(current_device()), cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  CALL(cudaEventCreate);
  auto* const e = new Event;
  events().insert(e);
  return *event = reinterpret_cast<cudaEvent_t>(e), cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) { return cudaEventCreate(event); }
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  CALL(cudaEventDestroy);
  const Event* const e = as_event(event);
  events().erase(e);
  delete e;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  CALL(cudaEventRecord);
  if (!known_stream(stream)) return remember(cudaErrorInvalidResourceHandle);
  event_recorded(stream);
  as_event(event)->ticket = enqueue(stream, [] { return true; });
  return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  CALL(cudaEventSynchronize);
  asked("cudaEventSynchronize");
  return wait_for(as_event(event)->ticket), cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  CALL(cudaEventQuery);
  asked("cudaEventQuery");
  return poll(as_event(event)->ticket) ? cudaSuccess : cudaErrorNotReady;
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end_event) {
  CALL(cudaEventElapsedTime);
  const Event *const a = as_event(begin), *const b = as_event(end_event);
  if (!a->ticket || !b->ticket) return remember(cudaErrorInvalidResourceHandle);
  if (!a->ticket->done || !b->ticket->done) return remember(cudaErrorNotReady);
  *milliseconds = static_cast<float>((b->ticket->at - a->ticket->at) * 1e3);
  return cudaSuccess;
}
}
