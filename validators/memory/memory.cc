// clusterc-memory: sustained memory bandwidth by the four operations of STREAM. README.md says what it proves.
#include "base/format.h"
#include "harness/cuda_support.h"
#include "harness/gpu_users.h"
#include "harness/load.h"
#include "harness/loop.h"
#include "harness/run.h"
#include "memory/backend.h"

namespace clusterc::memory {
namespace {
using namespace harness;

constexpr Backend kBackends[] = {Backend::host, Backend::cuda};
constexpr ExtraOption kExtra[] = {
    {"--threads", Kind::count, "COUNT", "host: threads on the whole machine (default: one for each core)"},
    {"--timeout", Kind::seconds, "SECONDS", "end when nothing moves for so long (default 300)"}};
constexpr MetricFacts kMetrics[] = {{"memory.copy", "B/s", "z = x: 16 bytes an element"},
                                    {"memory.scale", "B/s", "z = q x: 16 bytes an element"},
                                    {"memory.add", "B/s", "z = x + y: 24 bytes an element"},
                                    {"memory.triad", "B/s", "z = x + q y: 24 bytes an element"}};
constexpr std::uint64_t kLeast = 16;  // two doubles: what a thread of the device loads at once
std::string wrong_options(const Options& options) {
  if (options.size && *options.size < kLeast)
    return format("'--size {}': an array has at least {} B", bytes_text(static_cast<double>(*options.size)), kLeast);
  return {};
}
constexpr Program kProgram{
    .name = "memory",
    .summary = "memory bandwidth: copy, scale, add and triad as STREAM counts them",
    .size_kind = Kind::bytes,
    .size_help = "of one array, as 128MiB (default: host 4 times the last-level caches, cuda 1GiB)",
    .backends = std::span(kBackends).first(kCudaBuilt ? 2 : 1),
    .extra = kExtra,
    .metrics = kMetrics,
    .stuck_after = kStuckAfter,
    .wrong_options = wrong_options};

void measure_place(Place& place, const Options& options, Reporter& report) {
  for (const KernelFacts& facts : kKernels) {
    const Loop loop = loop_from(options, 20, 3, format("{} on {}", facts.metric, place.device().label));
    place.poison();
    LoadMeter meter;
    const std::vector<double> seconds = measure(
        loop, [&] { return place.run(facts.kernel); }, [&] { place.poison(); });
    const std::optional<double> load = meter.share();
    refuse_busy(load, options, format("during {}", facts.metric));
    const double bytes = static_cast<double>(place.elements()) * facts.bytes_per_element;
    Measurement m{.metric = std::string(facts.metric), .unit = "B/s"};
    m.samples = rates(seconds, bytes);
    m.warmup = loop.warmup;
    m.size_bytes = place.elements() * sizeof(double);
    m.device = place.device();
    m.checked = place.elements();
    m.wrong = place.count_wrong(facts.kernel);
    m.other_load = load;
    m.parameters = place.parameters();
    m.parameters.emplace_back("bytes_per_element", std::uint64_t{facts.bytes_per_element});
    m.parameters.emplace_back("write_allocate_counted", false);
    report.measurement(m);
  }
}

void body(const Options& options, Reporter& report) {
  if (options.device == Backend::cuda) {
    const int gpus = require_gpus();
#ifdef CLUSTERC_CUDA
    refuse_used_gpus(options, visible_gpus());
    for (int gpu = 0; gpu < gpus; ++gpu) measure_place(*open_cuda(gpu, options.size, options.seed), options, report);
#else
    (void)gpus;
#endif
    return;
  }
  refuse_busy(load_at_rest(kWatchSeconds), options, "before the run");
  for (const HostPlace& place : host_places(options.count("--threads").value_or(0))) {
    measure_place(*open_host(place, options.size.value_or(default_array_bytes(place.llc_bytes)), options.seed), options,
                  report);
  }
}

}  // namespace
}  // namespace clusterc::memory

int main(int argc, char** argv) {
  return clusterc::harness::run_validator(clusterc::memory::kProgram, argc, argv, clusterc::memory::body);
}
