// clusterc-gemm: rate of dense matrix products by the machine's BLAS or cuBLAS. README.md says what it proves.
#include <cstdio>

#include "base/format.h"
#include "gemm/backend.h"
#include "harness/cuda_support.h"
#include "harness/gpu_users.h"
#include "harness/load.h"
#include "harness/loop.h"
#include "harness/run.h"
#include "harness/sensors.h"

namespace clusterc::gemm {
namespace {
using namespace harness;

constexpr Backend kBackends[] = {Backend::host, Backend::cuda};
constexpr ExtraOption kExtra[] = {
    {"--precisions", Kind::choices, kPrecisions, "which (host: fp64 and fp32; default: all that the back end has)"},
    {"--algorithms", Kind::count, "COUNT",
     "cuda: how many of the library's algorithms are tried for each product; the fastest counts (default 8)"},
    {"--threads", Kind::count, "COUNT", "host: threads of the BLAS (default: one for each core)"},
    {"--timeout", Kind::seconds, "SECONDS", "end when nothing moves for so long (default 300)"}};
constexpr MetricFacts kMetrics[] = {
    {"gemm.fp64", "FLOP/s", "double precision"},
    {"gemm.fp32", "FLOP/s", "single precision"},
    {"gemm.tf32", "FLOP/s", "TF32 operands, FP32 sums: cuda"},
    {"gemm.bf16", "FLOP/s", "bfloat16 operands, FP32 sums: cuda"},
    {"gemm.fp16", "FLOP/s", "FP16 operands, FP32 sums: cuda"},
    {"gemm.fp8", "FLOP/s", "E4M3 operands, bfloat16 result: cuda, where the GPU has it"},
    {"gemm.int8", "FLOP/s",
     "8-bit whole numbers, 32-bit sums: cuda, where the GPU has it; an operation is no floating-point one here"}};
constexpr Program kProgram{.name = "gemm",
                           .summary = "matrix products C = A B of order n, rate by FLOP = 2 n^3, every result checked",
                           .size_kind = Kind::count,
                           .size_help = "order n of the matrices (default: host 2048 to 8192 by the cores, cuda 16384)",
                           .backends = std::span(kBackends).first(kCudaBuilt ? 2 : 1),
                           .extra = kExtra,
                           .metrics = kMetrics,
                           .stuck_after = kStuckAfter};
constexpr std::uint64_t kCudaOrder = 16384;  // the shape of the published rates
constexpr unsigned kAlgorithms = 8;
constexpr double kSustained =
    5;  // seconds of each precision on a GPU, where nobody asks for something else: clocks fall within one or two
constexpr std::uint64_t kLargestOrder = 46340;  // n^2 < 2^31: every index fits the libraries' 32-bit interface

// `sensors`: of its GPU.
void measure_one(Multiplier& gemm, std::string_view precision, std::uint64_t n, const Options& options,
                 GpuSensors* sensors, Reporter& report) {
  Loop loop = loop_from(options, 10, 2, format("gemm.{} on {}", precision, gemm.device().label));
  if (sensors && !options.iterations && !options.seconds) loop.seconds = kSustained;
  gemm.poison();
  LoadMeter meter;
  std::optional<SensorWatch> watch;
  if (sensors) sensors->restart(), watch.emplace(*sensors);
  const std::vector<double> seconds = measure(
      loop, [&] { return gemm.run(); }, [&] { gemm.poison(); });
  const SensorTrace trace = watch ? watch->finish() : SensorTrace();
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
  for (auto& parameter : trace.parameters()) m.parameters.push_back(std::move(parameter));
  if (sensors) {
    for (auto& parameter : sensors->parameters()) m.parameters.push_back(std::move(parameter));
    if (const std::string slowed = sensors->slowed(); !slowed.empty()) m.parameters.emplace_back("slow", slowed);
    if (const GpuSensors::Errors errors = sensors->uncorrected(); errors.count > 0) {
      m.wrong += errors.count;
      m.parameters.emplace_back("first_wrong", errors.text);
    }
  }
  report.measurement(m);
}

void body(const Options& options, Reporter& report) {
  if (options.size && *options.size > kLargestOrder)
    throw CouldNotRun(Cause::no_memory,
                      format("an order of {} is more than the {} that the 32-bit interface of BLAS can address",
                             *options.size, kLargestOrder));
  const std::vector<std::string> precisions = options.choices("--precisions", kPrecisions);
  if (options.device == Backend::cuda) {
    const int gpus = require_gpus();
#ifdef CLUSTERC_CUDA
    refuse_used_gpus(options, visible_gpus());
    const std::uint64_t n = options.size.value_or(kCudaOrder);
    const unsigned algorithms = options.count("--algorithms").value_or(kAlgorithms);
    const auto cublas = open_cublas_lt();
    bool any = false;
    std::string lacking;
    for (int gpu = 0; gpu < gpus; ++gpu) {
      const Device device = gpu_device(gpu);
      stage(format("asking NVML for {}", device.label));
      std::string why;
      std::optional<Nvml> nvml = Nvml::open(why);
      GpuSensors sensors(std::move(nvml), why, {{device.label, device.uuid}});
      for (const std::string& precision : precisions) {
        std::unique_ptr<Multiplier> gemm;
        try {
          gemm = cuda_multiplier(cublas, gpu, precision, n, options.seed, algorithms);
        } catch (const CouldNotRun& e) {  // of seven precisions a GPU may lack some; what was asked for by name and
                                          // nobody has ends the run
          if (e.cause() != Cause::not_applicable) throw;
          lacking = e.what();
          if (options.progress) std::fputs(format("clusterc: {}\n", lacking).c_str(), stderr);
          continue;
        }
        any = true;
        measure_one(*gemm, precision, n, options, &sensors, report);
      }
    }
    if (!any) throw CouldNotRun(Cause::not_applicable, lacking);
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
    measure_one(*host_multiplier(blas, precision, n, options.seed), precision, n, options, nullptr, report);
  }
  if (!any) throw CouldNotRun(Cause::not_applicable, "the host back end has fp64 and fp32 only");
}

}  // namespace
}  // namespace clusterc::gemm

int main(int argc, char** argv) {
  return clusterc::harness::run_validator(clusterc::gemm::kProgram, argc, argv, clusterc::gemm::body);
}
