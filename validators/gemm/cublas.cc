// The CUDA back end: cublasGemmEx of the cuBLAS that is found at run time, timed with device events.
#include <cuda_runtime_api.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/format.h"
#include "gemm/backend.h"
#include "gemm/fill.h"
#include "harness/cublas.h"
#include "harness/cuda_support.h"
#include "harness/fault.h"

namespace clusterc::gemm {
using namespace harness;

namespace {

struct Facts {
  std::string_view precision;
  Element element;
  cudaDataType type;
  cublasComputeType_t compute;
  unsigned bits;        // of the operands: fills the significand, sign apart
  unsigned bytes;
  double accumulation;  // unit roundoff; tensor cores truncate, so one bit more than rounding to nearest
  double output;
};
constexpr std::array<Facts, 5> kFacts = {{
    {"fp64", Element::fp64, CUDA_R_64F, CUBLAS_COMPUTE_64F, 52, 8, 0x1p-52, 0x1p-53},
    {"fp32", Element::fp32, CUDA_R_32F, CUBLAS_COMPUTE_32F, 23, 4, 0x1p-23, 0x1p-24},
    {"tf32", Element::fp32, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32, 10, 4, 0x1p-23, 0x1p-24},  // 10 bits stored: exact as TF32
    {"bf16", Element::bf16, CUDA_R_16BF, CUBLAS_COMPUTE_32F, 7, 2, 0x1p-23, 0x1p-8},
    {"fp16", Element::fp16, CUDA_R_16F, CUBLAS_COMPUTE_32F, 10, 2, 0x1p-23, 0x1p-11},
}};
constexpr std::uint64_t kSamples = 1024;

double half_to_double(std::uint16_t bits) {  // IEEE 754 binary16
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const double sign = bits >> 15 ? -1 : 1;
  if (exponent == 31) return fraction ? std::numeric_limits<double>::quiet_NaN() : sign * std::numeric_limits<double>::infinity();
  return exponent == 0 ? sign * std::ldexp(fraction, -24) : sign * std::ldexp(1024 + fraction, exponent - 25);
}

double element_at(const std::byte* at, Element element) {
  switch (element) {
    case Element::fp64: { double v; std::memcpy(&v, at, sizeof v); return v; }
    case Element::fp32: { float v; std::memcpy(&v, at, sizeof v); return v; }
    case Element::bf16: {  // the upper half of a float
      std::uint16_t v;
      std::memcpy(&v, at, sizeof v);
      return std::bit_cast<float>(std::uint32_t{v} << 16);
    }
    case Element::fp16: { std::uint16_t v; std::memcpy(&v, at, sizeof v); return half_to_double(v); }
  }
  return 0;
}

class CublasMultiplier final : public Multiplier {
 public:
  CublasMultiplier(std::shared_ptr<Cublas> cublas, int gpu, const Facts& facts, std::uint64_t n, std::uint64_t seed)
      : cublas_(std::move(cublas)), gpu_(gpu), facts_(facts), seed_(seed),
        problem_{.n = n, .bits = facts.bits, .seed_a = stream_seed(seed, 0), .seed_b = stream_seed(seed, 1)}, scale_(std::ldexp(1.0, -static_cast<int>(facts.bits))) {
    try {
      for (void*& matrix : matrices_) cuda_check(cudaMalloc(&matrix, n * n * facts_.bytes), "cudaMalloc");
      cuda_check(cudaEventCreate(&begin_), "cudaEventCreate");
      cuda_check(cudaEventCreate(&end_), "cudaEventCreate");
      cublas_check(cublas_->create(&handle_), "cublasCreate");
      fill_random(matrices_[0], facts_.element, n * n, problem_.seed_a, facts_.bits, scale_);
      fill_random(matrices_[1], facts_.element, n * n, problem_.seed_b, facts_.bits, scale_);
    } catch (...) {
      release();
      throw;
    }
  }
  ~CublasMultiplier() override { release(); }

  Device device() const override { return gpu_device(gpu_); }
  std::uint64_t bytes() const override { return 3 * problem_.n * problem_.n * facts_.bytes; }
  void poison() override { fill_nan(matrices_[2], facts_.element, problem_.n * problem_.n); }

  double run() override {
    const int n = static_cast<int>(problem_.n);
    // The factors have the type of the accumulation.
    const double one64 = 1, zero64 = 0;
    const float one32 = 1, zero32 = 0;
    const bool wide = facts_.element == Element::fp64;
    const void* const one = wide ? static_cast<const void*>(&one64) : &one32;
    const void* const zero = wide ? static_cast<const void*>(&zero64) : &zero32;
    cuda_check(cudaEventRecord(begin_), "cudaEventRecord");
    cublas_check(cublas_->gemm(handle_, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, one, matrices_[0], facts_.type, n, matrices_[1], facts_.type, n, zero,
                        matrices_[2], facts_.type, n, facts_.compute, CUBLAS_GEMM_DEFAULT), "cublasGemmEx");
    cuda_check(cudaEventRecord(end_), "cudaEventRecord");
    cuda_check(cudaEventSynchronize(end_), "multiplying");
    float milliseconds = 0;
    cuda_check(cudaEventElapsedTime(&milliseconds, begin_, end_), "cudaEventElapsedTime");
    return milliseconds * 1e-3;
  }

  Check verify() override {
    const std::uint64_t n = problem_.n;
    std::vector<std::byte> c(n * n * facts_.bytes);
    cuda_check(cudaMemcpy(c.data(), matrices_[2], c.size(), cudaMemcpyDeviceToHost), "cudaMemcpy");
    if constexpr (kFaultBuild) std::memset(c.data() + c.size() / 2 / facts_.bytes * facts_.bytes, 0xff, facts_.bytes);  // one element lost: a NaN
    return verify_sampled(problem_, {.scale = scale_, .accumulation = facts_.accumulation, .output = facts_.output}, kSamples, stream_seed(seed_, 2),
                          [&](std::uint64_t i, std::uint64_t j) { return element_at(c.data() + (i + j * n) * facts_.bytes, facts_.element); });
  }

  void keep() override {
    if (!kept_) {
      cuda_check(cudaMalloc(&kept_, matrix_bytes()), "cudaMalloc");
      cuda_check(cudaMalloc(&counter_, sizeof(std::uint64_t)), "cudaMalloc");
    }
    cuda_check(cudaMemcpy(kept_, matrices_[2], matrix_bytes(), cudaMemcpyDeviceToDevice), "cudaMemcpy");
  }
  Check compare() override {
    const std::uint64_t count = problem_.n * problem_.n;
    return {.checked = count, .wrong = differing_then_nan(matrices_[2], kept_, facts_.element, count, counter_)};
  }
  void damage() override {
    auto* const at = static_cast<std::byte*>(matrices_[2]) + matrix_bytes() / 2 / facts_.bytes * facts_.bytes;
    std::uint64_t element = 0;
    cuda_check(cudaMemcpy(&element, at, facts_.bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
    fault_flip_bit(&element, 0);
    cuda_check(cudaMemcpy(at, &element, facts_.bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
  }

  std::vector<std::pair<std::string, Parameter>> parameters() const override {
    auto out = cublas_->parameters(handle_);
    out.emplace_back("check", format("{} sampled elements within the rounding bound, all elements finite", kSamples));
    out.emplace_back("inputs", format("random, {} bits of significand", facts_.bits));
    return out;
  }

 private:
  std::uint64_t matrix_bytes() const { return problem_.n * problem_.n * facts_.bytes; }
  void release() {
    if (handle_) cublas_->destroy(handle_);
    if (begin_) cudaEventDestroy(begin_);
    if (end_) cudaEventDestroy(end_);
    for (void* matrix : matrices_) cudaFree(matrix);
    cudaFree(kept_);
    cudaFree(counter_);
  }

  std::shared_ptr<Cublas> cublas_;
  int gpu_;
  const Facts& facts_;
  std::uint64_t seed_;
  Problem problem_;
  double scale_;
  std::array<void*, 3> matrices_{};
  void *kept_ = nullptr, *counter_ = nullptr;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
  cublasHandle_t handle_ = nullptr;
};

}  // namespace

std::unique_ptr<Multiplier> cuda_multiplier(std::shared_ptr<Cublas> cublas, int gpu, std::string_view precision, std::uint64_t n, std::uint64_t seed) {
  cuda_check(cudaSetDevice(gpu), "cudaSetDevice");
  for (const Facts& facts : kFacts) {
    if (facts.precision == precision) return std::make_unique<CublasMultiplier>(std::move(cublas), gpu, facts, n, seed);
  }
  throw CouldNotRun(Cause::not_built, format("no precision '{}'", precision));
}

}  // namespace clusterc::gemm
