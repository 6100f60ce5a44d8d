// clusterc-mpi: messages between pairs of ranks, barrier, all-reduce, all-gather and all-to-all by message size, every
// result checked. README.md says what it proves.
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <new>
#include <thread>

#include "base/format.h"
#include "harness/fault.h"
#include "harness/load.h"
#include "harness/loop.h"
#include "harness/machine.h"
#include "harness/run.h"
#include "mpi/guard.h"
#include "mpi/job.h"
#include "mpi/point_to_point.h"
#include "mpi/program.h"
#include "mpi/reduction.h"

namespace clusterc::mpi {
namespace {
using namespace harness;

constexpr Backend kBackends[] = {Backend::host};
constexpr std::string_view kTests =
    "pingpong|bandwidth|bidirectional|multi-pair|message-rate|barrier|allreduce|allgather|alltoall";
constexpr std::string_view kTypes = "float32|int32", kPlacements = "in-place|out-of-place";
constexpr ExtraOption kExtra[] = {
    {"--tests", Kind::choices, kTests, "which (default: all)"},
    {"--min-size", Kind::bytes, "BYTES", "smallest message (default 8B)"},
    {"--max-size", Kind::bytes, "BYTES", "largest message (default 64MiB); every doubling between the two is measured"},
    {"--types", Kind::choices, kTypes, "element types of allreduce"},
    {"--placements", Kind::choices, kPlacements, "whether the result of allreduce replaces the input"},
    {"--timeout", Kind::seconds, "SECONDS", "end when no repetition finishes for so long (default 60)"}};
constexpr MetricFacts kMetrics[] = {
    {"mpi.pingpong.time", "s", "half of a round trip between two ranks, by message size", false},
    {"mpi.pingpong.bandwidth", "B/s", "message / half of a round trip"},
    {"mpi.bandwidth", "B/s", "a window of messages one way between two ranks, by message size"},
    {"mpi.bidirectional", "B/s", "both ways at once, summed"},
    {"mpi.multi_pair", "B/s", "all pairs at once, one way, summed"},
    {"mpi.message_rate", "1/s", "messages of 8 B of all pairs, one way"},
    {"mpi.barrier.time", "s", "of the slowest rank", false},
    {"mpi.barrier.delay", "s", "what a barrier takes beyond the fastest one: interruptions of a rank show here", false},
    {"mpi.allreduce.time", "s", "of the slowest rank, by message size", false},
    {"mpi.allreduce.algbw", "B/s", "bytes of one rank's vector / time"},
    {"mpi.allreduce.busbw", "B/s", "algbw x 2 (n-1)/n"},
    {"mpi.allgather.time", "s", "of the slowest rank, by size of the result", false},
    {"mpi.allgather.algbw", "B/s", "bytes of the result / time"},
    {"mpi.allgather.busbw", "B/s", "algbw x (n-1)/n"},
    {"mpi.alltoall.time", "s", "of the slowest rank, by size of what one rank sends to all", false},
    {"mpi.alltoall.algbw", "B/s", "bytes that one rank sends / time"},
    {"mpi.alltoall.busbw", "B/s", "algbw x (n-1)/n"}};
constexpr Program kProgram{
    .name = "mpi",
    .summary =
        "messages between ranks, barrier and collectives by MPI, started under mpirun or srun; only rank 0 prints",
    .size_kind = Kind::bytes,
    .size_help = "measure this message size alone",
    .backends = kBackends,
    .extra = kExtra,
    .metrics = kMetrics};
constexpr std::uint64_t kSmallest = 8, kLargest = 64ull << 20, kRateBytes = 8;
constexpr double kTimeout = 60;

template <class T>
MPI_Datatype datatype();
template <>
MPI_Datatype datatype<float>() {
  return MPI_FLOAT;
}
template <>
MPI_Datatype datatype<std::int32_t>() {
  return MPI_INT32_T;
}

class Runner {
 public:
  Runner(const Options& options, const Job& job, Reporter& report, TextPulse& pulse)
      : options_(options), job_(job), report_(report), pulse_(pulse) {}

  void all() {
    const std::uint64_t smallest = options_.size.value_or(options_.bytes("--min-size").value_or(kSmallest));
    const std::uint64_t largest = options_.size.value_or(options_.bytes("--max-size").value_or(kLargest));
    watch_at_rest();
    const std::vector<std::string> tests = options_.choices("--tests", kTests);
    const auto wanted = [&](std::string_view test) { return std::ranges::find(tests, test) != tests.end(); };
    for (const PatternFacts& facts : kPatterns) {
      if (!wanted(facts.name)) continue;
      if (facts.pattern == Pattern::message_rate)
        between_pairs(facts, kRateBytes);
      else
        for (std::uint64_t bytes = smallest; bytes <= largest; bytes *= 2) between_pairs(facts, bytes);
    }
    if (wanted("barrier")) barrier();
    if (wanted("allreduce")) sums(smallest, largest);
    for (const Exchange exchange : {Exchange::allgather, Exchange::alltoall})
      if (wanted(name_of(exchange)))
        for (std::uint64_t bytes = smallest; bytes <= largest; bytes *= 2) exchanged(exchange, bytes);
    if (!measured_)
      throw CouldNotRun(Cause::not_applicable,
                        format("no message of these sizes has an element for each of {} ranks", job_.ranks));
  }

 private:
  enum class Exchange { allgather, alltoall };
  static std::string_view name_of(Exchange e) { return e == Exchange::allgather ? "allgather" : "alltoall"; }

  void sums(std::uint64_t smallest, std::uint64_t largest) {
    for (const std::string& type : options_.choices("--types", kTypes)) {
      for (const std::string& placement : options_.choices("--placements", kPlacements)) {
        for (std::uint64_t bytes = smallest; bytes <= largest; bytes *= 2) {
          if (type == "float32")
            one<float>(type, placement == "in-place", bytes);
          else
            one<std::int32_t>(type, placement == "in-place", bytes);
        }
      }
    }
  }

  void watch_at_rest() {
    pulse_.doing("waiting for all ranks");
    check(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
    LoadMeter meter(job_.node_cpus);
    std::this_thread::sleep_for(std::chrono::duration<double>(kWatchSeconds));
    refuse_busy(worst_share(meter, job_), options_, "before the run");
  }

  // The times of `once` after warm-up, each that of the slowest rank; on rank 0.
  std::vector<double> times(const Loop& loop, const std::function<double()>& once,
                            const std::function<void()>& before_last) {
    measured_ = true;
    for (unsigned i = 0; i < loop.warmup; ++i) once(), pulse_.beat();
    std::vector<double> samples;
    Progress progress(loop.what);
    const double begin = now_seconds();
    for (bool last = false; !last;) {
      check_interrupted();
      last = is_last(loop, samples.size(), begin);
      if (last) before_last();
      samples.push_back(once());
      pulse_.beat();
      progress.at(samples.size(), loop.seconds > 0 ? 0 : loop.iterations, now_seconds() - begin, loop.seconds);
    }
    // An operation lasts until its slowest rank is done.
    std::vector<double> slowest(samples.size());
    check(MPI_Reduce(samples.data(), slowest.data(), static_cast<int>(samples.size()), MPI_DOUBLE, MPI_MAX, 0,
                     MPI_COMM_WORLD),
          "MPI_Reduce");
    return slowest;
  }
  Loop loop_for(std::uint64_t bytes) {
    // Short messages need more repetitions for a steady median, and cost nothing.
    return loop_from(options_, bytes <= 65536 ? 200 : 20, bytes <= 65536 ? 20 : 3,
                     job_.rank == 0 ? pulse_.doing() : "");
  }

  void between_pairs(const PatternFacts& facts, std::uint64_t bytes) {
    pulse_.doing(format("{} of {}", facts.name, bytes_text(static_cast<double>(bytes))));
    Pairs pairs(facts, job_, bytes, options_.seed);
    LoadMeter meter(job_.node_cpus);
    const Loop loop = loop_for(bytes);
    std::vector<double> seconds = times(
        loop, [&] { return pairs.once(); }, [&] { pairs.poison(); });
    const std::optional<double> load = worst_share(meter, job_);
    refuse_busy(load, options_, format("during {} of {}", facts.name, bytes_text(static_cast<double>(bytes))));
    std::uint64_t wrong[2] = {pairs.count_wrong(), pairs.checked()}, sum[2] = {};
    check(MPI_Reduce(wrong, sum, 2, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD), "MPI_Reduce");
    if (job_.rank != 0) return;
    Measurement m = figure(loop.warmup, bytes, sum[0], sum[1], load);
    m.parameters.emplace_back("pairs", std::uint64_t{pairs.pairs()});
    const double moved = static_cast<double>(pairs.bytes_moved());
    if (facts.pattern == Pattern::pingpong) {
      m.parameters.emplace_back("round_trips_in_a_sample", std::uint64_t{pairs.trips()});
      for (double& s : seconds) s /= 2.0 * pairs.trips();
      m.metric = "mpi.pingpong.time", m.unit = "s", m.higher_is_better = false, m.samples = seconds;
      report_.measurement(m);
      m.metric = "mpi.pingpong.bandwidth", m.unit = "B/s", m.higher_is_better = true, m.samples = rates(seconds, moved);
    } else {
      m.parameters.emplace_back("window", std::uint64_t{pairs.window()});
      const bool count = facts.pattern == Pattern::message_rate;
      m.metric = facts.metric, m.unit = count ? "1/s" : "B/s",
      m.samples = rates(seconds, count ? moved / static_cast<double>(bytes) : moved);
    }
    report_.measurement(m);
  }

  // Nobody may leave before the last has come: each rank tells when it came and left, by the clock that the ranks of a
  // node share. Across nodes the clocks are not compared, and the order is checked within each node.
  void barrier() {
    pulse_.doing("barrier");
    LoadMeter meter(job_.node_cpus);
    double came = 0, left = 0;
    const Loop loop = loop_for(0);
    const std::vector<double> seconds = times(
        loop,
        [&] {
          check(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
          came = now_seconds();
          check(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
          left = now_seconds();
          return left - came;
        },
        [] {});
    const std::optional<double> load = worst_share(meter, job_);
    refuse_busy(load, options_, "during the barrier");
    if (kFaultBuild) left = job_.rank == 0 ? came - 1 : left;
    double last = 0;
    check(MPI_Allreduce(&came, &last, 1, MPI_DOUBLE, MPI_MAX, job_.node), "MPI_Allreduce");
    std::uint64_t wrong[2] = {left < last ? 1u : 0u, 1}, sum[2] = {};
    check(MPI_Reduce(wrong, sum, 2, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD), "MPI_Reduce");
    if (job_.rank != 0) return;
    Measurement m = figure(loop.warmup, 0, sum[0], sum[1], load);
    m.metric = "mpi.barrier.time", m.unit = "s", m.higher_is_better = false, m.samples = seconds;
    report_.measurement(m);
    const double fastest = *std::ranges::min_element(seconds);
    for (double& s : m.samples) s -= fastest;
    m.metric = "mpi.barrier.delay";
    report_.measurement(m);
  }

  // What all figures of a job have.
  Measurement figure(unsigned warmup, std::uint64_t bytes, std::uint64_t wrong, std::uint64_t checked,
                     std::optional<double> load) const {
    Measurement m;
    m.warmup = warmup;
    m.size_bytes = bytes;
    m.device = {.backend = Backend::host, .label = "ranks"};
    m.checked = checked;
    m.wrong = wrong;
    m.other_load = load;
    m.parameters = {{"ranks", static_cast<std::uint64_t>(job_.ranks)},
                    {"nodes", static_cast<std::uint64_t>(job_.nodes)},
                    {"oversubscribed", job_.oversubscribed}};
    if (!job_.hosts.empty()) m.parameters.emplace_back("hosts", job_.hosts);
    return m;
  }

  template <class T>
  void one(const std::string& type, bool in_place, std::uint64_t bytes) {
    pulse_.doing(format("MPI_Allreduce of {} {}, {}", bytes_text(static_cast<double>(bytes)), type,
                        in_place ? "in place" : "out of place"));
    const std::size_t count = bytes / sizeof(T);
    const unsigned bits = magnitude_bits<T>(static_cast<unsigned>(job_.ranks));
    std::vector<T> input(count), output(count, poison<T>());
    for (std::size_t i = 0; i < count; ++i)
      input[i] = summand<T>(options_.seed, static_cast<unsigned>(job_.rank), i, bits);

    LoadMeter meter(job_.node_cpus);
    const auto once = [&] {
      if (in_place) std::copy(input.begin(), input.end(), output.begin());
      check(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
      const double begin = now_seconds();
      check(MPI_Allreduce(in_place ? MPI_IN_PLACE : static_cast<const void*>(input.data()), output.data(),
                          static_cast<int>(count), datatype<T>(), MPI_SUM, MPI_COMM_WORLD),
            "MPI_Allreduce");
      return now_seconds() - begin;
    };
    const Loop loop = loop_for(bytes);
    const std::vector<double> slowest = times(loop, once, [&] {
      if (!in_place) std::fill(output.begin(), output.end(), poison<T>());
    });
    const std::optional<double> load = worst_share(meter, job_);
    refuse_busy(load, options_, format("during the all-reduce of {}", bytes_text(static_cast<double>(bytes))));

    if (job_.rank == job_.ranks - 1) fault_flip_bit(output.data(), count / 2 * sizeof(T));
    std::uint64_t wrong[2] = {0, count}, sum[2] = {};
    for (std::size_t i = 0; i < count; ++i)
      wrong[0] += !(output[i] == expected_sum<T>(options_.seed, static_cast<unsigned>(job_.ranks), i, bits));
    check(MPI_Reduce(wrong, sum, 2, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD), "MPI_Reduce");
    pulse_.beat();
    if (job_.rank == 0) print(type, in_place, bytes, slowest, loop.warmup, sum[0], sum[1], load);
  }

  void print(const std::string& type, bool in_place, std::uint64_t bytes, const std::vector<double>& seconds,
             unsigned warmup, std::uint64_t wrong, std::uint64_t checked, std::optional<double> load) {
    const auto ranks = static_cast<unsigned>(job_.ranks);
    Measurement m = figure(warmup, bytes, wrong, checked, load);
    m.parameters.insert(m.parameters.begin(),
                        {{"type", type}, {"operation", std::string("sum")}, {"in_place", in_place}});
    m.variant = format("{} {}", type, in_place ? "in place" : "out of place");
    report(m, "allreduce", seconds, bytes, bus_factor(ranks));
  }

  void report(Measurement& m, std::string_view what, const std::vector<double>& seconds, std::uint64_t bytes,
              double factor) {
    m.metric = format("mpi.{}.time", what);
    m.unit = "s";
    m.higher_is_better = false;
    m.samples = seconds;
    report_.measurement(m);
    m.unit = "B/s";
    m.higher_is_better = true;
    m.metric = format("mpi.{}.algbw", what);
    m.samples = rates(seconds, static_cast<double>(bytes));
    report_.measurement(m);
    m.metric = format("mpi.{}.busbw", what);
    m.samples = rates(seconds, static_cast<double>(bytes) * factor);
    report_.measurement(m);
  }

  // One rank's share for another, or for all: element `index` of what it has.
  std::uint32_t element(int rank, std::uint64_t index) const {
    return static_cast<std::uint32_t>(random_bits(stream_seed(options_.seed, static_cast<unsigned>(rank)), index));
  }

  // `size` bytes are what a rank has in the end (allgather), or in the beginning (alltoall): as many whole elements
  // from, or for, each rank as fit in.
  void exchanged(Exchange exchange, std::uint64_t size) {
    const auto ranks = static_cast<std::size_t>(job_.ranks), me = static_cast<std::size_t>(job_.rank);
    const std::size_t share = size / sizeof(std::uint32_t) / ranks;
    if (share == 0) return;  // smaller than an element for each
    const std::uint64_t bytes = share * ranks * sizeof(std::uint32_t);
    const bool gathers = exchange == Exchange::allgather;
    pulse_.doing(format("MPI_All{} of {}", gathers ? "gather" : "toall", bytes_text(static_cast<double>(bytes))));
    std::vector<std::uint32_t> input(gathers ? share : share * ranks), output(share * ranks);
    for (std::size_t i = 0; i < input.size(); ++i) input[i] = element(job_.rank, i);
    const auto want = [&](std::size_t i) {
      return element(static_cast<int>(i / share), gathers ? i % share : me * share + i % share);
    };
    const auto poison = [&] {
      for (std::size_t i = 0; i < output.size(); ++i) output[i] = ~want(i);
    };
    poison();
    LoadMeter meter(job_.node_cpus);
    const Loop loop = loop_for(bytes);
    const auto count = static_cast<int>(share);
    const std::vector<double> slowest = times(
        loop,
        [&] {
          check(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
          const double begin = now_seconds();
          if (gathers)
            check(MPI_Allgather(input.data(), count, MPI_UINT32_T, output.data(), count, MPI_UINT32_T, MPI_COMM_WORLD),
                  "MPI_Allgather");
          else
            check(MPI_Alltoall(input.data(), count, MPI_UINT32_T, output.data(), count, MPI_UINT32_T, MPI_COMM_WORLD),
                  "MPI_Alltoall");
          return now_seconds() - begin;
        },
        poison);
    const std::optional<double> load = worst_share(meter, job_);
    refuse_busy(load, options_,
                format("during the {} of {}", name_of(exchange), bytes_text(static_cast<double>(bytes))));
    if (job_.rank == job_.ranks - 1) fault_flip_bit(output.data(), output.size() / 2 * sizeof(std::uint32_t));
    std::uint64_t wrong[2] = {0, output.size()}, sum[2] = {};
    for (std::size_t i = 0; i < output.size(); ++i) wrong[0] += output[i] != want(i);
    check(MPI_Reduce(wrong, sum, 2, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD), "MPI_Reduce");
    pulse_.beat();
    if (job_.rank != 0) return;
    Measurement m = figure(loop.warmup, bytes, sum[0], sum[1], load);
    report(m, name_of(exchange), slowest, bytes, static_cast<double>(ranks - 1) / static_cast<double>(ranks));
  }

  const Options& options_;
  const Job& job_;
  Reporter& report_;
  TextPulse& pulse_;
  bool measured_ = false;  // anything at all
};

// Sizes that the loops cannot do: said before anything is started.
std::string wrong_sizes(const Options& options) {
  for (const auto& size : {options.size, options.bytes("--min-size"), options.bytes("--max-size")}) {
    if (size && (*size < kSmallest || *size % 4 != 0 || *size / 4 > 0x7fffffff))
      return "a message has 8 B to 8 GiB, in whole elements of 4 B";
  }
  // Between pairs a message is counted in bytes; the rest counts elements of 4.
  const std::uint64_t most = options.size.value_or(options.bytes("--max-size").value_or(kLargest));
  const std::vector<std::string> tests = options.choices("--tests", kTests);
  for (const PatternFacts& facts : kPatterns) {
    if (most > 0x7fffffff && facts.pattern != Pattern::message_rate &&
        std::ranges::find(tests, facts.name) != tests.end())
      return format("MPI counts elements in 31 bits: a message of {} has at most 2147483647 B", facts.name);
  }
  const std::uint64_t low = options.bytes("--min-size").value_or(kSmallest),
                      high = options.bytes("--max-size").value_or(kLargest);
  if (!options.size && low > high)
    return format("'--min-size' of {} is above '--max-size' of {}", bytes_text(static_cast<double>(low)),
                  bytes_text(static_cast<double>(high)));
  return {};
}

int main_of_rank(const Options& options) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  Reporter report(kProgram, options, host_name(), write_to_stdout);
  if (rank == 0) report.header(utc_now());
  TextPulse pulse;
  Guard guard(pulse, options.seconds_of("--timeout").value_or(kTimeout), seconds_behind(rank),
              tell_and_leave(report, rank));
  // Every rank sees the same load and the same missing back end.
  const auto by_all = [&](Cause cause) { return cause == Cause::busy || cause == Cause::not_applicable; };
  return run_rank(report, rank, by_all, [&] {
    if (options.device == Backend::cuda) {
      throw CouldNotRun(Cause::not_applicable, "the mpi validator works in host memory; nccl measures GPUs");
    }
    int ranks = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks == 1)
      throw CouldNotRun(Cause::not_applicable, "one rank: nothing crosses a link (start it under mpirun or srun)");
    const Job job = describe_job();
    guard.watch(processes_of_node(job), job.nodes);
    Runner(options, job, report, pulse).all();
  });
}

}  // namespace
}  // namespace clusterc::mpi

int main(int argc, char** argv) {
  namespace mpi = clusterc::mpi;
  return mpi::run_rank_program(
      {.program = mpi::kProgram, .wrong_options = mpi::wrong_sizes, .wrong_shape = {}, .run = mpi::main_of_rank}, argc,
      argv);
}
