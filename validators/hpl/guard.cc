#include "hpl/guard.h"

#include <chrono>
#include <sstream>

#include "harness/loop.h"
#include "harness/machine.h"

namespace clusterc::hpl {

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

Guard::Guard(const Pulse& pulse, double seconds, Expired expired)
    : pulse_(pulse), seconds_(seconds), expired_(std::move(expired)), thread_([this] { run(); }) {}

Guard::~Guard() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void Guard::watch(std::vector<Process> others) {
  std::erase_if(others, [](const Process& other) {
    const auto state = state_of(other.id);
    return !state || state->started != other.started;
  });
  const std::lock_guard lock(mutex_);
  others_ = std::move(others);
}

std::string Guard::gone() const {
  for (const Process& other : others_) {
    const auto state = state_of(other.id);
    if (!state || state->started != other.started || state->state == 'Z' || state->state == 'X') {
      return format("rank {} on '{}' (process {}) is gone: killed, or ended without a word", other.rank, harness::host_name(), other.id);
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

void Guard::run() {
  using Clock = std::chrono::steady_clock;
  std::unique_lock lock(mutex_);
  auto last_seen = pulse_.beats();
  auto since = Clock::now();
  while (!wake_.wait_for(lock, std::chrono::milliseconds(50), [this] { return stop_; })) {
    const std::string missing = gone();
    if (!missing.empty()) return expired_(harness::Cause::communication, format("{}; {}", missing, pulse_.doing()));
    try {
      harness::check_interrupted();
    } catch (const harness::CouldNotRun& e) {
      return expired_(e.cause(), format("{}; {}", e.what(), pulse_.doing()));
    }
    if (const auto beats = pulse_.beats(); beats != last_seen) {
      last_seen = beats;
      since = Clock::now();
    } else if (std::chrono::duration<double>(Clock::now() - since).count() > seconds_) {
      const std::string who = stopped();
      return expired_(harness::Cause::timeout, format("nothing moved for {:.4g} s: {}{}{}", seconds_, pulse_.doing(), who.empty() ? "" : "; ", who));
    }
  }
}

}  // namespace clusterc::hpl
