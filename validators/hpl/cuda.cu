// The CUDA accelerator: a stream each, cuBLAS by one handle whose work is all in the compute stream, kernels that
// stride over device_work.h.
#include <cuda_runtime.h>

#include <array>
#include <string>

#include "harness/cublas.h"
#include "harness/cuda_support.h"
#include "harness/launch.h"
#include "hpl/accelerator.h"
#include "hpl/cuda.h"

static_assert(__cplusplus >= 202002L, "nvcc must be told -std=c++20");

namespace clusterc::hpl {
namespace {
using namespace harness;

constexpr unsigned kThreads = 256, kMostBlocks = 65536;
constexpr double kPiece = 2e12;  // operations of an update between two looks at the messages: tens of milliseconds
constexpr double kMixedPiece = 2e13;

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
      for (cudaStream_t& stream : streams_)
        cuda_check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
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

  void* allocate_bytes(Index bytes) override {
    void* at = nullptr;
    cuda_check(cudaMalloc(&at, static_cast<std::size_t>(bytes)),
               ("cudaMalloc of " + bytes_text(static_cast<double>(bytes))).c_str());
    arrays_.push_back(at);
    return at;
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
  void record(Event event, Stream stream) override {
    cuda_check(cudaEventRecord(events_[event], stream_of(stream)), "cudaEventRecord");
  }
  void wait(Stream stream, Event event) override {
    cuda_check(cudaStreamWaitEvent(stream_of(stream), events_[event], 0), "cudaStreamWaitEvent");
  }
  void finish(Event event) override { cuda_check(cudaEventSynchronize(events_[event]), "waiting for the GPU"); }
  double seconds_between(Event begin, Event end) override {
    float milliseconds = 0;
    cuda_check(cudaEventElapsedTime(&milliseconds, events_[begin], events_[end]), "cudaEventElapsedTime");
    return milliseconds * 1e-3;
  }

  void upload_bytes(Stream stream, void* to, const void* host, Index bytes) override {
    copy(stream, to, host, bytes, cudaMemcpyHostToDevice);
  }
  void download_bytes(Stream stream, void* host, const void* from, Index bytes) override {
    copy(stream, host, from, bytes, cudaMemcpyDeviceToHost);
  }
  void run(Stream stream, const Work& work) override {
    std::visit(
        [&](const auto& body) {
          const Index count = body.count();
          if (count == 0) return;
          const auto blocks =
              static_cast<std::uint64_t>(std::min<Index>((count + kThreads - 1) / kThreads, kMostBlocks));
          launch({.blocks = blocks, .threads = kThreads, .stream = stream_of(stream)}, "launching a kernel",
                 each<std::decay_t<decltype(body)>>, body);
        },
        work);
  }

  void dtrsm(Stream stream, Index n, Index width, const double* l, Index ld_l, double* u, Index ld_u) override {
    const double one = 1;
    to_compute(stream);
    cublas_check(cublas_->dtrsm(handle_, CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_T, CUBLAS_DIAG_UNIT,
                                whole(n), whole(width), &one, l, whole(ld_l), u, whole(ld_u)),
                 "cublasDtrsm");
  }
  void dgemm(Stream stream, Index n, Index rows, Index width, const double* u, Index ld_u, const double* l, Index ld_l,
             double* c, Index ld_c) override {
    const double one = 1, minus = -1;
    to_compute(stream);
    cublas_check(cublas_->dgemm(handle_, CUBLAS_OP_N, CUBLAS_OP_T, whole(n), whole(rows), whole(width), &minus, u,
                                whole(ld_u), l, whole(ld_l), &one, c, whole(ld_c)),
                 "cublasDgemm");
  }
  void dgemv(Stream stream, Index m, Index n, const double* a, Index ld_a, const double* x, double* y) override {
    const double one = 1, zero = 0;
    to_compute(stream);
    cublas_check(cublas_->dgemv(handle_, CUBLAS_OP_T, whole(m), whole(n), &one, a, whole(ld_a), x, 1, &zero, y, 1),
                 "cublasDgemv");
  }
  void strsm(Stream stream, Triangle triangle, Index m, Index n, const float* square, Index ld_square, float* b,
             Index ld_b) override {
    const float one = 1;
    const bool left = triangle == Triangle::unit_lower_from_the_left;
    to_compute(stream);
    cublas_check(cublas_->strsm(handle_, left ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT,
                                left ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N,
                                left ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT, whole(m), whole(n), &one, square,
                                whole(ld_square), b, whole(ld_b)),
                 "cublasStrsm");
  }
  void gemm(Stream stream, Precision precision, Index m, Index n, Index k, float factor, const void* a, Index ld_a,
            const void* b, Index ld_b, float* c, Index ld_c) override {
    const float one = 1;
    const cudaDataType type = precision == Precision::fp16   ? CUDA_R_16F
                              : precision == Precision::bf16 ? CUDA_R_16BF
                                                             : CUDA_R_32F;
    to_compute(stream);
    cublas_check(
        cublas_->gemm(handle_, CUBLAS_OP_N, CUBLAS_OP_N, whole(m), whole(n), whole(k), &factor, a, type, whole(ld_a), b,
                      type, whole(ld_b), &one, c, CUDA_R_32F, whole(ld_c), CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
        "cublasGemmEx");
  }
  void sgemv(Stream stream, Index m, Index n, const float* a, Index ld_a, const float* x, float* y) override {
    const float one = 1, zero = 0;
    to_compute(stream);
    cublas_check(cublas_->sgemv(handle_, CUBLAS_OP_N, whole(m), whole(n), &one, a, whole(ld_a), x, 1, &zero, y, 1),
                 "cublasSgemv");
  }

 private:
  cudaStream_t stream_of(Stream stream) const { return streams_[static_cast<std::size_t>(stream)]; }
  static int whole(Index value) {
    return static_cast<int>(value);
  }  // orders and distances: rows and columns of a rank are fewer than 2^31
  void to_compute(Stream stream) const {
    if (stream != Stream::compute) throw CouldNotRun(Cause::device_error, "the library's work is all in one stream");
  }
  void copy(Stream stream, void* to, const void* from, Index bytes, cudaMemcpyKind kind) {
    if (bytes > 0)
      cuda_check(cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes), kind, stream_of(stream)),
                 "cudaMemcpyAsync");
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

std::unique_ptr<LocalPart> cuda_part(int gpu, std::shared_ptr<Cublas> cublas) {
  return device_part(std::make_unique<CudaAccelerator>(gpu, std::move(cublas)), kPiece);
}
std::unique_ptr<MixedPart> mixed_cuda_part(int gpu, std::shared_ptr<Cublas> cublas) {
  return mixed_device_part(std::make_unique<CudaAccelerator>(gpu, std::move(cublas)), kMixedPiece);
}

double free_memory_of_gpu(int gpu) {
  std::size_t free = 0, total = 0;
  cuda_check(cudaSetDevice(gpu), "cudaSetDevice");
  cuda_check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  return static_cast<double>(free);
}

}  // namespace clusterc::hpl
