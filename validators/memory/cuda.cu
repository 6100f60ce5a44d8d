// The CUDA back end: one GPU, device events, ordinary 16-byte loads and stores, results checked on the device against
// the generator.
#include <cuda_runtime.h>

#include <limits>
#include <string>

#include "harness/cuda_objects.h"
#include "harness/fault.h"
#include "harness/inputs.h"
#include "harness/launch.h"
#include "harness/options.h"
#include "memory/backend.h"

static_assert(__cplusplus >= 202002L, "nvcc must be told -std=c++20");

namespace clusterc::memory {
namespace {
using namespace harness;

constexpr unsigned kThreads = 256;  // a block; one double2 a thread, so that the grid covers the array once
constexpr std::uint64_t kDefaultBytes = 1ull << 30;  // 8 times the 126 MB of L2 of a B200, the largest in the catalogue

__host__ __device__ double expected(Kernel kernel, double x, double y) {
  switch (kernel) {
    case Kernel::copy:
      return x;
    case Kernel::scale:
      return kFactor * x;
    case Kernel::add:
      return x + y;
    case Kernel::triad:
      return x + kFactor * y;
  }
  return 0;
}

// q is an argument, so that the compiler knows nothing of it.
template <Kernel K>
__global__ void stream(double2* __restrict__ z, const double2* __restrict__ x, const double2* __restrict__ y, double q,
                       std::uint64_t pairs) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= pairs) return;
  const double2 a = x[i];
  if constexpr (K == Kernel::copy) {
    z[i] = a;
  } else if constexpr (K == Kernel::scale) {
    z[i] = {q * a.x, q * a.y};
  } else {
    const double2 b = y[i];
    if constexpr (K == Kernel::add)
      z[i] = {a.x + b.x, a.y + b.y};
    else
      z[i] = {a.x + q * b.x, a.y + q * b.y};
  }
}

__global__ void fill_random(double* x, std::uint64_t seed, std::uint64_t count) {
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count;
       i += std::uint64_t{gridDim.x} * blockDim.x) {
    x[i] = random_unit(seed, i);
  }
}

__global__ void fill_value(double* z, double value, std::uint64_t count) {
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count;
       i += std::uint64_t{gridDim.x} * blockDim.x)
    z[i] = value;
}

__global__ void compare(Kernel kernel, const double* z, std::uint64_t seed_x, std::uint64_t seed_y, std::uint64_t count,
                        unsigned long long* counters) {
  unsigned long long looked_at = 0, mine = 0;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count;
       i += std::uint64_t{gridDim.x} * blockDim.x) {
    const double want = expected(kernel, random_unit(seed_x, i), random_unit(seed_y, i));
    ++looked_at;
    mine += __double_as_longlong(want) != __double_as_longlong(z[i]);
  }
  if (looked_at > 0) atomicAdd(&counters[0], looked_at);
  if (mine > 0) atomicAdd(&counters[1], mine);
}

class CudaMemory final : public Place {
 public:
  CudaMemory(int gpu, std::uint64_t bytes, std::uint64_t seed)
      : gpu_(gpu),
        elements_(bytes / sizeof(double2) * 2),
        seed_(seed),
        x_(bytes),
        y_(bytes),
        z_(bytes),
        wrong_(2 * sizeof(double)) {
    cudaDeviceProp properties{};
    cuda_check(cudaGetDeviceProperties(&properties, gpu), "cudaGetDeviceProperties");
    sweep_ = static_cast<unsigned>(properties.multiProcessorCount) * 8;
    l2_bytes_ = static_cast<std::uint64_t>(properties.l2CacheSize);
    ecc_ = properties.ECCEnabled != 0;
    if (bytes <= l2_bytes_)
      throw CouldNotRun(Cause::no_memory, "arrays of " + bytes_text(static_cast<double>(bytes)) + " fit in the " +
                                              bytes_text(static_cast<double>(l2_bytes_)) + " of L2 of " +
                                              gpu_device(gpu).label +
                                              ": the figure would be the cache's (--size of more)");
    launch({sweep_, kThreads}, "filling the inputs", fill_random, x_.get(), stream_seed(seed_, 0), elements_);
    launch({sweep_, kThreads}, "filling the inputs", fill_random, y_.get(), stream_seed(seed_, 1), elements_);
    finish("filling the inputs");
  }

  Device device() const override { return gpu_device(gpu_); }
  std::uint64_t elements() const override { return elements_; }

  double run(Kernel kernel) override {
    const std::uint64_t pairs = elements_ / 2;
    const Grid grid{.blocks = (pairs + kThreads - 1) / kThreads, .threads = kThreads};
    auto* x = reinterpret_cast<const double2*>(x_.get());
    auto* y = reinterpret_cast<const double2*>(y_.get());
    auto* z = reinterpret_cast<double2*>(z_.get());
    cuda_check(cudaEventRecord(begin_), "cudaEventRecord");
    switch (kernel) {
      case Kernel::copy:
        launch(grid, "launching a kernel", stream<Kernel::copy>, z, x, y, kFactor, pairs);
        break;
      case Kernel::scale:
        launch(grid, "launching a kernel", stream<Kernel::scale>, z, x, y, kFactor, pairs);
        break;
      case Kernel::add:
        launch(grid, "launching a kernel", stream<Kernel::add>, z, x, y, kFactor, pairs);
        break;
      case Kernel::triad:
        launch(grid, "launching a kernel", stream<Kernel::triad>, z, x, y, kFactor, pairs);
        break;
    }
    cuda_check(cudaEventRecord(end_), "cudaEventRecord");
    cuda_check(cudaEventSynchronize(end_), "running a kernel");
    float milliseconds = 0;
    cuda_check(cudaEventElapsedTime(&milliseconds, begin_, end_), "cudaEventElapsedTime");
    return milliseconds * 1e-3;
  }

  void poison() override {
    launch({sweep_, kThreads}, "poisoning the outputs", fill_value, z_.get(), std::numeric_limits<double>::quiet_NaN(),
           elements_);
    finish("poisoning the outputs");
  }

  std::uint64_t count_wrong(Kernel kernel) override {
    if (kFaultBuild) {
      double element = 0;
      cuda_check(cudaMemcpy(&element, z_.get() + elements_ / 2, sizeof element, cudaMemcpyDeviceToHost), "cudaMemcpy");
      fault_flip_bit(&element, 0);
      cuda_check(cudaMemcpy(z_.get() + elements_ / 2, &element, sizeof element, cudaMemcpyHostToDevice), "cudaMemcpy");
    }
    auto* counters = reinterpret_cast<unsigned long long*>(wrong_.get());
    unsigned long long counted[2] = {};
    cuda_check(cudaMemset(counters, 0, sizeof counted), "cudaMemset");
    launch({sweep_, kThreads}, "checking the outputs", compare, kernel, z_.get(), stream_seed(seed_, 0),
           stream_seed(seed_, 1), elements_, counters);
    finish("checking the outputs");
    cuda_check(cudaMemcpy(counted, counters, sizeof counted, cudaMemcpyDeviceToHost), "cudaMemcpy");
    if (counted[0] != elements_)
      throw CouldNotRun(Cause::device_error, "a check looked at " + std::to_string(counted[0]) + " of " +
                                                 std::to_string(elements_) + " elements");
    return counted[1];
  }

  std::vector<std::pair<std::string, Parameter>> parameters() const override {
    return {{"l2_cache_bytes", l2_bytes_},
            {"ecc", ecc_},
            {"stores", std::string("ordinary")},
            {"threads_per_block", std::uint64_t{kThreads}}};
  }

 private:
  void finish(const char* what) const { cuda_check(cudaDeviceSynchronize(), what); }

  int gpu_;
  std::uint64_t elements_, seed_;
  DeviceMemory<double> x_, y_, z_, wrong_;
  Event begin_, end_;
  unsigned sweep_ = 0;  // blocks of the kernels that stride over the array
  std::uint64_t l2_bytes_ = 0;
  bool ecc_ = false;
};

}  // namespace

std::unique_ptr<Place> open_cuda(int gpu, std::optional<std::uint64_t> array_bytes, std::uint64_t seed) {
  cuda_check(cudaSetDevice(gpu), "cudaSetDevice");
  return std::make_unique<CudaMemory>(gpu, array_bytes.value_or(kDefaultBytes), seed);
}

}  // namespace clusterc::memory
