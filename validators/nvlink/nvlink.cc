// clusterc-nvlink: copies and reads between every two GPUs of a machine, and the NVLinks that join them. README.md says
// what it proves.
#include "base/format.h"
#include "harness/cuda_support.h"
#include "harness/gpu_users.h"
#include "harness/loop.h"
#include "harness/run.h"
#include "nvlink/pairs.h"

namespace clusterc::nvlink {
namespace {
using namespace harness;

constexpr Backend kBackends[] = {Backend::host, Backend::cuda};
constexpr ExtraOption kExtra[] = {
    {"--links", Kind::count, "COUNT", "NVLinks that each GPU shall have up"},
    {"--stand-ins", Kind::count, "COUNT", "host: how many GPUs the host's memory stands for (default 2)"},
    {"--nvml", Kind::text, "FILE",
     "library in the place of libnvidia-ml.so.1, for tests; the host back end reads links through it alone"},
    {"--timeout", Kind::seconds, "SECONDS", "end when nothing moves for so long (default 300)"}};
constexpr MetricFacts kMetrics[] = {
    {"nvlink.links", "B/s", "one way, what a GPU's NVLinks carry that are up"},
    {"nvlink.copy", "B/s", "from one GPU to another that all their links join"},
    {"nvlink.copy.both", "B/s", "both ways at once, together"},
    {"nvlink.latency", "s", "one read of the other GPU's memory", false},
    {"nvlink.part.copy", "B/s",
     "as nvlink.copy, between GPUs that some of their links join; likewise .both and .latency"},
    {"nvlink.part.copy.both", "B/s", "both ways at once, together"},
    {"nvlink.part.latency", "s", "one read of the other GPU's memory", false},
    {"peer.copy", "B/s",
     "as nvlink.copy, between GPUs that no link joins and that access each other all the same; likewise .both and "
     ".latency"},
    {"peer.copy.both", "B/s", "both ways at once, together"},
    {"peer.latency", "s", "one read of the other GPU's memory", false}};
constexpr unsigned kStandIns = 2, kMostStandIns = 64;
std::string wrong_options(const Options& options) {
  if (options.size && (*options.size < 4096 || *options.size % 8 != 0))
    return "'--size' has at least 4 KiB, in whole 8 bytes";
  if (const unsigned count = options.count("--stand-ins").value_or(kStandIns); count > kMostStandIns)
    return format("'--stand-ins {}': at most {}", count, kMostStandIns);
  return {};
}
constexpr Program kProgram{.name = "nvlink",
                           .summary =
                               "NVLinks of GPUs: which are up, what errors they count; copies between every two GPUs, "
                               "each way and both, and the latency of reads",
                           .size_kind = Kind::bytes,
                           .size_help = "of one copy (default: cuda 512MiB, host 32MiB)",
                           .backends = std::span(kBackends).first(kCudaBuilt ? 2 : 1),
                           .extra = kExtra,
                           .metrics = kMetrics,
                           .stuck_after = kStuckAfter,
                           .wrong_options = wrong_options};

std::unique_ptr<Gpus> open(const Options& options) {
  if (options.device == Backend::host) {
    const unsigned count = options.count("--stand-ins").value_or(kStandIns);
    return host_gpus(static_cast<int>(count));
  }
  [[maybe_unused]] const int count = require_gpus();
#ifdef CLUSTERC_CUDA
  refuse_used_gpus(options, visible_gpus());
  return cuda_gpus(count);
#else
  throw CouldNotRun(Cause::not_built, "this build has no device code; build with a CUDA toolkit");
#endif
}

void body(const Options& options, Reporter& report) {
  stage("opening the GPUs");
  const std::unique_ptr<Gpus> gpus = open(options);
  stage("asking NVML for the links");
  std::string why = "the host back end has no NVML of its own";
  std::optional<Nvml> nvml;
  if (options.device == Backend::cuda || options.has("--nvml"))
    nvml = Nvml::open(why, options.text("--nvml", "libnvidia-ml.so.1").c_str());
  measure_gpus(*gpus, nvml, why, {.links = options.count("--links").value_or(0)}, options, report);
  if (nvml) nvml->shutdown();
}

}  // namespace
}  // namespace clusterc::nvlink

int main(int argc, char** argv) {
  return clusterc::harness::run_validator(clusterc::nvlink::kProgram, argc, argv, clusterc::nvlink::body);
}
