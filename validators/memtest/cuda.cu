// The CUDA back end: one GPU, grid-stride sweeps whose strides come from the launch. Every thread counts the words that
// it reached, and a sweep that missed some is an error. A wrong word is read again before anything is written; the
// first ones that are found are kept with both readings.
#include <cuda_runtime.h>

#include <algorithm>
#include <string>

#include "harness/cuda_support.h"
#include "harness/fault.h"
#include "harness/launch.h"
#include "memtest/backend.h"

static_assert(__cplusplus >= 202002L, "nvcc must be told -std=c++20");

namespace clusterc::memtest {
namespace {
using namespace harness;

constexpr unsigned kThreads = 256;
constexpr std::uint64_t kLeave = 256ull << 20;  // for the context and for what else runs on the device

constexpr unsigned kKept = 64;  // wrong words that are kept; of more, the lowest of those

struct Counters {
  unsigned long long reached, words, again, bits;
  struct Word {
    unsigned long long index, got, again;
  } kept[kKept];
};

__device__ std::uint64_t first_of_thread() { return std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; }
__device__ std::uint64_t stride() { return std::uint64_t{gridDim.x} * blockDim.x; }

__device__ void check(const Step& step, std::uint64_t i, const std::uint64_t* words, Counters* counters) {
  const std::uint64_t want = word_of(step, i), got = words[i];
  if (got == want) return;
  // Volatile: the second reading comes from L2 or beyond, not from a register or L1.
  const std::uint64_t again = *static_cast<const volatile std::uint64_t*>(words + i);
  const unsigned long long place = atomicAdd(&counters->words, 1ull);
  if (place < kKept) counters->kept[place] = {i, got, again};
  if (again == want) return;
  atomicAdd(&counters->again, 1ull);
  atomicOr(&counters->bits, static_cast<unsigned long long>(again ^ want));
}

__global__ void fill_words(std::uint64_t* words, std::uint64_t count, Step step, Counters* counters) {
  unsigned long long reached = 0;
  for (std::uint64_t i = first_of_thread(); i < count; i += stride(), ++reached) words[i] = word_of(step, i);
  if (reached > 0) atomicAdd(&counters->reached, reached);
}
__global__ void compare_words(const std::uint64_t* words, std::uint64_t count, Step step, Counters* counters) {
  unsigned long long reached = 0;
  for (std::uint64_t i = first_of_thread(); i < count; i += stride(), ++reached) check(step, i, words, counters);
  if (reached > 0) atomicAdd(&counters->reached, reached);
}
__global__ void replace_words(std::uint64_t* words, std::uint64_t count, Step from, Step to, bool downwards,
                              Counters* counters) {
  unsigned long long reached = 0;
  for (std::uint64_t n = first_of_thread(); n < count; n += stride(), ++reached) {
    const std::uint64_t i = downwards ? count - 1 - n : n;
    check(from, i, words, counters);
    words[i] = word_of(to, i);
  }
  if (reached > 0) atomicAdd(&counters->reached, reached);
}

class CudaTestMemory final : public Memory {
 public:
  CudaTestMemory(int gpu, std::optional<std::uint64_t> bytes, unsigned percent) : gpu_(gpu) {
    std::size_t free = 0, total = 0;
    cuda_check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
    const std::uint64_t most = free > kLeave ? free - kLeave : 0;
    const std::uint64_t wanted = bytes.value_or(most / 100 * percent) / 4096 * 4096;
    if (wanted > most || wanted == 0)
      throw CouldNotRun(Cause::no_memory, bytes_text(static_cast<double>(wanted)) + " are to be tested, " +
                                              bytes_text(static_cast<double>(most)) + " of gpu" + std::to_string(gpu) +
                                              " are available");
    cudaDeviceProp properties{};
    cuda_check(cudaGetDeviceProperties(&properties, gpu), "cudaGetDeviceProperties");
    blocks_ = static_cast<unsigned>(properties.multiProcessorCount) * 8;
    ecc_ = properties.ECCEnabled != 0;
    count_ = wanted / 8;
    total_ = total;
    try {
      cuda_check(cudaMalloc(&words_, wanted), "cudaMalloc");
      cuda_check(cudaMalloc(&counters_, sizeof(Counters)), "cudaMalloc");
      cuda_check(cudaEventCreate(&begin_), "cudaEventCreate");
      cuda_check(cudaEventCreate(&end_), "cudaEventCreate");
    } catch (...) {
      release();
      throw;
    }
  }
  ~CudaTestMemory() override { release(); }

  Device device() const override { return gpu_device(gpu_); }
  std::uint64_t words() const override { return count_; }
  std::uint64_t memory_bytes() const override { return total_; }
  double fill(const Step& step) override {
    clear();
    const double seconds = timed([&] {
      launch({blocks_, kThreads}, kSweep, fill_words, words_, count_, step, counters_);
    });
    counted();
    return seconds;
  }
  double compare(const Step& step, Wrong& wrong) override {
    clear();
    const double seconds = timed([&] {
      launch({blocks_, kThreads}, kSweep, compare_words, words_, count_, step, counters_);
    });
    collect(step, wrong);
    return seconds;
  }
  double replace(const Step& from, const Step& to, bool downwards, Wrong& wrong) override {
    clear();
    const double seconds = timed([&] {
      launch({blocks_, kThreads}, kSweep, replace_words, words_, count_, from, to, downwards, counters_);
    });
    collect(from, wrong);
    return seconds;
  }
  void damage(std::uint64_t word) override {
    std::uint64_t value = 0;
    cuda_check(cudaMemcpy(&value, words_ + word, sizeof value, cudaMemcpyDeviceToHost), "cudaMemcpy");
    fault_flip_bit(&value, 0);
    cuda_check(cudaMemcpy(words_ + word, &value, sizeof value, cudaMemcpyHostToDevice), "cudaMemcpy");
  }
  std::string address_of(std::uint64_t) const override { return {}; }  // the driver tells of no physical place
  std::string pci_address() const override { return gpu_address(gpu_); }
  std::vector<std::pair<std::string, Parameter>> parameters() const override {
    return {{"ecc", ecc_}, {"threads_per_block", std::uint64_t{kThreads}}};
  }

 private:
  static constexpr const char* kSweep = "launching a sweep";
  template <class Sweep>
  double timed(const Sweep& sweep) {
    cuda_check(cudaSetDevice(gpu_), "cudaSetDevice");
    cuda_check(cudaEventRecord(begin_), "cudaEventRecord");
    sweep();
    cuda_check(cudaEventRecord(end_), "cudaEventRecord");
    cuda_check(cudaEventSynchronize(end_), "a sweep over the memory");
    float milliseconds = 0;
    cuda_check(cudaEventElapsedTime(&milliseconds, begin_, end_), "cudaEventElapsedTime");
    return milliseconds * 1e-3;
  }
  void clear() { cuda_check(cudaMemset(counters_, 0, sizeof(Counters)), "cudaMemset"); }
  Counters counted() const {
    Counters seen{};
    cuda_check(cudaMemcpy(&seen, counters_, sizeof seen, cudaMemcpyDeviceToHost), "cudaMemcpy");
    if (seen.reached != count_)
      throw CouldNotRun(Cause::device_error, "a sweep reached " + std::to_string(seen.reached) + " of " +
                                                 std::to_string(count_) + " words of gpu" + std::to_string(gpu_));
    return seen;
  }
  void collect(const Step& step, Wrong& wrong) {
    const Counters seen = counted();
    if (seen.words == 0) return;
    const auto* const end = seen.kept + std::min<unsigned long long>(seen.words, kKept);
    const auto* const lowest =
        std::min_element(seen.kept, end, [](const auto& a, const auto& b) { return a.index < b.index; });
    wrong.add({.words = seen.words,
               .again = seen.again,
               .bits = seen.bits,
               .first = WrongWord{lowest->index * 8, word_of(step, lowest->index), lowest->got, lowest->again}});
  }
  void release() {
    cudaFree(words_);
    cudaFree(counters_);
    if (begin_) cudaEventDestroy(begin_);
    if (end_) cudaEventDestroy(end_);
  }

  int gpu_;
  std::uint64_t count_ = 0, total_ = 0;
  std::uint64_t* words_ = nullptr;
  Counters* counters_ = nullptr;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
  unsigned blocks_ = 0;
  bool ecc_ = false;
};

}  // namespace

std::unique_ptr<Memory> open_cuda(int gpu, std::optional<std::uint64_t> bytes, unsigned percent) {
  cuda_check(cudaSetDevice(gpu), "cudaSetDevice");
  return std::make_unique<CudaTestMemory>(gpu, bytes, percent);
}

}  // namespace clusterc::memtest
