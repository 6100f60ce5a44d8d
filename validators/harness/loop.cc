#include "harness/loop.h"

#include <csignal>
#include <cstdio>

#include "base/format.h"
#include "harness/outcome.h"

namespace clusterc::harness {
namespace {

// Written by a signal handler and read by any thread.
std::atomic<int> caught_signal{0};
std::atomic<bool> caught_any{false};
static_assert(std::atomic<bool>::is_always_lock_free &&
              std::atomic<int>::is_always_lock_free);  // else a handler must not touch them
void remember(int signal) {
  caught_signal = signal;
  caught_any = true;
}

TextPulse pulse;

}  // namespace

void stage(std::string what) { pulse.doing(std::move(what)); }
const Pulse& run_pulse() { return pulse; }

void catch_signals() {
  struct sigaction action {};
  action.sa_handler = remember;
  action.sa_flags = static_cast<int>(SA_RESETHAND);  // a second signal ends the program at once
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

void check_interrupted() {
  if (const int signal = caught_signal; signal != 0)
    throw CouldNotRun(Cause::interrupted, signal == SIGINT ? "SIGINT" : "SIGTERM");
}

const std::atomic<bool>& interrupted() { return caught_any; }

Progress::Progress(std::string what) : what_(std::move(what)), last_(now_seconds()) {}

void Progress::at(std::size_t done, std::size_t of, double seconds, double seconds_of) {
  if (what_.empty() || now_seconds() - last_ < kEvery) return;
  last_ = now_seconds();
  const std::string line =
      of > 0 ? format("clusterc: {}: {} of {} repetitions in {:.0f} s\n", what_, done, of, seconds)
             : format("clusterc: {}: {} repetitions, {:.0f} of {:.0f} s\n", what_, done, seconds, seconds_of);
  std::fputs(line.c_str(), stderr);
}

Loop loop_from(const Options& options, unsigned default_iterations, unsigned default_warmup, std::string what) {
  if (!what.empty()) stage(what);
  if (!options.progress) what.clear();
  return {.warmup = options.warmup.value_or(default_warmup),
          .iterations = options.iterations.value_or(default_iterations),
          .what = std::move(what),
          .seconds = options.seconds.value_or(0)};
}

std::vector<double> measure(const Loop& loop, const std::function<double()>& once,
                            const std::function<void()>& before_last) {
  for (unsigned i = 0; i < loop.warmup; ++i) {
    check_interrupted();
    once();
    pulse.beat();
  }
  std::vector<double> samples;
  const double begin = now_seconds();
  Progress progress(loop.what);
  const auto last = [&] {
    if (loop.seconds <= 0) return samples.size() + 1 >= loop.iterations;
    return samples.size() + 1 >= Loop::kMost ||
           (samples.size() + 1 >= Loop::kFewest && now_seconds() - begin >= loop.seconds);
  };
  for (;;) {
    check_interrupted();
    const bool stop = last();
    if (stop) before_last();
    samples.push_back(once());
    pulse.beat();
    progress.at(samples.size(), loop.seconds > 0 ? 0 : loop.iterations, now_seconds() - begin, loop.seconds);
    if (stop) return samples;
  }
}

}  // namespace clusterc::harness
