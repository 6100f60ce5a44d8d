// clusterc-burn: a mixed load on every processor for minutes, each round's result checked; who is wrong, slow, stopped or gone is named. README.md says what it proves.
#include <signal.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <thread>

#include "base/format.h"
#include "burn/load.h"
#include "burn/watch.h"
#include "harness/fault.h"
#include "harness/inputs.h"
#include "harness/load.h"
#include "harness/loop.h"
#include "harness/machine.h"
#include "harness/run.h"

namespace clusterc::burn {
namespace {
using namespace harness;

constexpr Backend kBackends[] = {Backend::host};
constexpr ExtraOption kExtra[] = {{"--workers", Kind::count, "COUNT", "processes, one a processor (default: one for each core)"},
                                  {"--timeout", Kind::seconds, "SECONDS", "end when a worker finishes no round for so long (default 10)"}};
constexpr MetricFacts kMetrics[] = {{"burn.flops", "FLOP/s", "of all processors, in the matrix part of the rounds"}, {"burn.slowest", "FLOP/s", "of the slowest processor"}};
constexpr Program kProgram{.name = "burn",
                           .summary = "a mixed load on every processor for a while (--seconds, default 60), every result checked; slow, stopped and wrong processors are named",
                           .backends = kBackends,
                           .extra = kExtra,
                           .metrics = kMetrics};
constexpr double kSeconds = 60, kTimeout = 10, kInterval = 1;
constexpr unsigned kFewest = 5;   // intervals

// What a worker tells, in memory that it shares with the one who watches.
struct alignas(64) Told {
  std::atomic<std::uint64_t> rounds{0}, wrong{0}, processor_nanoseconds{0};
  std::atomic<int> wrong_part{0};   // 1, 2, 3: of the first wrong round
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);   // else processes could not share it
constexpr const char* kParts[] = {"", "the matrix product", "the integer hashes", "the memory sum"};

[[noreturn]] void work(Told& told, int cpu, std::uint64_t seed, pid_t parent, bool damage) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(0);
  for (const int signal : {SIGINT, SIGTERM}) ::signal(signal, SIG_IGN);   // of the whole group: the parent ends us, and the kernel where it cannot
  cpu_set_t mask;
  CPU_ZERO(&mask);
  if (cpu < CPU_SETSIZE) {
    CPU_SET(static_cast<std::size_t>(cpu), &mask);
    ::sched_setaffinity(0, sizeof mask, &mask);
  }
  const Inputs in = make_inputs(seed);
  const Reference reference = make_reference(in);
  Round round(in);
  for (;;) {
    const std::string_view wrong = round.run(reference, damage && told.rounds == 0);
    if (!wrong.empty()) {
      for (int part = 1; part < 4; ++part)
        if (told.wrong == 0 && wrong == kParts[part]) told.wrong_part = part;
      ++told.wrong;
    }
    timespec now{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    told.processor_nanoseconds = static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(now.tv_nsec);
    ++told.rounds;
  }
}

class Crew {
 public:
  Crew(std::vector<int> cpus, std::uint64_t seed) : cpus_(std::move(cpus)), ids_(cpus_.size(), -1) {
    void* const at = ::mmap(nullptr, cpus_.size() * sizeof(Told), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) throw CouldNotRun(Cause::no_memory, "no memory to share with the workers");
    told_ = static_cast<Told*>(at);
    const pid_t parent = ::getpid();
    for (std::size_t i = 0; i < cpus_.size(); ++i) {
      new (told_ + i) Told;
      ids_[i] = ::fork();
      if (ids_[i] == 0) work(told_[i], cpus_[i], stream_seed(seed, i), parent, kFaultBuild && i == 0);
      if (ids_[i] < 0) {
        const int why = errno;
        end();
        throw CouldNotRun(Cause::system, format("no process could be made: {}", std::strerror(why)));
      }
    }
  }
  ~Crew() { end(); }
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  std::size_t size() const { return cpus_.size(); }
  const std::vector<int>& cpus() const { return cpus_; }
  const Told& told(std::size_t i) const { return told_[i]; }
  std::string who(std::size_t i) const { return format("the worker on processor {} (process {})", cpus_[i], ids_[i]); }

  // Throws where one is gone, or moved nothing for `seconds`.
  void look(std::vector<std::pair<std::uint64_t, double>>& seen, double seconds) {
    for (std::size_t i = 0; i < size(); ++i) {
      int status = 0;
      if (::waitpid(ids_[i], &status, WNOHANG) == ids_[i]) {
        const std::string name = who(i);
        ids_[i] = -1;
        throw CouldNotRun(Cause::system, WIFSIGNALED(status) ? format("{} was ended by signal {}", name, WTERMSIG(status)) : format("{} ended with status {}", name, WEXITSTATUS(status)));
      }
      const std::uint64_t rounds = told_[i].rounds;
      if (seen[i].second == 0 || rounds != seen[i].first) seen[i] = {rounds, now_seconds()};
      if (now_seconds() - seen[i].second < seconds) continue;
      const std::string stat = read_text(format("/proc/{}/stat", ids_[i])).value_or("");
      const auto behind = stat.rfind(") ");
      const char state = behind == stat.npos || behind + 2 >= stat.size() ? '?' : stat[behind + 2];
      throw CouldNotRun(Cause::timeout, format("{} finished no round for {:.3g} s: it {}", who(i), seconds, state == 'T' || state == 't' ? "is stopped" : state == 'R' ? "got no processor" : format("is in state {}", state)));
    }
  }

 private:
  void end() {
    for (const pid_t id : ids_)
      if (id > 0) ::kill(id, SIGKILL);
    for (pid_t& id : ids_) {
      if (id > 0) ::waitpid(id, nullptr, 0);
      id = -1;
    }
    if (told_) ::munmap(told_, cpus_.size() * sizeof(Told));
    told_ = nullptr;
  }

  std::vector<int> cpus_;
  std::vector<pid_t> ids_;
  Told* told_ = nullptr;
};

struct Seen {
  std::uint64_t rounds = 0, nanoseconds = 0;
};

void body(const Options& options, Reporter& report) {
  if (options.device == Backend::cuda) throw CouldNotRun(Cause::not_built, "burn has no CUDA back end yet");
  refuse_busy(load_at_rest(kWatchSeconds), options, "before the run");
  std::vector<int> cpus;
  for (const NumaNode& node : numa_nodes(allowed_cpus())) cpus.insert(cpus.end(), node.cpus.begin(), node.cpus.end());
  if (const auto workers = options.count("--workers"); workers && !cpus.empty()) {
    const std::vector<int> all = cpus;
    cpus.resize(std::min<std::size_t>(*workers, 65536));
    for (std::size_t i = 0; i < cpus.size(); ++i) cpus[i] = all[i % all.size()];
  }
  if (cpus.empty()) throw CouldNotRun(Cause::system, "the kernel names no processor that this process may use");
  const double length = options.seconds.value_or(kSeconds), timeout = options.seconds_of("--timeout").value_or(kTimeout);
  const double interval = options.iterations ? kInterval : std::min(kInterval, length / kFewest);
  const std::size_t intervals = options.iterations.value_or(static_cast<unsigned>(length / interval + 0.5));

  Crew crew(cpus, options.seed);
  std::vector<std::pair<std::uint64_t, double>> moved(crew.size());
  Progress progress(options.progress ? "burn" : "");
  const auto wait_until = [&](double until, const auto& ready) {
    while (now_seconds() < until && !ready()) {
      check_interrupted();
      crew.look(moved, timeout);
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  };
  // Warm-up: until each has finished a round; the deadline sees to those who never do.
  wait_until(1e300, [&] {
    for (std::size_t i = 0; i < crew.size(); ++i)
      if (crew.told(i).rounds == 0) return false;
    return true;
  });

  const auto look = [&] {
    std::vector<Seen> out(crew.size());
    for (std::size_t i = 0; i < crew.size(); ++i) out[i] = {crew.told(i).rounds, crew.told(i).processor_nanoseconds};
    return out;
  };
  LoadMeter meter;
  std::vector<double> rates, clocks, temperatures, powers;
  const std::vector<Seen> first = look();
  const double begin = now_seconds();
  std::vector<Seen> before = first;
  double since = begin;
  std::optional<double> energy = read_sensors(cpus).energy;
  for (std::size_t i = 0; i < intervals; ++i) {
    wait_until(begin + interval * static_cast<double>(i + 1), [] { return false; });
    const std::vector<Seen> now = look();
    const double at = now_seconds();
    std::uint64_t rounds = 0;
    for (std::size_t w = 0; w < now.size(); ++w) rounds += now[w].rounds - before[w].rounds;
    rates.push_back(static_cast<double>(rounds) * kFlopOfRound / (at - since));
    const Sensors sensors = read_sensors(cpus);
    if (sensors.clock) clocks.push_back(*sensors.clock / 1e6);
    if (sensors.temperature) temperatures.push_back(*sensors.temperature);
    if (sensors.energy && energy && *sensors.energy >= *energy) powers.push_back((*sensors.energy - *energy) / (at - since));   // the counter wraps
    energy = sensors.energy;
    before = now;
    since = at;
    progress.at(i + 1, intervals, at - begin, 0);
  }
  const double wall = since - begin;
  double processor = 0;
  std::vector<Work> workers;
  std::uint64_t checked = 0, wrong = 0;
  std::string first_wrong;
  for (std::size_t i = 0; i < crew.size(); ++i) {
    const double got = static_cast<double>(before[i].nanoseconds - first[i].nanoseconds) * 1e-9;
    processor += got;
    workers.push_back({cpus[i], static_cast<double>(before[i].rounds - first[i].rounds) / wall, got / wall});
    checked += crew.told(i).rounds;
    wrong += crew.told(i).wrong;
    if (first_wrong.empty() && crew.told(i).wrong > 0) first_wrong = format("processor {}: {} of {} rounds, first in {}", cpus[i], crew.told(i).wrong.load(), crew.told(i).rounds.load(), kParts[crew.told(i).wrong_part]);
  }
  const std::optional<double> load = meter.share(processor + meter.own_seconds());
  refuse_busy(load, options, "during the run");

  std::string slow = slow_workers(workers);
  const auto drift = drift_of(rates);
  if (drift && *drift < kMostDrift) slow += format("{}the rate fell to {:.2f} of the beginning", slow.empty() ? "" : "; ", *drift);
  const auto slowest = std::min_element(workers.begin(), workers.end(), [](const Work& a, const Work& b) { return a.rounds_a_second < b.rounds_a_second; });
  Measurement m{.metric = "burn.flops", .unit = "FLOP/s"};
  m.samples = rates;
  m.warmup = 1;
  m.device = {.backend = Backend::host, .label = "host", .name = cpu_model()};
  m.checked = checked;
  m.wrong = wrong;
  m.other_load = load;
  m.parameters = {{"workers", std::uint64_t{crew.size()}}, {"seconds", wall}, {"interval_seconds", interval}};
  if (drift) m.parameters.emplace_back("drift", *drift);
  if (!slow.empty()) m.parameters.emplace_back("slow", slow);
  if (!first_wrong.empty()) m.parameters.emplace_back("first_wrong", first_wrong);
  const auto trace = [&](const char* name, const std::vector<double>& values) {
    if (!values.empty()) m.parameters.emplace_back(name, trace_text(values));
  };
  trace("clock_trace_mhz", clocks), trace("temperature_trace_c", temperatures), trace("power_trace_w", powers);
  if (slowest->rounds_a_second <= 0) throw CouldNotRun(Cause::timeout, format("processor {} finished no round in the {:.3g} s of the run", slowest->cpu, wall));
  report.measurement(m);
  m.metric = "burn.slowest";
  m.samples = {slowest->rounds_a_second * kFlopOfRound};
  m.parameters = {{"processor", static_cast<std::uint64_t>(slowest->cpu)}, {"processor_share", slowest->processor_share}};
  if (!slow.empty()) m.parameters.emplace_back("slow", slow);
  report.measurement(m);
}

}  // namespace
}  // namespace clusterc::burn

int main(int argc, char** argv) { return clusterc::harness::run_validator(clusterc::burn::kProgram, argc, argv, clusterc::burn::body); }
