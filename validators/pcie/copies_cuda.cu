// The CUDA back end: cudaMemcpyAsync between pinned memory and one GPU, a stream for each direction, times by device
// events.
#include <cuda_runtime.h>

#include <algorithm>
#include <string>

#include "harness/cuda_objects.h"
#include "harness/cuda_words.h"
#include "harness/fault.h"
#include "harness/inputs.h"
#include "harness/launch.h"
#include "harness/machine.h"
#include "pcie/copies.h"

static_assert(__cplusplus >= 202002L, "nvcc must be told -std=c++20");

namespace clusterc::pcie {
using namespace harness;
namespace {

// Memory of one node, which the device reads and writes by itself.
class Pinned {
 public:
  Pinned(std::uint64_t bytes, int node) : memory_(bytes, node) {
    cuda_check(cudaHostRegister(memory_.words(), bytes, cudaHostRegisterDefault), "cudaHostRegister");
  }
  ~Pinned() { cudaHostUnregister(memory_.words()); }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;
  std::uint64_t* get() const { return memory_.words(); }
  int node() const { return memory_.node(); }

 private:
  NodeMemory memory_;
};

class CudaCopier final : public Copier {
 public:
  CudaCopier(const CopyPath& path, std::uint64_t bytes, std::uint64_t seed)
      : gpu_(path.device),
        bytes_(bytes),
        seed_(seed),
        host_in_(bytes, path.memory_node),
        host_out_(bytes, path.memory_node),
        device_in_(bytes),
        device_out_(bytes),
        wrong_(sizeof(std::uint64_t)) {
    cudaDeviceProp properties{};
    cuda_check(cudaGetDeviceProperties(&properties, gpu_), "cudaGetDeviceProperties");
    sweep_ = static_cast<unsigned>(properties.multiProcessorCount) * 8;
    engines_ = static_cast<std::uint64_t>(properties.asyncEngineCount);
    for (std::uint64_t i = 0; i < words(); ++i) host_in_.get()[i] = random_bits(stream_seed(seed_, kOnHost), i);
    launch({sweep_, kThreads}, "filling the inputs", fill_random, device_in_.get(), stream_seed(seed_, kOnDevice),
           words());
    finish("filling the inputs");
  }

  Device device() const override { return gpu_device(gpu_); }
  std::uint64_t bytes() const override { return bytes_; }

  // Both streams begin behind the first event, and the last waits for both.
  double run(Way way) override {
    cuda_check(cudaEventRecord(begin_, down_), "cudaEventRecord");
    cuda_check(cudaStreamWaitEvent(up_, begin_, 0), "cudaStreamWaitEvent");
    if (way != Way::to_host)
      cuda_check(cudaMemcpyAsync(device_out_.get(), host_in_.get(), bytes_, cudaMemcpyHostToDevice, down_),
                 "cudaMemcpyAsync to the device");
    if (way != Way::to_device)
      cuda_check(cudaMemcpyAsync(host_out_.get(), device_in_.get(), bytes_, cudaMemcpyDeviceToHost, up_),
                 "cudaMemcpyAsync to the host");
    cuda_check(cudaEventRecord(up_done_, up_), "cudaEventRecord");
    cuda_check(cudaStreamWaitEvent(down_, up_done_, 0), "cudaStreamWaitEvent");
    cuda_check(cudaEventRecord(end_, down_), "cudaEventRecord");
    cuda_check(cudaEventSynchronize(end_), "copying");
    float milliseconds = 0;
    cuda_check(cudaEventElapsedTime(&milliseconds, begin_, end_), "cudaEventElapsedTime");
    return milliseconds * 1e-3;
  }

  void poison() override {
    std::fill(host_out_.get(), host_out_.get() + words(), kPoison);
    launch({sweep_, kThreads}, "poisoning the outputs", fill_value, device_out_.get(), kPoison, words());
    finish("poisoning the outputs");
  }

  std::uint64_t count_wrong(Way way) override {
    if (kFaultBuild) damage(way);
    std::uint64_t wrong = 0;
    if (way != Way::to_device)
      for (std::uint64_t i = 0; i < words(); ++i)
        wrong += host_out_.get()[i] != random_bits(stream_seed(seed_, kOnDevice), i);
    if (way == Way::to_host) return wrong;
    auto* const counter = reinterpret_cast<unsigned long long*>(wrong_.get());
    unsigned long long on_device = 0;
    cuda_check(cudaMemset(counter, 0, sizeof on_device), "cudaMemset");
    launch({sweep_, kThreads}, "checking the outputs", compare, device_out_.get(), stream_seed(seed_, kOnHost), words(),
           counter);
    finish("checking the outputs");
    cuda_check(cudaMemcpy(&on_device, counter, sizeof on_device, cudaMemcpyDeviceToHost), "cudaMemcpy");
    return wrong + on_device;
  }

  std::vector<std::pair<std::string, Parameter>> parameters() const override {
    return {{"memory_node", std::to_string(host_in_.node())},
            {"address", gpu_address(gpu_)},
            {"pinned", true},
            {"copy_engines", engines_}};
  }

 private:
  std::uint64_t words() const { return bytes_ / sizeof(std::uint64_t); }
  void finish(const char* what) const { cuda_check(cudaDeviceSynchronize(), what); }
  void damage(Way way) const {
    if (way == Way::to_host) return fault_flip_bit(host_out_.get(), bytes_ / 2);
    std::uint64_t word = 0, *const at = device_out_.get() + words() / 2;
    cuda_check(cudaMemcpy(&word, at, sizeof word, cudaMemcpyDeviceToHost), "cudaMemcpy");
    fault_flip_bit(&word, 0);
    cuda_check(cudaMemcpy(at, &word, sizeof word, cudaMemcpyHostToDevice), "cudaMemcpy");
  }

  int gpu_;
  std::uint64_t bytes_, seed_;
  Pinned host_in_, host_out_;
  DeviceMemory<std::uint64_t> device_in_, device_out_, wrong_;
  Stream down_, up_;
  Event begin_, end_, up_done_;
  unsigned sweep_ = 0;
  std::uint64_t engines_ = 0;
};

}  // namespace

std::vector<int> cuda_devices(int count) {
  std::vector<int> out;
  for (int gpu = 0; gpu < count; ++gpu) {
    const auto node =
        read_number("/sys/bus/pci/devices/" + gpu_address(gpu) + "/numa_node");  // -1 where the firmware names none
    out.push_back(node ? static_cast<int>(*node) : -1);
  }
  return out;
}

std::unique_ptr<Copier> open_cuda(const CopyPath& path, std::uint64_t bytes, std::uint64_t seed) {
  cuda_check(cudaSetDevice(path.device), "cudaSetDevice");
  return std::make_unique<CudaCopier>(path, bytes, seed);
}

}  // namespace clusterc::pcie
