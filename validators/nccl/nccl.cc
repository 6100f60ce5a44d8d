// clusterc-nccl: collectives by NCCL between GPUs, or the same by MPI between hosts; every result checked. README.md
// says what it proves.
#include <mpi.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <thread>

#include "base/format.h"
#include "harness/cuda_support.h"
#include "harness/fault.h"
#include "harness/load.h"
#include "harness/loop.h"
#include "harness/machine.h"
#include "harness/run.h"
#include "mpi/guard.h"
#include "mpi/job.h"
#include "mpi/program.h"
#include "nccl/backend.h"
#include "nccl/teams.h"

namespace clusterc::nccl {
namespace {
using namespace harness;
using mpi::check;
using mpi::Job;

constexpr bool kNcclBuilt =
#ifdef CLUSTERC_NCCL
    true;
#else
    false;
#endif
constexpr Backend kBackends[] = {Backend::host, Backend::cuda};
constexpr std::string_view kPlacements = "in-place|out-of-place";
constexpr ExtraOption kExtra[] = {
    {"--collectives", Kind::choices, kCollectiveNames, "which (default: all)"},
    {"--min-size", Kind::bytes, "BYTES", "smallest size (default 8B)"},
    {"--max-size", Kind::bytes, "BYTES",
     "largest size (default host 64MiB, cuda 8GiB); every doubling between the two is measured"},
    {"--types", Kind::choices, kTypeNames, "element types (default float32)"},
    {"--placements", Kind::choices, kPlacements, "whether the result replaces the input (default: both)"},
    {"--teams", Kind::text, "all|rail|NODES",
     "who works together, all teams at the same time: all ranks (default), those with one place in their nodes, those "
     "of so many nodes (1: inside each)"},
    {"--batch", Kind::count, "N",
     "collectives one behind the other that are timed together up to 64 KiB (default host 1, cuda 20)"},
    {"--timeout", Kind::seconds, "SECONDS", "end when nothing moves for so long (default 60)"}};
#define CLUSTERC_METRICS(name, busy)                                                                                  \
  {"nccl." name ".time", "s", "of the slowest rank, by size", false}, {"nccl." name ".algbw", "B/s", "bytes / time"}, \
  {                                                                                                                   \
    "nccl." name ".busbw", "B/s", busy                                                                                \
  }
constexpr MetricFacts kMetrics[] = {CLUSTERC_METRICS("all_reduce", "algbw x 2 (n-1)/n"),
                                    CLUSTERC_METRICS("all_gather", "algbw x (n-1)/n"),
                                    CLUSTERC_METRICS("reduce_scatter", "algbw x (n-1)/n"),
                                    CLUSTERC_METRICS("all_to_all", "algbw x (n-1)/n"),
                                    CLUSTERC_METRICS("broadcast", "algbw"),
                                    CLUSTERC_METRICS("reduce", "algbw"),
                                    CLUSTERC_METRICS("sendrecv", "algbw")};
#undef CLUSTERC_METRICS
constexpr Program kProgram{
    .name = "nccl",
    .summary =
        "collectives by NCCL between GPUs, or by MPI between hosts, started under mpirun or srun; only rank 0 prints",
    .size_kind = Kind::bytes,
    .size_help = "measure this size alone",
    .backends = std::span(kBackends).first(kNcclBuilt ? 2 : 1),
    .extra = kExtra,
    .metrics = kMetrics};
constexpr std::uint64_t kSmallest = 8, kLargestHost = 64ull << 20, kLargestCuda = 8ull << 30;
constexpr double kTimeout = 60;
// Up to this size the start of a collective and of its kernel is a large part of its time: so many are queued between
// two events, as nccl-tests does with all its repetitions. The host has no events, and queues nothing.
constexpr std::uint64_t kSmall = 65536;
constexpr unsigned kBatchOnDevice = 20;

class Runner {
 public:
  Runner(const Options& options, const Job& job, const Teams& teams, Reporter& report, mpi::TextPulse& pulse)
      : options_(options),
        job_(job),
        teams_(teams),
        seed_(options.seed + teams.number()),
        report_(report),
        pulse_(pulse) {}

  void all() {
    if (options_.device == Backend::host) {
      transport_ = open_mpi(teams_.comm());
    } else {
#ifdef CLUSTERC_NCCL
      pulse_.doing("making a communicator of NCCL");
      transport_ = open_nccl(job_, teams_, options_, [] { check_interrupted(); });
#endif
    }
    watch_at_rest();
    const std::uint64_t smallest = options_.size.value_or(options_.bytes("--min-size").value_or(kSmallest));
    const std::uint64_t largest = options_.size.value_or(
        options_.bytes("--max-size").value_or(options_.device == Backend::cuda ? kLargestCuda : kLargestHost));
    const std::vector<std::string> types =
        options_.has("--types") ? options_.choices("--types", kTypeNames) : std::vector<std::string>{"float32"};
    const std::vector<std::string> wanted = options_.choices("--collectives", kCollectiveNames);
    bool any = false;
    for (const CollectiveFacts& facts : kCollectives) {
      if (std::find(wanted.begin(), wanted.end(), facts.name) == wanted.end()) continue;
      for (const std::string& type : types) {
        for (const std::string& placement : options_.choices("--placements", kPlacements))
          any |= sizes_of(facts, type_named(type), type, placement == "in-place", smallest, largest);
      }
    }
    if (!any)
      throw CouldNotRun(Cause::not_applicable,
                        format("{} has none of these collectives with these types and placements",
                               options_.device == Backend::host ? "MPI" : "NCCL"));
  }

 private:
  // Every size of a collective, a type and a placement. False: the back end or the type cannot do it.
  bool sizes_of(const CollectiveFacts& facts, Type id, const std::string& type, bool in_place, std::uint64_t smallest,
                std::uint64_t largest) {
    if (!transport_->has(id) || !transport_->has(facts.collective, in_place)) return false;
    // Sums of so many ranks are no longer exact in a short type: they could not be told from wrong ones.
    if (facts.sums &&
        digits_of(id) < 2 + static_cast<int>(std::bit_width(static_cast<unsigned>(teams_.most_ranks() - 1))))
      return false;
    std::size_t last = 0;  // small sizes round to the same
    for (std::uint64_t bytes = smallest; bytes <= largest; bytes *= 2) {
      const std::size_t count = count_for(facts.collective, bytes, static_cast<unsigned>(teams_.ranks()), size_of(id));
      // All teams go on together, whatever their sizes.
      if (!teams_.for_all(count == last)) one(facts, id, type, in_place, count);
      last = count;
    }
    return true;
  }

  void watch_at_rest() {
    pulse_.doing("waiting for all ranks");
    check(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
    LoadMeter meter(job_.node_cpus);
    std::this_thread::sleep_for(std::chrono::duration<double>(kWatchSeconds));
    refuse_busy(mpi::worst_share(meter, job_), options_, "before the run");
  }

  void one(const CollectiveFacts& facts, Type id, const std::string& type, bool in_place, std::size_t count) {
    const Shape shape{facts.collective, static_cast<unsigned>(teams_.rank()), static_cast<unsigned>(teams_.ranks()),
                      count};
    const std::uint64_t bytes = shape.counted() * size_of(id);
    pulse_.doing(format("{} of {} {}, {}", facts.name, bytes_text(static_cast<double>(bytes)), type,
                        in_place ? "in place" : "out of place"));
    transport_->prepare(shape, id, in_place, seed_);

    LoadMeter meter(job_.node_cpus);
    const unsigned batch = batch_of(bytes);
    const auto once = [&](unsigned how_many) {
      if (in_place) transport_->reset();
      // Beats tell a rank that has not come to the barrier, or not left it, from those that have (mpi/board.h).
      pulse_.beat();
      check(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
      pulse_.beat();
      const double seconds = transport_->run(how_many);
      pulse_.beat();
      return seconds;
    };
    // Short messages need more repetitions for a steady median, and cost nothing.
    const Loop loop =
        loop_from(options_, bytes <= kSmall ? 200 : 20, bytes <= kSmall ? 20 : 3, job_.rank == 0 ? pulse_.doing() : "");
    for (unsigned i = 0; i < loop.warmup; ++i) once(1);
    std::vector<double> samples;
    Progress progress(loop.what);
    const double begin = now_seconds();
    for (bool last = false; !last;) {
      check_interrupted();
      last = mpi::is_last(loop, samples.size(), begin);
      if (last && !in_place) transport_->reset();
      samples.push_back(once(batch));
      progress.at(samples.size(), loop.seconds > 0 ? 0 : loop.iterations, now_seconds() - begin, loop.seconds);
    }
    // In place the second collective of a batch takes the result of the first: one more is run to be compared.
    if (in_place && batch > 1) once(1);
    const std::optional<double> load = mpi::worst_share(meter, job_);
    refuse_busy(load, options_, format("during {} of {}", facts.name, bytes_text(static_cast<double>(bytes))));

    // An operation lasts until its slowest rank is done.
    std::vector<double> slowest(samples.size());
    check(MPI_Reduce(samples.data(), slowest.data(), static_cast<int>(samples.size()), MPI_DOUBLE, MPI_MAX, 0,
                     teams_.comm()),
          "MPI_Reduce");
    // One rank's result: the last rank's, or the root's where nobody else has one.
    const bool flips =
        facts.collective == Collective::reduce ? teams_.rank() == 0 : teams_.rank() == teams_.ranks() - 1;
    const Checked checked = transport_->check_output(flips);
    const std::uint64_t wrong[2] = {checked.wrong, checked.elements};
    std::uint64_t sum[3] = {0, 0, bytes};
    check(MPI_Reduce(wrong, sum, 2, MPI_UINT64_T, MPI_SUM, 0, teams_.comm()), "MPI_Reduce");
    pulse_.beat();
    const std::vector<double> all_seconds = teams_.gather(std::span<const double>(slowest));
    const std::vector<std::uint64_t> all_sums = teams_.gather(std::span<const std::uint64_t>(sum));
    for (std::size_t team = 0; team < teams_.facts().size(); ++team) {  // on rank 0
      const auto begin_of = all_seconds.begin() + static_cast<std::ptrdiff_t>(team * slowest.size());
      print(facts, type, in_place, teams_.facts()[team], all_sums[3 * team + 2],
            {begin_of, begin_of + static_cast<std::ptrdiff_t>(slowest.size())}, loop.warmup, batch, all_sums[3 * team],
            all_sums[3 * team + 1], load);
    }
  }

  unsigned batch_of(std::uint64_t bytes) const {
    if (bytes > kSmall) return 1;
    return options_.count("--batch").value_or(options_.device == Backend::cuda ? kBatchOnDevice : 1);
  }

  void print(const CollectiveFacts& facts, const std::string& type, bool in_place, const TeamFacts& team,
             std::uint64_t bytes, const std::vector<double>& seconds, unsigned warmup, unsigned batch,
             std::uint64_t wrong, std::uint64_t checked, std::optional<double> load) {
    Measurement m{.metric = format("nccl.{}.time", facts.name), .unit = "s", .higher_is_better = false};
    m.variant =
        format("{} {}{}{}", type, in_place ? "in place" : "out of place", team.name.empty() ? "" : ", ", team.name);
    m.samples = seconds;
    m.warmup = warmup;
    m.size_bytes = bytes;
    m.device = transport_->device();
    m.checked = checked;
    m.wrong = wrong;
    m.other_load = load;
    m.parameters = {{"type", type},        {"in_place", in_place},          {"ranks", team.ranks},
                    {"nodes", team.nodes}, {"batch", std::uint64_t{batch}}, {"oversubscribed", job_.oversubscribed}};
    if (!team.name.empty()) m.parameters.emplace_back("team", team.name);
    if (facts.sums) m.parameters.emplace_back("operation", std::string("sum"));
    if (!job_.hosts.empty()) m.parameters.emplace_back("hosts", job_.hosts);
    for (auto& parameter : transport_->parameters()) m.parameters.push_back(std::move(parameter));
    report_.measurement(m);
    m.unit = "B/s";
    m.higher_is_better = true;
    m.metric = format("nccl.{}.algbw", facts.name);
    m.samples = rates(seconds, static_cast<double>(bytes));
    report_.measurement(m);
    m.metric = format("nccl.{}.busbw", facts.name);
    m.samples =
        rates(seconds, static_cast<double>(bytes) * bus_factor(facts.collective, static_cast<unsigned>(team.ranks)));
    report_.measurement(m);
  }

  const Options& options_;
  const Job& job_;
  const Teams& teams_;
  const std::uint64_t seed_;
  Reporter& report_;
  mpi::TextPulse& pulse_;
  std::unique_ptr<Transport> transport_;
};

Division division_of(const Options& options) {
  Division out;
  parse_division(options.text("--teams", "all"), out);
  return out;
}

// What the loops cannot do: said before anything is started.
std::string wrong_options(const Options& options) {
  if (Division none; !parse_division(options.text("--teams", "all"), none))
    return format("'--teams {}': all, rail, or a number of nodes", options.text("--teams", ""));
  for (const auto& size : {options.size, options.bytes("--min-size"), options.bytes("--max-size")}) {
    if (size && (*size < 1 || *size > 1ull << 40)) return "a size has 1 B to 1 TiB";
    if (size && options.device == Backend::host && *size > 0x7fffffff)
      return "MPI counts elements in 31 bits: a size has at most 2147483647 B";
  }
  const std::uint64_t low = options.bytes("--min-size").value_or(kSmallest),
                      high = options.bytes("--max-size").value_or(kLargestHost);
  if (!options.size && options.bytes("--max-size") && low > high) {
    return format("'--min-size' of {} is above '--max-size' of {}", bytes_text(static_cast<double>(low)),
                  bytes_text(static_cast<double>(high)));
  }
  return {};
}

int main_of_rank(const Options& options) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  Reporter report(kProgram, options, host_name(), write_to_stdout);
  if (rank == 0) report.header(utc_now());
  mpi::TextPulse pulse;
  mpi::Guard guard(pulse, options.seconds_of("--timeout").value_or(kTimeout), mpi::seconds_behind(rank),
                   mpi::tell_and_leave(report, rank));
  // Every rank sees the same load, and the same reasons why there is nothing to measure.
  const auto by_all = [&](Cause cause) {
    return cause == Cause::busy || cause == Cause::not_applicable || cause == Cause::not_built;
  };
  return mpi::run_rank(report, rank, by_all, [&] {
    if (ranks == 1)
      throw CouldNotRun(Cause::not_applicable, "one rank: nothing crosses a link (start it under mpirun or srun)");
    if (options.device == Backend::cuda) {
      if (rank == 0) require_gpus();  // its cause once, where all have none
      if (!kNcclBuilt)
        throw CouldNotRun(Cause::not_built, "this build has no device code; build with a CUDA toolkit and nccl.h");
    }
    const Job job = mpi::describe_job();
    guard.watch(mpi::processes_of_node(job), job.nodes, std::make_shared<mpi::Board>(job));
    const Teams teams(job, division_of(options));
    Runner(options, job, teams, report, pulse).all();
  });
}

}  // namespace
}  // namespace clusterc::nccl

int main(int argc, char** argv) {
  namespace nccl = clusterc::nccl;
  return clusterc::mpi::run_rank_program(
      {.program = nccl::kProgram, .wrong_options = nccl::wrong_options, .wrong_shape = {}, .run = nccl::main_of_rank},
      argc, argv);
}
