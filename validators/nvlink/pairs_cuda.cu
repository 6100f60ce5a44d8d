// The CUDA back end: cudaMemcpyPeerAsync between two GPUs on the stream of the one that sends, reads of the other's
// memory by a kernel; times by device events.
#include <cuda_runtime.h>

#include <string>

#include "harness/cuda_objects.h"
#include "harness/cuda_words.h"
#include "harness/fault.h"
#include "harness/inputs.h"
#include "harness/launch.h"
#include "nvlink/pairs.h"

static_assert(__cplusplus >= 202002L, "nvcc must be told -std=c++20");

namespace clusterc::nvlink {
using namespace harness;
namespace {

// One thread; each read waits for the one before it.
__global__ void walk_places(const volatile std::uint64_t* words, std::uint64_t* found) {
  std::uint64_t at = 0, sum = 0;
  for (std::uint64_t i = 0; i < kSteps; ++i) sum += at = words[at % kPlaces * kWordsOfPlace];
  found[0] = at;
  found[1] = sum;
}

int make_current(int gpu) {
  cuda_check(cudaSetDevice(gpu), "cudaSetDevice");
  return gpu;
}

// What lies on one GPU of a pair. Its own members are made while it is the current one.
class Side {
 public:
  Side(int gpu, std::uint64_t bytes, std::uint64_t seed, std::uint64_t walk_seed)
      : gpu(make_current(gpu)),
        in(bytes),
        out(bytes),
        wrong(sizeof(std::uint64_t)),
        walk(kPlaces * kWordsOfPlace * sizeof(std::uint64_t)),
        found(2 * sizeof(std::uint64_t)),
        words_(bytes / sizeof(std::uint64_t)) {
    cudaDeviceProp properties{};
    cuda_check(cudaGetDeviceProperties(&properties, gpu), "cudaGetDeviceProperties");
    sweep_ = static_cast<unsigned>(properties.multiProcessorCount) * 8;
    launch({sweep_, kThreads}, "filling the inputs", fill_random, in.get(), seed, words_);
    const std::vector<std::uint64_t> places = make_walk(walk_seed);
    cuda_check(cudaMemcpy(walk.get(), places.data(), places.size() * sizeof(std::uint64_t), cudaMemcpyHostToDevice),
               "cudaMemcpy of the walk");
    finish("filling the inputs");
  }
  void poison() const {
    make_current(gpu);
    launch({sweep_, kThreads}, "poisoning the outputs", fill_value, out.get(), kPoison, words_);
    launch({1, kThreads}, "poisoning the outputs", fill_value, found.get(), kPoison, 2);
    finish("poisoning the outputs");
  }
  std::uint64_t count_wrong(std::uint64_t seed) const {  // of what came from the stream with this seed
    make_current(gpu);
    auto* const counter = reinterpret_cast<unsigned long long*>(wrong.get());
    unsigned long long on_device = 0;
    cuda_check(cudaMemset(counter, 0, sizeof on_device), "cudaMemset");
    launch({sweep_, kThreads}, "checking the outputs", compare, out.get(), seed, words_, counter);
    finish("checking the outputs");
    cuda_check(cudaMemcpy(&on_device, counter, sizeof on_device, cudaMemcpyDeviceToHost), "cudaMemcpy");
    return on_device;
  }
  void damage() const {
    make_current(gpu);
    std::uint64_t word = 0, *const at = out.get() + words_ / 2;
    cuda_check(cudaMemcpy(&word, at, sizeof word, cudaMemcpyDeviceToHost), "cudaMemcpy");
    fault_flip_bit(&word, 0);
    cuda_check(cudaMemcpy(at, &word, sizeof word, cudaMemcpyHostToDevice), "cudaMemcpy");
  }

  int gpu;
  DeviceMemory<std::uint64_t> in, out, wrong, walk, found;
  Stream stream;
  Event begin, end, done;

 private:
  void finish(const char* what) const { cuda_check(cudaDeviceSynchronize(), what); }
  std::uint64_t words_;
  unsigned sweep_ = 0;
};

// Access of one GPU to the memory of another, as long as it is needed: without NVSwitches a GPU has eight at most at a
// time (CUDA C++ Programming Guide, "Peer-to-Peer Memory Access"), and machines of ten GPUs have nine pairs of each.
class Access {
 public:
  Access(int gpu, int other) : gpu_(gpu), other_(other) {
    make_current(gpu);
    const cudaError_t status = cudaDeviceEnablePeerAccess(other, 0);
    ours_ = status != cudaErrorPeerAccessAlreadyEnabled;
    if (ours_)
      cuda_check(status, "cudaDeviceEnablePeerAccess");
    else
      cudaGetLastError();  // it is remembered, and would be taken for an error of what comes next
  }
  ~Access() {
    if (ours_ && cudaSetDevice(gpu_) == cudaSuccess) cudaDeviceDisablePeerAccess(other_);
  }
  Access(const Access&) = delete;
  Access& operator=(const Access&) = delete;

 private:
  int gpu_, other_;
  bool ours_ = false;
};

class CudaPair final : public Pair {
 public:
  CudaPair(int first, int second, std::uint64_t bytes, std::uint64_t seed)
      : bytes_(bytes),
        seed_(seed),
        first_(first, bytes, stream_seed(seed, kOnFirst), stream_seed(seed, kWalkOfFirst)),
        second_(second, bytes, stream_seed(seed, kOnSecond), stream_seed(seed, kWalkOfSecond)),
        forth_(first, second),
        back_(second, first) {}

  std::uint64_t bytes() const override { return bytes_; }

  // Both streams begin behind the first event, and the last waits for both.
  double copy(Way way) override {
    const Side &lead = way == Way::back ? second_ : first_, &other = way == Way::back ? first_ : second_;
    cuda_check(cudaEventRecord(lead.begin, lead.stream), "cudaEventRecord");
    if (way == Way::both) cuda_check(cudaStreamWaitEvent(other.stream, lead.begin, 0), "cudaStreamWaitEvent");
    send(lead, other);
    if (way == Way::both) {
      send(other, lead);
      cuda_check(cudaEventRecord(other.done, other.stream), "cudaEventRecord");
      cuda_check(cudaStreamWaitEvent(lead.stream, other.done, 0), "cudaStreamWaitEvent");
    }
    return until_end(lead, "copying");
  }

  double walk(Way way) override {
    const Side &reader = way == Way::back ? second_ : first_, &other = way == Way::back ? first_ : second_;
    make_current(reader.gpu);
    cuda_check(cudaEventRecord(reader.begin, reader.stream), "cudaEventRecord");
    launch({.blocks = 1, .threads = 1, .stream = reader.stream}, "starting the walk", walk_places, other.walk.get(),
           reader.found.get());
    return until_end(reader, "walking");
  }

  void poison() override {
    first_.poison();
    second_.poison();
  }

  std::uint64_t count_wrong(Way way) override {
    if (kFaultBuild) (way == Way::back ? first_ : second_).damage();
    std::uint64_t wrong = 0;
    if (way != Way::back) wrong += second_.count_wrong(stream_seed(seed_, kOnFirst));
    if (way != Way::forth) wrong += first_.count_wrong(stream_seed(seed_, kOnSecond));
    return wrong;
  }

  std::array<std::uint64_t, 2> found(Way way) override {
    const Side& reader = way == Way::back ? second_ : first_;
    make_current(reader.gpu);
    std::array<std::uint64_t, 2> out{kPoison, kPoison};
    cuda_check(cudaMemcpy(out.data(), reader.found.get(), sizeof out, cudaMemcpyDeviceToHost), "cudaMemcpy");
    return out;
  }

 private:
  void send(const Side& from, const Side& to) const {
    cuda_check(cudaMemcpyPeerAsync(to.out.get(), to.gpu, from.in.get(), from.gpu, bytes_, from.stream),
               "cudaMemcpyPeerAsync");
  }
  static double until_end(const Side& lead, const char* what) {
    cuda_check(cudaEventRecord(lead.end, lead.stream), "cudaEventRecord");
    cuda_check(cudaEventSynchronize(lead.end), what);
    float milliseconds = 0;
    cuda_check(cudaEventElapsedTime(&milliseconds, lead.begin, lead.end), "cudaEventElapsedTime");
    return milliseconds * 1e-3;
  }

  std::uint64_t bytes_, seed_;
  Side first_, second_;
  Access forth_, back_;
};

class CudaGpus final : public Gpus {
 public:
  explicit CudaGpus(int count) : count_(count) {}
  int count() const override { return count_; }
  Device device(int gpu) const override { return gpu_device(gpu); }
  int capability(int gpu) const override {
    cudaDeviceProp properties{};
    cuda_check(cudaGetDeviceProperties(&properties, gpu), "cudaGetDeviceProperties");
    return properties.major * 10 + properties.minor;
  }
  bool can_access(int gpu, int other) const override {
    int can = 0;
    cuda_check(cudaDeviceCanAccessPeer(&can, gpu, other), "cudaDeviceCanAccessPeer");
    return can != 0;
  }
  std::unique_ptr<Pair> open(int first, int second, std::uint64_t bytes, std::uint64_t seed) const override {
    return std::make_unique<CudaPair>(first, second, bytes, seed);
  }

 private:
  int count_;
};

}  // namespace

std::unique_ptr<Gpus> cuda_gpus(int count) { return std::make_unique<CudaGpus>(count); }

}  // namespace clusterc::nvlink
