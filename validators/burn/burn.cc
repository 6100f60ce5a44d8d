// clusterc-burn: a mixed load on every processor for minutes, each round's result checked; who is wrong, slow, stopped
// or gone is named. README.md says what it proves.
#include <algorithm>
#include <thread>

#include "base/format.h"
#include "burn/backend.h"
#include "burn/crew.h"
#include "burn/watch.h"
#include "harness/cuda_support.h"
#include "harness/deadline.h"
#include "harness/fault.h"
#include "harness/gpu_users.h"
#include "harness/load.h"
#include "harness/loop.h"
#include "harness/run.h"
#include "harness/statistics.h"

namespace clusterc::burn {
namespace {
using namespace harness;

constexpr Backend kBackends[] = {Backend::host, Backend::cuda};
constexpr ExtraOption kExtra[] = {
    {"--workers", Kind::count, "COUNT", "processes, one a processor or GPU (default: one for each core, or GPU)"},
    {"--timeout", Kind::seconds, "SECONDS", "end when a worker finishes no round for so long (default 10)"}};
constexpr MetricFacts kMetrics[] = {
    {"burn.flops", "FLOP/s", "of all processors or GPUs, in the matrix part of the rounds"},
    {"burn.slowest", "FLOP/s", "of the slowest processor or GPU"}};
std::string wrong_options(const Options& options) {
  return options.warmup ? "'--warmup': the first round of each worker is the warm-up, and is not counted" : "";
}
constexpr Program kProgram{.name = "burn",
                           .summary =
                               "a mixed load on every processor or GPU for a while (--seconds, default 60), every "
                               "result checked; who is slow, stopped or wrong is named",
                           .backends = std::span(kBackends).first(kCudaBuilt ? 2 : 1),
                           .extra = kExtra,
                           .metrics = kMetrics,
                           .wrong_options = wrong_options};
constexpr double kSeconds = 60, kTimeout = 10;
constexpr double kInterval = 1, kGpuInterval = 5;  // of a sample: some rounds long
constexpr double kGpuStart = 120;  // seconds for drivers, libraries and the references, before the first round
constexpr double kSensors = 30;    // for one reading of all sensors
constexpr unsigned kFewest = 5;    // intervals

struct Run {
  std::vector<double> rates;  // of each interval
  SensorTrace trace;
  std::vector<Seen> first, last;
  double wall = 0, interval = 0;
  std::optional<double> load;  // of others
};

Run watch_over(Crew& crew, Bench& bench, const Options& options, double timeout, Reporter& report) {
  const bool gpus = bench.places.front().gpu;
  const double length = options.seconds.value_or(kSeconds), usual = gpus ? kGpuInterval : kInterval;
  Run run;
  run.interval = options.iterations ? usual : std::min(usual, length / kFewest);
  const std::size_t intervals = options.iterations.value_or(static_cast<unsigned>(length / run.interval + 0.5));
  Progress progress(options.progress ? "burn" : "");
  // The driver is asked for its sensors in this process: nobody else would see it hang.
  TextPulse pulse;
  std::optional<Deadline> deadline;
  if (gpus) deadline.emplace(pulse, std::max(timeout, kSensors), report);
  const auto sensors = [&](double seconds) {
    pulse.doing("reading the sensors of the GPUs");
    return bench.watch->read(seconds);
  };
  const auto wait_until = [&](double until, double patience, const auto& ready) {
    while (now_seconds() < until && !ready()) {
      check_interrupted();
      crew.look(patience);
      pulse.doing("waiting for the workers");
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  };
  // Warm-up: until each has finished a round; the deadline sees to those who never do.
  wait_until(1e300, gpus ? std::max(timeout, kGpuStart) : timeout, [&] {
    for (std::size_t i = 0; i < crew.size(); ++i)
      if (crew.told(i).rounds == 0) return false;
    return true;
  });

  LoadMeter meter;
  run.first = crew.seen();
  const double begin = now_seconds();
  std::vector<Seen> before = run.first;
  double since = begin;
  sensors(0);
  for (std::size_t i = 0; i < intervals; ++i) {
    wait_until(begin + run.interval * static_cast<double>(i + 1), timeout, [] { return false; });
    run.last = crew.seen();
    const double at = now_seconds();
    double rate = 0;  // from round to round: an interval holds no whole number of them
    for (std::size_t w = 0; w < before.size(); ++w) {
      if (run.last[w].rounds > before[w].rounds)
        rate += static_cast<double>(run.last[w].rounds - before[w].rounds) * crew.told(w).flop /
                (static_cast<double>(run.last[w].finished - before[w].finished) * 1e-9);
    }
    run.rates.push_back(rate);
    run.trace.add(sensors(at - since));
    before = run.last;
    since = at;
    progress.at(i + 1, intervals, at - begin, 0);
  }
  run.wall = since - begin;
  double processor = meter.own_seconds();
  for (std::size_t i = 0; i < crew.size(); ++i)
    processor += static_cast<double>(run.last[i].processor_nanoseconds - run.first[i].processor_nanoseconds) * 1e-9;
  run.load = meter.share(processor);
  return run;
}

// Who is slow, held back or fading, in words; empty: nobody.
std::string all_slow(const std::vector<Work>& workers, const Watch& watch, std::optional<double> drift) {
  std::string slow = slow_workers(workers);
  const auto add = [&](const std::string& more) {
    if (!more.empty()) slow += format("{}{}", slow.empty() ? "" : "; ", more);
  };
  add(watch.slowed());
  if (drift && *drift < kMostDrift) add(format("the rate fell to {:.2f} of the beginning", *drift));
  return slow;
}

std::vector<Work> work_of(const Run& run, const Bench& bench) {
  std::vector<Work> out;
  for (std::size_t i = 0; i < run.last.size(); ++i) {
    const double got =
        static_cast<double>(run.last[i].processor_nanoseconds - run.first[i].processor_nanoseconds) * 1e-9;
    // A GPU's worker merely waits for it: the processor says nothing of the GPU.
    // From round to round: a round of a GPU lasts a second or so, and few of them come to a short run.
    const bool timed = bench.places[i].gpu && run.last[i].finished > run.first[i].finished;
    const double wall = timed ? static_cast<double>(run.last[i].finished - run.first[i].finished) * 1e-9 : run.wall;
    out.push_back({bench.places[i].name(), static_cast<double>(run.last[i].rounds - run.first[i].rounds) / wall,
                   bench.places[i].gpu ? 1 : got / run.wall});
  }
  return out;
}

void body(const Options& options, Reporter& report) {
  const double timeout = options.seconds_of("--timeout").value_or(kTimeout);
  const bool cuda = options.device == Backend::cuda;
  Bench bench = cuda ? cuda_bench(options, std::max(timeout, kGpuStart), std::max(timeout, kSensors), report)
                     : host_bench(options);
  if (cuda) {
    TextPulse pulse;
    pulse.doing("asking NVML who uses the GPUs");
    const Deadline deadline(pulse, std::max(timeout, kSensors), report);
    std::vector<std::string> uuids;
    for (const Place& place : bench.places) uuids.push_back(place.uuid);
    refuse_used_gpus(options, uuids);
  }
  refuse_busy(load_at_rest(kWatchSeconds), options, "before the run");
  Crew crew(bench, kFaultBuild);
  const Run run = watch_over(crew, bench, options, timeout, report);
  refuse_busy(run.load, options, "during the run");

  const std::vector<Work> workers = work_of(run, bench);
  const auto drift = drift_of(run.rates);
  const std::string slow = all_slow(workers, *bench.watch, drift);
  Measurement m{.metric = "burn.flops", .unit = "FLOP/s"};
  m.samples = run.rates;
  m.warmup = 1;
  m.device = bench.device;
  m.other_load = run.load;
  m.parameters = {{"workers", std::uint64_t{crew.size()}}, {"seconds", run.wall}, {"interval_seconds", run.interval}};
  std::string first_wrong, each;
  std::vector<double> rates;
  for (std::size_t i = 0; i < crew.size(); ++i) {
    const Told& told = crew.told(i);
    m.checked += told.rounds;
    m.wrong += told.wrong;
    if (first_wrong.empty() && told.wrong > 0)
      first_wrong = format("{}: {} of {} rounds, first in {}", bench.places[i].name(), told.wrong.load(),
                           told.rounds.load(), told.first_wrong);
    rates.push_back(workers[i].rounds_a_second * told.flop);
    if (cuda) each += format("{}{} {:.1f}", i > 0 ? ", " : "", bench.places[i].name(), rates.back() * 1e-12);
  }
  if (const Watch::Errors errors = bench.watch->uncorrected(); errors.count > 0) {
    m.wrong += errors.count;
    first_wrong += (first_wrong.empty() ? "" : "; ") + errors.text;
  }
  if (drift) m.parameters.emplace_back("drift", *drift);
  if (!slow.empty()) m.parameters.emplace_back("slow", slow);
  if (!first_wrong.empty()) m.parameters.emplace_back("first_wrong", first_wrong);
  if (cuda) m.parameters.emplace_back("teraflops_of_each", each);
  for (auto& parameter : run.trace.parameters()) m.parameters.push_back(std::move(parameter));
  for (auto& parameter : bench.watch->parameters()) m.parameters.push_back(std::move(parameter));
  const auto slowest = static_cast<std::size_t>(std::min_element(rates.begin(), rates.end()) - rates.begin());
  if (rates[slowest] <= 0)
    throw CouldNotRun(Cause::timeout,
                      format("{} finished no round in the {:.3g} s of the run", workers[slowest].name, run.wall));
  // A rate of nothing is no figure: rounds that outlast the intervals show in few of them.
  if (summarise(run.rates).median <= 0)
    throw CouldNotRun(
        Cause::timeout,
        format("most intervals of {:.3g} s ended without a round: '--seconds' has to be more", run.interval));
  report.measurement(m);
  m.metric = "burn.slowest";
  m.samples = {rates[slowest]};
  if (cuda) {
    m.device = bench.each[slowest];
    m.parameters.clear();
  } else {
    m.parameters = {{"processor", static_cast<std::uint64_t>(bench.places[slowest].number)},
                    {"processor_share", workers[slowest].processor_share}};
  }
  if (!slow.empty()) m.parameters.emplace_back("slow", slow);
  report.measurement(m);
}

}  // namespace
}  // namespace clusterc::burn

int main(int argc, char** argv) {
  return clusterc::harness::run_validator(clusterc::burn::kProgram, argc, argv, clusterc::burn::body);
}
