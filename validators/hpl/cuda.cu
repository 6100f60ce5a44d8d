// The CUDA accelerator: a stream each, cuBLAS by one handle whose work is all in the compute stream, kernels that stride over device_work.h.
#include <cuda_runtime.h>

#include <array>
#include <string>

#include "harness/cublas.h"
#include "harness/cuda_support.h"
#include "hpl/accelerator.h"
#include "hpl/cuda.h"

static_assert(__cplusplus >= 202002L, "nvcc must be told -std=c++20");
static_assert(sizeof(clusterc::hpl::CopyRows) < 4096, "arguments of a kernel");

namespace clusterc::hpl {
namespace {
using namespace harness;

constexpr unsigned kThreads = 256, kMostBlocks = 65536;
constexpr double kPiece = 2e12;   // operations of an update between two looks at the messages: tens of milliseconds

template <class Body>
__global__ void each(Body body) {
  const Index count = body.count();
  for (Index i = Index{blockIdx.x} * kThreads + threadIdx.x; i < count; i += Index{gridDim.x} * kThreads) body(i);
}

class CudaAccelerator final : public Accelerator {
 public:
  CudaAccelerator(int gpu, std::shared_ptr<Cublas> cublas) : gpu_(gpu), cublas_(std::move(cublas)) {
    try {
      cuda_check(cudaSetDevice(gpu_), "cudaSetDevice");
      for (cudaStream_t& stream : streams_) cuda_check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
      cublas_check(cublas_->create(&handle_), "cublasCreate");
      cublas_check(cublas_->set_stream(handle_, stream_of(Stream::compute)), "cublasSetStream");
    } catch (...) {
      release();
      throw;
    }
  }
  ~CudaAccelerator() override { release(); }

  Device device() const override { return gpu_device(gpu_); }
  std::vector<std::pair<std::string, Parameter>> parameters() const override { return cublas_->parameters(handle_); }

  double* allocate(Index count) override {
    void* at = nullptr;
    const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(double);
    cuda_check(cudaMalloc(&at, bytes), ("cudaMalloc of " + bytes_text(static_cast<double>(bytes))).c_str());
    arrays_.push_back(at);
    return static_cast<double*>(at);
  }
  Array host_memory(std::size_t count) override {
    void* at = nullptr;
    cuda_check(cudaMallocHost(&at, count * sizeof(double)), "cudaMallocHost");
    return Array(static_cast<double*>(at), Free{[](void* array) { cudaFreeHost(array); }});
  }
  Event make_event() override {
    cudaEvent_t event{};
    cuda_check(cudaEventCreate(&event), "cudaEventCreate");
    events_.push_back(event);
    return events_.size() - 1;
  }
  void record(Event event, Stream stream) override { cuda_check(cudaEventRecord(events_[event], stream_of(stream)), "cudaEventRecord"); }
  void wait(Stream stream, Event event) override { cuda_check(cudaStreamWaitEvent(stream_of(stream), events_[event], 0), "cudaStreamWaitEvent"); }
  void finish(Event event) override { cuda_check(cudaEventSynchronize(events_[event]), "waiting for the GPU"); }
  double seconds_between(Event begin, Event end) override {
    float milliseconds = 0;
    cuda_check(cudaEventElapsedTime(&milliseconds, events_[begin], events_[end]), "cudaEventElapsedTime");
    return milliseconds * 1e-3;
  }

  void upload(Stream stream, double* to, const double* host, Index count) override { copy(stream, to, host, count, cudaMemcpyHostToDevice); }
  void download(Stream stream, double* host, const double* from, Index count) override { copy(stream, host, from, count, cudaMemcpyDeviceToHost); }
  void run(Stream stream, const Work& work) override {
    std::visit([&](const auto& body) {
      const Index count = body.count();
      if (count == 0) return;
      const auto blocks = static_cast<unsigned>(std::min<Index>((count + kThreads - 1) / kThreads, kMostBlocks));
      each<<<blocks, kThreads, 0, stream_of(stream)>>>(body);
      cuda_check(cudaGetLastError(), "launching a kernel");
    }, work);
  }

  void dtrsm(Stream stream, Index n, Index width, const double* l, Index ld_l, double* u, Index ld_u) override {
    const double one = 1;
    to_compute(stream);
    cublas_check(cublas_->dtrsm(handle_, CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_T, CUBLAS_DIAG_UNIT, whole(n), whole(width), &one, l, whole(ld_l), u, whole(ld_u)), "cublasDtrsm");
  }
  void dgemm(Stream stream, Index n, Index rows, Index width, const double* u, Index ld_u, const double* l, Index ld_l, double* c, Index ld_c) override {
    const double one = 1, minus = -1;
    to_compute(stream);
    cublas_check(cublas_->dgemm(handle_, CUBLAS_OP_N, CUBLAS_OP_T, whole(n), whole(rows), whole(width), &minus, u, whole(ld_u), l, whole(ld_l), &one, c, whole(ld_c)), "cublasDgemm");
  }
  void dgemv(Stream stream, Index m, Index n, const double* a, Index ld_a, const double* x, double* y) override {
    const double one = 1, zero = 0;
    to_compute(stream);
    cublas_check(cublas_->dgemv(handle_, CUBLAS_OP_T, whole(m), whole(n), &one, a, whole(ld_a), x, 1, &zero, y, 1), "cublasDgemv");
  }

 private:
  cudaStream_t stream_of(Stream stream) const { return streams_[static_cast<std::size_t>(stream)]; }
  static int whole(Index value) { return static_cast<int>(value); }   // orders and distances: rows and columns of a rank are fewer than 2^31
  void to_compute(Stream stream) const {
    if (stream != Stream::compute) throw CouldNotRun(Cause::device_error, "the library's work is all in one stream");
  }
  void copy(Stream stream, double* to, const double* from, Index count, cudaMemcpyKind kind) {
    if (count > 0) cuda_check(cudaMemcpyAsync(to, from, static_cast<std::size_t>(count) * sizeof(double), kind, stream_of(stream)), "cudaMemcpyAsync");
  }
  void release() {
    cudaDeviceSynchronize();
    if (handle_) cublas_->destroy(handle_);
    for (const cudaEvent_t event : events_) cudaEventDestroy(event);
    for (const cudaStream_t stream : streams_)
      if (stream) cudaStreamDestroy(stream);
    for (void* array : arrays_) cudaFree(array);
  }

  int gpu_;
  std::shared_ptr<Cublas> cublas_;
  cublasHandle_t handle_ = nullptr;
  std::array<cudaStream_t, kStreams> streams_{};
  std::vector<cudaEvent_t> events_;
  std::vector<void*> arrays_;
};

}  // namespace

std::unique_ptr<LocalPart> cuda_part(int gpu, std::shared_ptr<Cublas> cublas) { return device_part(std::make_unique<CudaAccelerator>(gpu, std::move(cublas)), kPiece); }

double free_memory_of_gpu(int gpu) {
  std::size_t free = 0, total = 0;
  cuda_check(cudaSetDevice(gpu), "cudaSetDevice");
  cuda_check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  return static_cast<double>(free);
}

}  // namespace clusterc::hpl
