// The CUDA back end: products by the cuBLASLt that is found at run time, timed with device events.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/format.h"
#include "gemm/backend.h"
#include "gemm/fill.h"
#include "harness/cublas_lt.h"
#include "harness/cuda_support.h"
#include "harness/fault.h"
#include "harness/loop.h"

namespace clusterc::gemm {
using namespace harness;

namespace {

struct Facts {
  std::string_view precision;
  Element operand, result;
  cudaDataType operand_type, result_type;
  cublasComputeType_t compute;
  cudaDataType factor_type;  // of the factors that products and C are multiplied with
  unsigned bits;             // of the operands: fills the significand, sign apart
  unsigned operand_digits;   // of the significand, the first one that is not stored with them
  unsigned sum_digits;       // the fewer of those of the sums and of the result
  double accumulation;  // unit roundoff: 2^-24 where FP32 is rounded to nearest; tensor cores truncate, one bit more
  double output;
  double narrow = 0;  // gemm/verify.h
  // Of 8 bits the library multiplies with A by rows and B by columns alone ("TN"), of orders that 16 divides (cuBLAS
  // documentation, cublasLtMatmul()).
  bool eight_bits() const { return operand == Element::fp8 || operand == Element::int8; }
};
constexpr double kNarrow = 5 * 0x1p-13;
constexpr std::array<Facts, 7> kFacts = {{
    {"fp64", Element::fp64, Element::fp64, CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F, CUDA_R_64F, 52, 53, 53, 0x1p-52,
     0x1p-53},
    {"fp32", Element::fp32, Element::fp32, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F, CUDA_R_32F, 23, 24, 24, 0x1p-24,
     0x1p-24},
    {"tf32", Element::fp32, Element::fp32, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32, CUDA_R_32F, 10, 11, 24,
     0x1p-23, 0x1p-24},  // 10 bits stored: exact as TF32
    {"bf16", Element::bf16, Element::bf16, CUDA_R_16BF, CUDA_R_16BF, CUBLAS_COMPUTE_32F, CUDA_R_32F, 7, 8, 8, 0x1p-23,
     0x1p-8},
    {"fp16", Element::fp16, Element::fp16, CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F, CUDA_R_32F, 10, 11, 11, 0x1p-23,
     0x1p-11},
    {"fp8", Element::fp8, Element::bf16, CUDA_R_8F_E4M3, CUDA_R_16BF, CUBLAS_COMPUTE_32F, CUDA_R_32F, 3, 4, 8, 0x1p-23,
     0x1p-8, kNarrow},
    {"int8", Element::int8, Element::int32, CUDA_R_8I, CUDA_R_32I, CUBLAS_COMPUTE_32I, CUDA_R_32I, 7, 8, 31, 0,
     0},  // exact: |sum| <= 2^14 n < 2^31 for every order that is taken
}};
constexpr std::uint64_t kSamples = 1024;
constexpr std::size_t kWorkspace = std::size_t{32}
                                   << 20;  // what cuBLAS gives its own products on Hopper (cuBLAS documentation,
                                           // cublasSetWorkspace()); elsewhere more than it gives
constexpr unsigned kTries = 3;             // of each algorithm, after one that is not counted
// Seconds of a product from which on the library's first choice is taken: on a GPU with few units of a type (FP64 of
// an L40S or a B300: 1.2 to 1.4 TFLOP/s, 6 to 7 s at order 16,384) the trials would last minutes, and every algorithm
// waits for the same units.
constexpr double kLong = 1;

double half_to_double(std::uint16_t bits) {  // IEEE 754 binary16
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const double sign = bits >> 15 ? -1 : 1;
  if (exponent == 31)
    return fraction ? std::numeric_limits<double>::quiet_NaN() : sign * std::numeric_limits<double>::infinity();
  return exponent == 0 ? sign * std::ldexp(fraction, -24) : sign * std::ldexp(1024 + fraction, exponent - 25);
}

double element_at(const std::byte* at, Element element) {
  switch (element) {
    case Element::fp64: {
      double v;
      std::memcpy(&v, at, sizeof v);
      return v;
    }
    case Element::fp32: {
      float v;
      std::memcpy(&v, at, sizeof v);
      return v;
    }
    case Element::bf16: {  // the upper half of a float
      std::uint16_t v;
      std::memcpy(&v, at, sizeof v);
      return std::bit_cast<float>(std::uint32_t{v} << 16);
    }
    case Element::fp16: {
      std::uint16_t v;
      std::memcpy(&v, at, sizeof v);
      return half_to_double(v);
    }
    case Element::int32: {
      std::int32_t v;
      std::memcpy(&v, at, sizeof v);
      return v;
    }
    case Element::fp8:
    case Element::int8:
      break;  // of no result
  }
  return 0;
}

class CublasMultiplier final : public Multiplier {
 public:
  CublasMultiplier(std::shared_ptr<CublasLt> cublas, int gpu, const Facts& facts, std::uint64_t n, std::uint64_t seed,
                   unsigned algorithms)
      : cublas_(std::move(cublas)),
        gpu_(gpu),
        facts_(facts),
        seed_(seed),
        result_bytes_(bytes_of(facts.result)),
        problem_{.n = n,
                 .of_a = {stream_seed(seed, 0), facts.bits},
                 .of_b = {stream_seed(seed, 1), facts.bits},
                 .a_by_rows = facts.eight_bits()},
        scale_(facts.operand == Element::int8 ? 1 : std::ldexp(1.0, -static_cast<int>(facts.bits))) {
    try {
      cublas_check(cublas_->create(&handle_), "cublasLtCreate");
      describe();
      const std::vector<cublasLtMatmulHeuristicResult_t> found = proposals(algorithms);
      for (std::size_t i = 0; i < 2; ++i)
        cuda_check(cudaMalloc(&matrices_[i], n * n * bytes_of(facts.operand)), "cudaMalloc");
      cuda_check(cudaMalloc(&matrices_[2], matrix_bytes()), "cudaMalloc");
      cuda_check(cudaMalloc(&workspace_, kWorkspace), "cudaMalloc");
      cuda_check(cudaEventCreate(&begin_), "cudaEventCreate");
      cuda_check(cudaEventCreate(&end_), "cudaEventCreate");
      cuda_check(cudaMalloc(&rows_, rows_scratch(n)), "cudaMalloc");
      fill(problem_, scale_);
      choose(found);
    } catch (...) {
      release();
      throw;
    }
  }
  ~CublasMultiplier() override { release(); }

  Device device() const override { return gpu_device(gpu_); }
  std::uint64_t bytes() const override {
    return problem_.n * problem_.n * (2 * bytes_of(facts_.operand) + result_bytes_);
  }
  void poison() override { gemm::poison(matrices_[2], facts_.result, problem_.n * problem_.n); }

  double run() override {
    // The factors have the type of the accumulation.
    const double one64 = 1, zero64 = 0;
    const float one32 = 1, zero32 = 0;
    const std::int32_t one_whole = 1, zero_whole = 0;
    const bool wide = facts_.factor_type == CUDA_R_64F, whole = facts_.factor_type == CUDA_R_32I;
    const void* const one = wide    ? static_cast<const void*>(&one64)
                            : whole ? static_cast<const void*>(&one_whole)
                                    : &one32;
    const void* const zero = wide    ? static_cast<const void*>(&zero64)
                             : whole ? static_cast<const void*>(&zero_whole)
                                     : &zero32;
    cuda_check(cudaEventRecord(begin_), "cudaEventRecord");
    cublas_check(
        cublas_->multiply(handle_, product_, one, matrices_[0], layout_a_, matrices_[1], layout_b_, zero, matrices_[2],
                          layout_c_, matrices_[2], layout_c_, &algorithm_, workspace_, kWorkspace, nullptr),
        "cublasLtMatmul");
    cuda_check(cudaEventRecord(end_), "cudaEventRecord");
    cuda_check(cudaEventSynchronize(end_), "multiplying");
    float milliseconds = 0;
    cuda_check(cudaEventElapsedTime(&milliseconds, begin_, end_), "cudaEventElapsedTime");
    return milliseconds * 1e-3;
  }

  Check verify() override {
    const std::uint64_t n = problem_.n;
    if (facts_.result == Element::int32) {  // exact as it is
      damage();
      return {.checked = n * n, .wrong = wrong_rows(matrices_[2], facts_.result, problem_, rows_)};
    }
    std::vector<std::byte> c(matrix_bytes());
    cuda_check(cudaMemcpy(c.data(), matrices_[2], c.size(), cudaMemcpyDeviceToHost), "cudaMemcpy");
    if (kFaultBuild)
      std::memset(c.data() + c.size() / 2 / result_bytes_ * result_bytes_, 0xff,
                  result_bytes_);  // one element lost: a NaN
    const auto element = [&](std::uint64_t i, std::uint64_t j) {
      return element_at(c.data() + (i + j * n) * result_bytes_, facts_.result);
    };
    Check check = verify_sampled(
        problem_,
        {.scale = scale_, .accumulation = facts_.accumulation, .output = facts_.output, .narrow = facts_.narrow},
        kSamples, stream_seed(seed_, 2), element);
    // The same algorithm on whole numbers, of which every element is checked; then C is what it was.
    for (const Problem& whole : exact_problems(problem_, facts_.operand_digits, facts_.sum_digits)) {
      stage(format("checking gemm.{}", facts_.precision));
      check_interrupted();
      fill(whole, 1);
      poison();
      run();
      check.checked += n * n;
      check.wrong += wrong_rows(matrices_[2], facts_.result, whole, rows_);
    }
    fill(problem_, scale_);
    run();
    return check;
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
    return {.checked = count, .wrong = differing_then_poison(matrices_[2], kept_, facts_.result, count, counter_)};
  }
  void damage() override {
    auto* const at = static_cast<std::byte*>(matrices_[2]) + matrix_bytes() / 2 / result_bytes_ * result_bytes_;
    std::uint64_t element = 0;
    cuda_check(cudaMemcpy(&element, at, result_bytes_, cudaMemcpyDeviceToHost), "cudaMemcpy");
    fault_flip_bit(&element, 0);
    cuda_check(cudaMemcpy(at, &element, result_bytes_, cudaMemcpyHostToDevice), "cudaMemcpy");
  }

  std::vector<std::pair<std::string, Parameter>> parameters() const override {
    auto out = cublas_->parameters();
    out.emplace_back("algorithms", std::uint64_t{tried_});
    if (tried_ > 1) out.emplace_back("first_choice", first_choice_);
    out.emplace_back("check",
                     facts_.result == Element::int32
                         ? "every element, exact"
                         : format("every element of two exact products; {} sampled elements within the rounding "
                                  "bound, all elements finite",
                                  kSamples));
    out.emplace_back("inputs", facts_.operand == Element::int8 ? "random, all 8 bits"
                                                               : format("random, {} bits of significand", facts_.bits));
    return out;
  }

 private:
  std::uint64_t matrix_bytes() const { return problem_.n * problem_.n * result_bytes_; }

  void fill(const Problem& p, double scale) {
    fill_random(matrices_[0], facts_.operand, p.n * p.n, p.of_a, scale);
    fill_random(matrices_[1], facts_.operand, p.n * p.n, p.of_b, scale);
  }

  void describe() {
    const std::uint64_t n = problem_.n;
    const auto leading = static_cast<std::int64_t>(n);
    cublas_check(cublas_->make_product(&product_, facts_.compute, facts_.factor_type), "cublasLtMatmulDescCreate");
    if (problem_.a_by_rows) {
      const cublasOperation_t transposed = CUBLAS_OP_T;
      cublas_check(cublas_->set_product(product_, CUBLASLT_MATMUL_DESC_TRANSA, &transposed, sizeof transposed),
                   "cublasLtMatmulDescSetAttribute");
    }
    cublas_check(cublas_->make_layout(&layout_a_, facts_.operand_type, n, n, leading), "cublasLtMatrixLayoutCreate");
    cublas_check(cublas_->make_layout(&layout_b_, facts_.operand_type, n, n, leading), "cublasLtMatrixLayoutCreate");
    cublas_check(cublas_->make_layout(&layout_c_, facts_.result_type, n, n, leading), "cublasLtMatrixLayoutCreate");
  }

  // What the library proposes for this product on this GPU, what it takes for the fastest first.
  std::vector<cublasLtMatmulHeuristicResult_t> proposals(unsigned most) {
    cublas_check(cublas_->make_preference(&preference_), "cublasLtMatmulPreferenceCreate");
    const std::size_t workspace = kWorkspace;
    cublas_check(
        cublas_->set_preference(preference_, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace, sizeof workspace),
        "cublasLtMatmulPreferenceSetAttribute");
    std::vector<cublasLtMatmulHeuristicResult_t> out(std::max(1u, most));
    int count = 0;
    const cublasStatus_t status = cublas_->propose(handle_, product_, layout_a_, layout_b_, layout_c_, layout_c_,
                                                   preference_, static_cast<int>(out.size()), out.data(), &count);
    // A GPU of an architecture without the type: either of the two (cuBLAS documentation, cublasStatus_t).
    const bool lacks = status == CUBLAS_STATUS_NOT_SUPPORTED || status == CUBLAS_STATUS_ARCH_MISMATCH;
    if (!lacks) cublas_check(status, "cublasLtMatmulAlgoGetHeuristic");
    out.resize(lacks ? 0 : static_cast<std::size_t>(count));
    std::erase_if(out, [](const auto& r) { return r.state != CUBLAS_STATUS_SUCCESS || r.workspaceSize > kWorkspace; });
    if (out.empty())
      throw CouldNotRun(
          Cause::not_applicable,
          format("{} has no {} product of order {}: cuBLASLt knows no algorithm{}", device().label, facts_.precision,
                 problem_.n,
                 facts_.eight_bits() && problem_.n % 16 != 0 ? " for an order that 16 does not divide" : ""));
    return out;
  }

  void choose(const std::vector<cublasLtMatmulHeuristicResult_t>& found) {
    algorithm_ = found.front().algo;
    tried_ = static_cast<unsigned>(found.size());
    if (tried_ == 1) return;
    stage(format("trying algorithms of gemm.{}", facts_.precision));
    if (run() > kLong && run() > kLong) {  // the first one loads the library's code, too
      tried_ = 1;
      return;
    }
    // All are warm before the first is timed, and then each has its turn: none runs on a cooler GPU than another.
    std::vector<std::array<double, kTries>> seconds(found.size());
    for (unsigned turn = 0; turn <= kTries; ++turn) {
      for (std::size_t i = 0; i < found.size(); ++i) {
        stage(format("trying algorithms of gemm.{}", facts_.precision));
        check_interrupted();
        algorithm_ = found[i].algo;
        const double once = run();
        if (turn > 0) seconds[i][turn - 1] = once;
      }
    }
    std::size_t fastest = 0;
    for (auto& of_one : seconds) std::sort(of_one.begin(), of_one.end());
    for (std::size_t i = 1; i < seconds.size(); ++i)
      if (seconds[i][kTries / 2] < seconds[fastest][kTries / 2]) fastest = i;
    const double best = seconds[fastest][kTries / 2], first = seconds.front()[kTries / 2];
    algorithm_ = found[fastest].algo;
    first_choice_ = best / first;
  }

  void release() {
    if (preference_) cublas_->drop_preference(preference_);
    for (cublasLtMatrixLayout_t layout : {layout_a_, layout_b_, layout_c_})
      if (layout) cublas_->drop_layout(layout);
    if (product_) cublas_->drop_product(product_);
    if (handle_) cublas_->destroy(handle_);
    if (begin_) cudaEventDestroy(begin_);
    if (end_) cudaEventDestroy(end_);
    for (void* matrix : matrices_) cudaFree(matrix);
    cudaFree(workspace_);
    cudaFree(kept_);
    cudaFree(rows_);
    cudaFree(counter_);
  }

  std::shared_ptr<CublasLt> cublas_;
  int gpu_;
  const Facts& facts_;
  std::uint64_t seed_;
  unsigned result_bytes_;
  Problem problem_;
  double scale_;
  std::array<void*, 3> matrices_{};
  void *kept_ = nullptr, *counter_ = nullptr, *workspace_ = nullptr, *rows_ = nullptr;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
  cublasLtHandle_t handle_ = nullptr;
  cublasLtMatmulDesc_t product_ = nullptr;
  cublasLtMatrixLayout_t layout_a_ = nullptr, layout_b_ = nullptr, layout_c_ = nullptr;
  cublasLtMatmulPreference_t preference_ = nullptr;
  cublasLtMatmulAlgo_t algorithm_{};
  unsigned tried_ = 0;
  double first_choice_ = 1;  // rate of the library's own choice over that of the fastest
};

}  // namespace

std::unique_ptr<Multiplier> cuda_multiplier(std::shared_ptr<CublasLt> cublas, int gpu, std::string_view precision,
                                            std::uint64_t n, std::uint64_t seed, unsigned algorithms) {
  cuda_check(cudaSetDevice(gpu), "cudaSetDevice");
  for (const Facts& facts : kFacts) {
    if (facts.precision == precision)
      return std::make_unique<CublasMultiplier>(std::move(cublas), gpu, facts, n, seed, algorithms);
  }
  throw CouldNotRun(Cause::not_built, format("no precision '{}'", precision));
}

}  // namespace clusterc::gemm
