// Memory of a GPU, streams and events, given back where they go out of scope. For sources that are built with CUDA
// alone.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

#include "harness/cuda_support.h"

namespace clusterc::harness {

template <class T>
class DeviceMemory {
 public:
  explicit DeviceMemory(std::uint64_t bytes) { cuda_check(cudaMalloc(&at_, bytes), "cudaMalloc"); }
  ~DeviceMemory() { cudaFree(at_); }
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  T* get() const { return static_cast<T*>(at_); }

 private:
  void* at_ = nullptr;
};

class Stream {
 public:
  Stream() { cuda_check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate"); }
  ~Stream() { cudaStreamDestroy(stream_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  operator cudaStream_t() const { return stream_; }

 private:
  cudaStream_t stream_{};
};

class Event {
 public:
  Event() { cuda_check(cudaEventCreate(&event_), "cudaEventCreate"); }
  ~Event() { cudaEventDestroy(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  operator cudaEvent_t() const { return event_; }

 private:
  cudaEvent_t event_{};
};

}  // namespace clusterc::harness
