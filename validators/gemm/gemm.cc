// clusterc-gemm: rate of dense matrix products by the machine's BLAS or cuBLAS. README.md says what it proves.
#include "base/format.h"
#include "gemm/backend.h"
#include "harness/cuda_support.h"
#include "harness/load.h"
#include "harness/loop.h"
#include "harness/run.h"

namespace clusterc::gemm {
namespace {
using namespace harness;

constexpr Backend kBackends[] = {Backend::host, Backend::cuda};
constexpr ExtraOption kExtra[] = {{"--precisions", Kind::choices, kPrecisions, "which (host: fp64 and fp32; default: all that the back end has)"},
                                  {"--threads", Kind::count, "COUNT", "host: threads of the BLAS (default: one for each core)"},
                                  {"--timeout", Kind::seconds, "SECONDS", "end when nothing moves for so long (default: cuda 300, host never)"}};
constexpr MetricFacts kMetrics[] = {{"gemm.fp64", "FLOP/s", "double precision"},
                                    {"gemm.fp32", "FLOP/s", "single precision"},
                                    {"gemm.tf32", "FLOP/s", "TF32 operands, FP32 sums: cuda"},
                                    {"gemm.bf16", "FLOP/s", "bfloat16 operands, FP32 sums: cuda"},
                                    {"gemm.fp16", "FLOP/s", "FP16 operands, FP32 sums: cuda"}};
constexpr Program kProgram{.name = "gemm",
                           .summary = "matrix products C = A B of order n, rate by FLOP = 2 n^3, every result checked",
                           .size_kind = Kind::count,
                           .size_help = "order n of the matrices (default: host 2048 to 8192 by the cores, cuda 16384)",
                           .backends = std::span(kBackends).first(kCudaBuilt ? 2 : 1),
                           .extra = kExtra,
                           .metrics = kMetrics,
                           .stuck_after = kStuckAfter};
constexpr std::uint64_t kCudaOrder = 16384;  // the shape of the published rates
constexpr std::uint64_t kLargestOrder = 46340;  // n^2 < 2^31: every index fits the libraries' 32-bit interface

void measure_one(Multiplier& gemm, std::string_view precision, std::uint64_t n, const Options& options, Reporter& report) {
  const Loop loop = loop_from(options, 10, 2, format("gemm.{} on {}", precision, gemm.device().label));
  gemm.poison();
  LoadMeter meter;
  const std::vector<double> seconds = measure(loop, [&] { return gemm.run(); }, [&] { gemm.poison(); });
  const std::optional<double> load = meter.share();
  refuse_busy(load, options, format("during the {} products", precision));
  const Check check = gemm.verify();
  Measurement m{.metric = format("gemm.{}", precision), .unit = "FLOP/s"};
  m.samples = rates(seconds, 2.0 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n));
  m.warmup = loop.warmup;
  m.size_bytes = gemm.bytes();
  m.device = gemm.device();
  m.checked = check.checked;
  m.wrong = check.wrong;
  m.other_load = load;
  m.parameters = gemm.parameters();
  m.parameters.emplace_back("n", n);
  report.measurement(m);
}

void body(const Options& options, Reporter& report) {
  if (options.size && *options.size > kLargestOrder) throw CouldNotRun(Cause::no_memory, format("an order of {} is more than the {} that the 32-bit interface of BLAS can address", *options.size, kLargestOrder));
  const std::vector<std::string> precisions = options.choices("--precisions", kPrecisions);
  if (options.device == Backend::cuda) {
    const int gpus = require_gpus();
#ifdef CLUSTERC_CUDA
    const std::uint64_t n = options.size.value_or(kCudaOrder);
    const auto cublas = open_cublas();
    for (int gpu = 0; gpu < gpus; ++gpu) {
      for (const std::string& precision : precisions) measure_one(*cuda_multiplier(cublas, gpu, precision, n, options.seed), precision, n, options, report);
    }
#else
    (void)gpus;
#endif
    return;
  }
  const auto blas = open_host_blas(options.count("--threads").value_or(0));
  const std::uint64_t n = options.size.value_or(host_default_order(*blas));
  refuse_busy(load_at_rest(kWatchSeconds), options, "before the run");
  bool any = false;
  for (const std::string& precision : precisions) {
    if (!host_has(precision)) continue;
    any = true;
    measure_one(*host_multiplier(blas, precision, n, options.seed), precision, n, options, report);
  }
  if (!any) throw CouldNotRun(Cause::not_applicable, "the host back end has fp64 and fp32 only");
}

}  // namespace
}  // namespace clusterc::gemm

int main(int argc, char** argv) { return clusterc::harness::run_validator(clusterc::gemm::kProgram, argc, argv, clusterc::gemm::body); }
