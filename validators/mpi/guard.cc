#include "mpi/guard.h"

#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <sstream>

#include "base/format.h"
#include "base/stacks.h"
#include "harness/loop.h"
#include "harness/machine.h"
#include "harness/team.h"

namespace clusterc::mpi {

std::optional<ProcessState> parse_process_state(const std::string& stat) {
  const auto bracket = stat.rfind(')');
  if (bracket == std::string::npos) return std::nullopt;
  std::istringstream rest(stat.substr(bracket + 1));
  ProcessState out;
  std::string skipped;
  rest >> out.state;
  for (int field = 4; field < 22; ++field) rest >> skipped;  // the start is field 22, the state field 3
  if (!(rest >> out.started)) return std::nullopt;
  return out;
}

std::optional<ProcessState> state_of(long process_id) {
  const auto text = harness::read_text(format("/proc/{}/stat", process_id));
  return text ? parse_process_state(*text) : std::nullopt;
}

Guard::Guard(const Pulse& pulse, double seconds, double behind, Expired expired)
    : pulse_(pulse),
      seconds_(seconds),
      behind_(behind),
      expired_(std::move(expired)),
      thread_(harness::start_thread([this] { run(); }, "the thread that watches over a rank")) {}

Guard::~Guard() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void Guard::watch(std::vector<Process> others, int nodes, std::shared_ptr<Board> board) {
  std::erase_if(others, [](const Process& other) {
    const auto state = state_of(other.id);
    return !state || state->started != other.started;
  });
  const std::lock_guard lock(mutex_);
  // A rank that is stopped on another node is seen there.
  constexpr double kOfOtherNodes = 2;
  if (nodes > 1) behind_ += kOfOtherNodes;
  others_ = std::move(others);
  board_ = std::move(board);
}

std::string Guard::gone() const {
  for (const Process& other : others_) {
    const auto state = state_of(other.id);
    if (!state || state->started != other.started || state->state == 'Z' || state->state == 'X') {
      return format("rank {} on '{}' (process {}) is gone: killed, or ended without a word", other.rank,
                    harness::host_name(), other.id);
    }
  }
  return {};
}

std::string Guard::stopped() const {
  for (const Process& other : others_) {
    const auto state = state_of(other.id);
    if (state && (state->state == 'T' || state->state == 't')) {
      return format("rank {} on '{}' (process {}) is stopped", other.rank, harness::host_name(), other.id);
    }
  }
  return {};
}

std::string Guard::behind() const {
  const std::string who = board_ ? harness::ranks_behind(board_->places()) : "";
  return who.empty() ? who : format("on '{}' {}", harness::host_name(), who);
}

// Those that are stopped first, then this one: there is room for eight.
std::vector<std::string> Guard::stacks() const {
  std::vector<long> processes = {::getpid()};
  for (const Process& other : others_) {
    const auto state = state_of(other.id);
    if (!state || state->started != other.started) continue;
    const bool stopped = state->state == 'T' || state->state == 't';
    processes.insert(stopped ? processes.begin() : processes.end(), other.id);
  }
  return stacks_of(processes);
}

void Guard::run() {
  using Clock = std::chrono::steady_clock;
  std::unique_lock lock(mutex_);
  auto last_seen = pulse_.beats(), written = last_seen;
  bool wrote = false;
  auto since = Clock::now();
  while (!wake_.wait_for(lock, std::chrono::milliseconds(50), [this] { return stop_; })) {
    const std::string missing = gone();
    if (!missing.empty()) return expired_(harness::Cause::communication, format("{}; {}", missing, pulse_.doing()), {});
    try {
      harness::check_interrupted();
    } catch (const harness::CouldNotRun& e) {
      return expired_(e.cause(), format("{}; {}", e.what(), pulse_.doing()), {});
    }
    const auto beats = pulse_.beats();
    if (board_ && (beats != written || !wrote)) {
      board_->write(beats, pulse_.doing());
      written = beats;
      wrote = true;
    }
    if (beats != last_seen) {
      last_seen = beats;
      since = Clock::now();
    } else if (const double still = std::chrono::duration<double>(Clock::now() - since).count(); still > seconds_) {
      std::string who = stopped();
      if (who.empty()) who = behind();
      if (who.empty() && still <= seconds_ + behind_) continue;
      return expired_(
          harness::Cause::timeout,
          format("nothing moved for {:.4g} s: {}{}{}", seconds_, pulse_.doing(), who.empty() ? "" : "; ", who),
          stacks());
    }
  }
}

std::vector<Process> processes_of_node(const Job& job) {
  int locals = 1;
  MPI_Comm_size(job.node, &locals);
  const auto state = state_of(getpid());
  std::uint64_t mine[3] = {static_cast<std::uint64_t>(job.rank), static_cast<std::uint64_t>(getpid()),
                           state ? state->started : 0};
  std::vector<std::uint64_t> all(3 * static_cast<std::size_t>(locals));
  check(MPI_Allgather(mine, 3, MPI_UINT64_T, all.data(), 3, MPI_UINT64_T, job.node), "MPI_Allgather");
  std::vector<Process> out;
  for (std::size_t i = 0; i < all.size(); i += 3) {
    if (all[i] != mine[0])
      out.push_back({.rank = static_cast<int>(all[i]), .id = static_cast<long>(all[i + 1]), .started = all[i + 2]});
  }
  return out;
}

double seconds_behind(int rank) { return rank == 0 ? 0 : 2 + std::min(30.0, 0.05 * rank); }

Guard::Expired tell_and_leave(harness::Reporter& report, int rank) {
  return [&report, rank](harness::Cause cause, const std::string& detail, const std::vector<std::string>& stacks) {
    if (rank != 0 && cause != harness::Cause::timeout) std::this_thread::sleep_for(std::chrono::milliseconds(200));
    try {
      report.error(cause, format("rank {} on '{}': {}", rank, harness::host_name(), detail), stacks);
    } catch (const std::exception&) {
    }  // standard output is gone: the status says it
    _exit(static_cast<int>(harness::exit_of(cause)));
  };
}

}  // namespace clusterc::mpi
