// clusterc-hpl: A x = b by LU with partial pivoting, as HPL measures it, or in mixed precision, as HPL-MxP does.
// README.md says what it proves.
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <new>
#include <thread>

#include "base/format.h"
#include "harness/cuda_support.h"
#include "harness/load.h"
#include "harness/loop.h"
#include "harness/machine.h"
#include "harness/run.h"
#ifdef CLUSTERC_CUDA
#include "hpl/cuda.h"
#endif
#include "hpl/mixed.h"
#include "hpl/sizes.h"
#include "hpl/solver.h"
#include "mpi/gpus.h"
#include "mpi/guard.h"
#include "mpi/job.h"
#include "mpi/program.h"

namespace clusterc::hpl {
namespace {
using namespace harness;
using mpi::check;
using mpi::Job;

constexpr Backend kBackends[] = {Backend::host, Backend::cuda};
constexpr ExtraOption kExtra[] = {
    {"--precision", Kind::choices, kPrecisionNames,
     "one: fp64 is HPL (default); the others are HPL-MxP, the products of LU in that precision and refinement in FP64"},
    {"--block", Kind::count, "COUNT", "block size NB (default 192; cuda: 512, in mixed precision 1024)"},
    {"--rows", Kind::count, "COUNT",
     "rows P of the process grid (default: the largest divisor of the ranks up to their root)"},
    {"--columns", Kind::count, "COUNT", "columns Q (default: ranks / P); ranks beyond P x Q stay idle"},
    {"--memory", Kind::bytes, "BYTES",
     "of each node, for the matrix (default: 80 % of what is available); cuda: of each GPU (default: 90 % of what is "
     "free)"},
    {"--threads", Kind::count, "COUNT", "of the BLAS in each rank (default: the rank's share of the cores)"},
    {"--timeout", Kind::seconds, "SECONDS", "end when nothing moves for so long (default 60)"}};
constexpr MetricFacts kMetrics[] = {
    {"hpl.score", "FLOP/s", "N^2 (2/3 N + 3/2) / time of the slowest rank"},
    {"hpl.dgemm", "FLOP/s", "paired DGEMM of N x N x NB over all ranks"},
    {"hpl.mxp", "FLOP/s", "as hpl.score, of HPL-MxP: another matrix, lower precision, refinement in the time"},
    {"hpl.mxp_gemm", "FLOP/s", "paired product of N x N x NB in the precision of HPL-MxP"}};
constexpr Program kProgram{.name = "hpl",
                           .summary =
                               "LU with partial pivoting as HPL measures it, or HPL-MxP (--precision), started under "
                               "mpirun or srun; only rank 0 prints",
                           .size_kind = Kind::count,
                           .size_help = "order N (default: what the memory holds, and --seconds allows)",
                           .backends = std::span(kBackends).first(kCudaBuilt ? 2 : 1),
                           .extra = kExtra,
                           .metrics = kMetrics};
constexpr double kTimeout = 60;
constexpr Index kDefaultBlock = 192;
constexpr Index kDefaultBlockCuda =
    512;  // between the 288 and 896 that are published for GPUs (README.md); not measured
constexpr Index kMixedBlockCuda = 1024;  // near the 768 that Summit took and the 3072 of Frontier (Lu et al., SC22,
                                         // "Climbing the Summit and pushing the frontier"); not measured
constexpr Index kDgemmFrom =
    512;  // below this order, and where ranks take turns, a DGEMM says nothing about the machine

struct Shape {
  Problem problem;
  int ranks_used = 1;
};

double all_max(double value) {
  check(MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD), "MPI_Allreduce");
  return value;
}
double all_min(double value) { return -all_max(-value); }

// Threads that a rank's BLAS shall use: its own cores, or its share where the ranks of a node have the same.
unsigned thread_count(const Options& options, const Job& job) {
  if (const auto wish = options.count("--threads")) return *wish;
  int locals = 1;
  MPI_Comm_size(job.node, &locals);
  const std::set<int> mine = allowed_cpus();
  double processors = static_cast<double>(mine.size()), together = 0;
  check(MPI_Allreduce(&processors, &together, 1, MPI_DOUBLE, MPI_SUM, job.node), "MPI_Allreduce");
  const auto cores = [](const std::set<int>& cpus) {
    unsigned count = 0;
    for (const NumaNode& node : numa_nodes(cpus)) count += static_cast<unsigned>(node.cpus.size());
    return count;
  };
  const bool shared = together > static_cast<double>(job.node_cpus.size());
  return std::max(1u, shared ? cores(job.node_cpus) / static_cast<unsigned>(locals) : cores(mine));
}

class Runner {
 public:
  Runner(const Options& options, const Job& job, Reporter& report, Pulse& pulse)
      : options_(options), job_(job), report_(report), pulse_(pulse), precision_(wished_precision(options)) {}

  void all() {
    if (cuda()) take_gpu();
    const unsigned threads = thread_count(options_, job_);
    setenv("OPENBLAS_NUM_THREADS", format("{}", threads).c_str(), 0);  // it starts its threads when it is loaded
    agree([&] { blas_ = std::make_shared<Blas>(threads); });
    watch_at_rest();
    choose();
    grid_ = make_grid(MPI_COMM_WORLD, problem_.rows, problem_.columns);
    measuring_ = true;
    if (grid_.all != MPI_COMM_NULL) measure();
    wait_for_all();
    free_grid(grid_);
  }

  // From here on a rank may fail alone.
  bool measuring() const { return measuring_; }
  std::string who() const { return cuda() ? format("rank {}, gpu{}", job_.rank, gpu_) : format("rank {}", job_.rank); }

 private:
  bool cuda() const { return options_.device == Backend::cuda; }
  static std::optional<Precision> wished_precision(const Options& options) {
    return options.has("--precision") ? precision_of(options.choices("--precision", kPrecisionNames).front())
                                      : std::nullopt;
  }

  // What one rank cannot do, no rank does: the first that could not says why, to all.
  void agree(const std::function<void()>& attempt) {
    constexpr int kNone = 1 << 30;
    int cause = 0, first = kNone, mine = kNone;
    std::string why(512, '\0');
    const auto failed = [&](Cause which, std::string_view text) {
      mine = job_.rank;
      cause = static_cast<int>(which);
      why = format("rank {} on {}: {}", job_.rank, host_name(), text);
      why.resize(512);
    };
    try {
      attempt();
    } catch (const CouldNotRun& e) {
      failed(e.cause(), e.what());
    } catch (const std::bad_alloc&) {
      failed(Cause::no_memory, "there is not enough memory");
    }
    check(MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD), "MPI_Allreduce");
    if (first == kNone) return;
    check(MPI_Bcast(&cause, 1, MPI_INT, first, MPI_COMM_WORLD), "MPI_Bcast");
    check(MPI_Bcast(why.data(), static_cast<int>(why.size()), MPI_CHAR, first, MPI_COMM_WORLD), "MPI_Bcast");
    throw CouldNotRun(static_cast<Cause>(cause), why.c_str());
  }

  // The ranks of a node divide its GPUs; where there are fewer GPUs than ranks they share them.
  void take_gpu() {
    std::vector<std::string> visible = {""};
    agree([&] {
      require_gpus();
#ifdef CLUSTERC_CUDA
      cublas_ = open_cublas();
      visible = visible_gpus();
#endif
    });
    const mpi::GpuChoice choice = mpi::choose_gpu(job_, visible);
    gpu_ = choice.gpu;
    sharing_ = choice.ranks;
    mpi::refuse_used_gpu(job_, options_, gpu_, visible[static_cast<std::size_t>(gpu_)]);
#ifdef CLUSTERC_CUDA
    agree([&] { gpu_memory_ = free_memory_of_gpu(gpu_) / sharing_; });
#endif
  }

  std::unique_ptr<LocalPart> make_part() const {
#ifdef CLUSTERC_CUDA
    if (cuda()) return cuda_part(gpu_, cublas_);
#endif
    return host_part(blas_);
  }
  std::unique_ptr<MixedPart> make_mixed_part() const {
#ifdef CLUSTERC_CUDA
    if (cuda()) return mixed_cuda_part(gpu_, cublas_);
#endif
    return mixed_host_part(blas_);
  }
  std::unique_ptr<Solver> make_solver(const Problem& problem, LocalPart& part,
                                      std::function<void(double)> progress = {}) {
    return std::make_unique<Solver>(problem, grid_, blas_, part, pulse_, std::move(progress));
  }
  std::unique_ptr<MixedSolver> make_solver(const Problem& problem, MixedPart& part,
                                           std::function<void(double)> progress = {}) {
    return std::make_unique<MixedSolver>(problem, *precision_, grid_, blas_, part, pulse_, std::move(progress));
  }

  void watch_at_rest() {
    check(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
    pulse_.beat();
    LoadMeter meter(job_.node_cpus);
    std::this_thread::sleep_for(std::chrono::duration<double>(kWatchSeconds));
    refuse_busy(worst_share(meter, job_), options_, "before the run");
  }

  // N, NB, P and Q, the same on every rank.
  void choose() {
    choose_shape_and_order();
    if (precision_) problem_.diagonal = std::sqrt(static_cast<double>(problem_.n));
  }
  void choose_shape_and_order() {
    const GridShape shape =
        *grid_shape(static_cast<unsigned>(job_.ranks), options_.count("--rows"), options_.count("--columns"));
    problem_.rows = static_cast<int>(shape.rows);
    problem_.columns = static_cast<int>(shape.columns);
    problem_.nb = options_.count("--block").value_or(!cuda()      ? kDefaultBlock
                                                     : precision_ ? kMixedBlockCuda
                                                                  : kDefaultBlockCuda);
    problem_.seed = stream_seed(options_.seed, 0);

    const auto [most, there] = memory_of_rank();
    const auto bytes_of = precision_ ? bytes_of_mixed : cuda() ? bytes_of_device : bytes_of_rank;
    if (options_.size) {
      problem_.n = static_cast<Index>(*options_.size);
      const double needed = bytes_of(problem_.n, problem_.nb, shape);
      if (needed > there) {
        throw CouldNotRun(Cause::no_memory, format("order {} takes {} a rank, {} are available", problem_.n,
                                                   bytes_text(needed), bytes_text(there)));
      }
      return;
    }
    if (cuda() && most > there)
      throw CouldNotRun(Cause::no_memory, format("{} of each GPU are to be used by each rank, {} are free",
                                                 bytes_text(most), bytes_text(there)));
    problem_.n = order_for_memory(most, problem_.nb, shape, bytes_of);
    if (options_.seconds)
      problem_.n =
          std::min(problem_.n,
                   order_for_time(*options_.seconds, dgemm_estimate() * problem_.rows * problem_.columns, problem_.nb));
  }

  // Bytes for each rank that works: what it shall take at most, and what there is. Nodes and GPUs differ; the fullest
  // decides.
  std::pair<double, double> memory_of_rank() {
    const bool works = job_.rank < problem_.rows * problem_.columns;
    const auto wish = options_.bytes("--memory");
    if (cuda()) {
      const double most = wish ? static_cast<double>(*wish) / sharing_ : kDeviceMemoryShare * gpu_memory_;
      return {all_min(works ? most : 1e300), all_min(works ? gpu_memory_ : 1e300)};
    }
    double working = works ? 1 : 0, on_node = 0;
    check(MPI_Allreduce(&working, &on_node, 1, MPI_DOUBLE, MPI_SUM, job_.node), "MPI_Allreduce");
    const auto available = static_cast<double>(available_memory());
    const double most = wish ? static_cast<double>(*wish) : kMemoryShare * available;
    const bool known = on_node > 0 && available > 0;
    return {all_min(known ? most / on_node : 1e300), all_min(known ? available / on_node : 1e300)};
  }

  // Operations per second of this rank's DGEMM, the slowest of all; a tenth of a second.
  double dgemm_estimate() {
    if (precision_) return gemm_estimate([this] { return make_mixed_part(); }, cuda() ? 16384 : 2048);
    if (cuda()) return gemm_estimate([this] { return make_part(); }, 8192);
    constexpr int kOrder = 1024;
    const double one = 1, zero = 0;
    std::vector<double> a(kOrder * kOrder), b(a.size()), c(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      a[i] = random_signed(1, i);
      b[i] = random_signed(2, i);
    }
    double best = 1e300;
    for (int i = 0; i < 3; ++i) {
      const double begin = now_seconds();
      blas_->dgemm("N", "N", &kOrder, &kOrder, &kOrder, &one, a.data(), &kOrder, b.data(), &kOrder, &zero, c.data(),
                   &kOrder);
      best = std::min(best, now_seconds() - begin);
    }
    return 2.0 * kOrder * kOrder * kOrder / all_max(best);
  }

  static double one_update(LocalPart& part, Index width) { return part.time_dgemm(width); }
  static double one_update(MixedPart& part, Index width) { return part.time_gemm(width); }
  static void prepare(LocalPart& part, const Problem& p, const Axis& alone, std::optional<Precision>) {
    part.allocate(p, alone, alone, p.n, p.n + 1);
    part.fill(0, p.n);
  }
  static void prepare(MixedPart& part, const Problem& p, const Axis& alone, std::optional<Precision> precision) {
    part.allocate(p, *precision, alone, alone, p.n, p.n);
    part.fill(0, p.n);
  }

  template <class Make>
  double gemm_estimate(const Make& make, Index order) {
    double best = 1e300;
    agree([&] {
      const auto part = make();
      prepare(*part, {.n = order, .nb = problem_.nb}, {.nb = problem_.nb}, precision_);
      for (int i = 0; i < 3; ++i) best = std::min(best, one_update(*part, problem_.nb));
    });
    return 2.0 * static_cast<double>(order * order * std::min(problem_.nb, order)) / all_max(best);
  }

  template <class TheSolution>
  struct Run {
    double seconds = 0;  // of the slowest rank
    TheSolution solution;
    Residual residual;
  };

  static Solution solved(Solver& solver) {
    solver.fill();
    return solver.solve();
  }
  static MixedSolution solved(MixedSolver& solver) { return solver.solve(); }  // fills within the time

  template <class TheSolver>
  auto once(TheSolver& solver) {
    Run<decltype(solved(solver))> run{.solution = solved(solver)};
    double seconds = run.solution.seconds;
    check(MPI_Allreduce(&seconds, &run.seconds, 1, MPI_DOUBLE, MPI_MAX, grid_.all), "MPI_Allreduce");
    run.residual = solver.residual(run.solution);
    return run;
  }

  // A small system first: BLAS, MPI and the memory they use are there when the clock starts.
  template <class Part>
  void warm_up(unsigned times, const std::unique_ptr<Part>& part) {
    Problem small = problem_;
    small.n = std::min<Index>(problem_.n, 4 * problem_.nb * std::max(problem_.rows, problem_.columns));
    const auto solver = make_solver(small, *part);
    for (unsigned i = 0; i < times; ++i) once(*solver);
  }

  void measure() {
    const unsigned warmup = options_.warmup.value_or(1);
    if (precision_) {
      if (warmup > 0) warm_up(warmup, make_mixed_part());
      measure(make_mixed_part(), warmup);
    } else {
      if (warmup > 0) warm_up(warmup, make_part());
      measure(make_part(), warmup);
    }
  }

  template <class Part>
  void measure(const std::unique_ptr<Part>& part, unsigned warmup) {
    const double begin = now_seconds();
    double last_told = begin, solve_began = begin;
    const auto progress = [&](double share) {
      const double now = now_seconds();
      if (job_.rank != 0 || now - last_told < kTell || share <= 0) return;
      last_told = now;
      const double gone = now - solve_began;
      std::fprintf(stderr, "clusterc-hpl: %3.0f %% of order %lld done, %.1f GFLOP/s, about %.0f s left\n", share * 100,
                   static_cast<long long>(problem_.n), share * operations(problem_.n) / gone * 1e-9,
                   gone / share * (1 - share));
    };
    const auto solver = make_solver(problem_, *part, progress);
    LoadMeter meter(job_.node_cpus);
    std::vector<decltype(once(*solver))> runs;
    for (bool last = false; !last;) {
      solve_began = now_seconds();
      runs.push_back(once(*solver));
      last = is_last(runs.size(), begin);
    }
    const std::optional<double> load = share_of_others(meter);
    refuse_busy(load, options_, "during the solution");
    std::vector<double> gemm;
    if (problem_.n >= kDgemmFrom && !job_.oversubscribed) {
      if constexpr (requires { solver->fill(); }) solver->fill();  // numbers of the usual size under the products
      for (int i = 0; i < 4; ++i) {
        double seconds = 0, slowest = 0;
        if constexpr (requires { solver->dgemm_seconds(); })
          seconds = solver->dgemm_seconds();
        else
          seconds = solver->gemm_seconds();
        check(MPI_Allreduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, grid_.all), "MPI_Allreduce");
        if (i > 0)
          gemm.push_back(2.0 * static_cast<double>(problem_.n) * static_cast<double>(problem_.n) *
                         static_cast<double>(problem_.nb) / slowest);
      }
    }
    print(*part, runs, warmup, gemm, load);
  }

  // As mpi::worst_share, over the ranks of the grid alone: idle ranks sleep.
  std::optional<double> share_of_others(const LoadMeter& meter) const {
    if (problem_.rows * problem_.columns == job_.ranks) return worst_share(meter, job_);
    return std::nullopt;
  }

  bool is_last(std::size_t done, double begin) {
    if (!options_.seconds || !options_.size) return done >= options_.iterations.value_or(1);
    int last = now_seconds() - begin >= *options_.seconds;
    check(MPI_Bcast(&last, 1, MPI_INT, 0, grid_.all), "MPI_Bcast");
    return last != 0;
  }

  // Of a kind of solution: what it counts of messages, how its time was spent, what else is said of it, and whether its
  // matrix could not be solved.
  static std::pair<std::uint64_t, std::uint64_t> messages_of(const Solution& s) {
    return {s.damage.messages, s.damage.damaged};
  }
  static std::pair<std::uint64_t, std::uint64_t> messages_of(const MixedSolution& s) { return {s.messages, s.damaged}; }
  static std::vector<std::pair<const char*, double>> phases_of(const Solution& s) {
    const Phases& p = s.phases;
    return {{"seconds_panel", p.panel},
            {"seconds_panel_wait", p.broadcast},
            {"seconds_row_exchange", p.exchange},
            {"seconds_update", p.update},
            {"seconds_back_substitution", p.back_substitution}};
  }
  static std::vector<std::pair<const char*, double>> phases_of(const MixedSolution& s) {
    const MixedPhases& p = s.phases;
    return {{"seconds_fill", p.fill},
            {"seconds_square", p.square},
            {"seconds_panels", p.panels},
            {"seconds_update", p.update},
            {"seconds_refinement", p.refinement}};
  }
  std::string singular(const Solution& s, const Residual& residual) const {
    if (s.no_pivot >= 0) return format("no pivot in column {}", s.no_pivot);
    return s.smallest_pivot <= 0x1p-53 * static_cast<double>(problem_.n) * residual.norm_a ? "to working precision"
                                                                                           : "";
  }
  static std::string singular(const MixedSolution& s, const Residual&) {
    return s.no_pivot >= 0 ? format("no pivot in column {}", s.no_pivot) : "";
  }
  // Factors that are worse than rounding makes them.
  static bool wrong_factors(const Solution&) { return false; }
  bool wrong_factors(const MixedSolution& s) const { return !(s.left_by_factors < most_left(*precision_, problem_.n)); }
  void describe(const Solution& s, Measurement& m) const {
    m.parameters.emplace_back("smallest_pivot", s.smallest_pivot);
  }
  void describe(const MixedSolution& s, Measurement& m) const {
    m.parameters.emplace_back("precision", options_.choices("--precision", kPrecisionNames).front());
    m.parameters.emplace_back("refinement_steps", std::uint64_t{s.steps});
    if (std::isfinite(s.left_by_factors)) m.parameters.emplace_back("left_by_factors", s.left_by_factors);
    m.parameters.emplace_back("left_by_factors_limit", most_left(*precision_, problem_.n));
  }

  template <class Part, class TheRun>
  void print(const Part& part, const std::vector<TheRun>& runs, unsigned warmup, const std::vector<double>& gemm,
             std::optional<double> load) {
    const auto ranks = static_cast<std::uint64_t>(problem_.rows) * static_cast<std::uint64_t>(problem_.columns);
    Measurement m{.metric = precision_ ? "hpl.mxp" : "hpl.score", .unit = "FLOP/s"};
    m.warmup = warmup;
    m.size_bytes = 8 * static_cast<std::uint64_t>(problem_.n) * static_cast<std::uint64_t>(problem_.n + 1);
    m.device = part.device();
    m.other_load = load;
    m.variant = format("N {} NB {} {} x {}", problem_.n, problem_.nb, problem_.rows, problem_.columns);
    const TheRun* worst = &runs.front();
    std::uint64_t messages[2] = {};
    for (const TheRun& run : runs) {
      m.samples.push_back(operations(problem_.n) / run.seconds);
      m.checked += static_cast<std::uint64_t>(problem_.n);
      m.wrong += run.residual.wrong_rows;
      const auto [came, damaged] = messages_of(run.solution);
      messages[0] += came;
      messages[1] += damaged;
      if (wrong_factors(run.solution)) m.wrong = std::max<std::uint64_t>(m.wrong, 1);
      if (!(run.residual.scaled <= worst->residual.scaled)) worst = &run;
    }
    std::uint64_t all_messages[2] = {};
    check(MPI_Reduce(messages, all_messages, 2, MPI_UINT64_T, MPI_SUM, 0, grid_.all), "MPI_Reduce");
    auto phases = phases_of(runs.back().solution);
    for (auto& [name, seconds] : phases) {
      const double mine = seconds;
      check(MPI_Reduce(&mine, &seconds, 1, MPI_DOUBLE, MPI_MAX, 0, grid_.all), "MPI_Reduce");
    }
    if (job_.rank != 0) return;
    m.checked += all_messages[0];
    m.wrong += all_messages[1];
    const std::string none = singular(worst->solution, worst->residual);
    if (!none.empty()) m.wrong = std::max<std::uint64_t>(m.wrong, 1);
    m.parameters = {{"n", static_cast<std::uint64_t>(problem_.n)},
                    {"nb", static_cast<std::uint64_t>(problem_.nb)},
                    {"rows", static_cast<std::uint64_t>(problem_.rows)},
                    {"columns", static_cast<std::uint64_t>(problem_.columns)},
                    {"ranks", ranks},
                    {"nodes", static_cast<std::uint64_t>(job_.nodes)},
                    {"oversubscribed", job_.oversubscribed}};
    if (!job_.hosts.empty()) m.parameters.emplace_back("hosts", job_.hosts);
    for (auto& parameter : part.parameters()) m.parameters.push_back(std::move(parameter));
    for (auto& parameter : blas_->parameters())
      m.parameters.emplace_back((cuda() ? "host_" : "") + parameter.first, std::move(parameter.second));
    if (std::isfinite(worst->residual.scaled))
      m.parameters.emplace_back("residual", worst->residual.scaled);
    else
      m.parameters.emplace_back("residual", std::string("not finite"));
    m.parameters.emplace_back("residual_limit", kThreshold);
    describe(worst->solution, m);
    if (!none.empty()) m.parameters.emplace_back("singular", none);
    m.parameters.emplace_back("panels_received", all_messages[0]);
    m.parameters.emplace_back("panels_damaged", all_messages[1]);
    for (const auto& [name, seconds] : phases) m.parameters.emplace_back(name, seconds);
    const Summary score = summarise(m.samples), rate = summarise(gemm);
    if (!gemm.empty())
      m.parameters.emplace_back(precision_ ? "share_of_gemm" : "share_of_dgemm", score.median / rate.median);
    report_.measurement(m);
    if (gemm.empty()) return;
    m.metric = precision_ ? "hpl.mxp_gemm" : "hpl.dgemm";
    m.variant = format("{0} x {0} x {1}", problem_.n, problem_.nb);
    m.samples = gemm;
    m.warmup = 1;
    m.parameters.resize(7);
    report_.measurement(m);
  }

  // Ranks outside the grid have nothing to do, and must not look stuck.
  void wait_for_all() {
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Ibarrier(MPI_COMM_WORLD, &request), "MPI_Ibarrier");
    const bool idle = grid_.all == MPI_COMM_NULL;
    pulse_.at(Phase::idle);
    for (int done = 0; !done;) {
      check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
      if (done) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      if (idle) pulse_.beat();
    }
  }

  static constexpr double kTell = 10;  // seconds between lines of progress

  const Options& options_;
  const Job& job_;
  Reporter& report_;
  Pulse& pulse_;
  std::shared_ptr<Blas> blas_;
  std::shared_ptr<Cublas> cublas_;
  int gpu_ = 0;
  double gpu_memory_ = 0;  // bytes that are free on it for this rank
  double sharing_ = 1;     // ranks of this node that have the same GPU
  bool measuring_ = false;
  const std::optional<Precision> precision_;  // of the mixed mode
  Problem problem_;
  Grid grid_;
};

int main_of_rank(const Options& options) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  Reporter report(kProgram, options, host_name(), write_to_stdout);
  if (rank == 0) report.header(utc_now());
  Pulse pulse;
  mpi::Guard guard(pulse, options.seconds_of("--timeout").value_or(kTimeout), mpi::seconds_behind(rank),
                   mpi::tell_and_leave(report, rank));
  Job job;
  std::unique_ptr<Runner> runner;
  // Every rank sees the same load and sizes, and hears of what another one lacks; a GPU may fail later, and alone.
  const bool cuda = options.device == Backend::cuda;
  const auto by_all = [&](Cause cause) {
    return cuda && runner && runner->measuring() ? cause == Cause::busy
                                                 : cuda || cause == Cause::busy || cause == Cause::no_memory;
  };
  return mpi::run_rank(report, rank, by_all, [&] {
    job = mpi::describe_job();
    guard.watch(mpi::processes_of_node(job), job.nodes);
    runner = std::make_unique<Runner>(options, job, report, pulse);
    try {
      runner->all();
    } catch (const CouldNotRun& e) {
      if (!cuda || !runner->measuring() || e.cause() == Cause::busy || e.cause() == Cause::interrupted) throw;
      throw CouldNotRun(e.cause(), format("{}: {}", runner->who(), e.what()));
    }
  });
}

}  // namespace
}  // namespace clusterc::hpl

int main(int argc, char** argv) {
  namespace hpl = clusterc::hpl;
  return clusterc::mpi::run_rank_program(
      {.program = hpl::kProgram, .wrong_options = {}, .wrong_shape = hpl::wrong_shape, .run = hpl::main_of_rank}, argc,
      argv);
}
