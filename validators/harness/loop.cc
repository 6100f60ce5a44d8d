#include "harness/loop.h"

#include <csignal>

#include "harness/outcome.h"

namespace clusterc::harness {
namespace {

volatile std::sig_atomic_t caught_signal = 0;  // a signal handler has nowhere else to write
void remember(int signal) { caught_signal = signal; }

}  // namespace

void catch_signals() {
  struct sigaction action {};
  action.sa_handler = remember;
  action.sa_flags = static_cast<int>(SA_RESETHAND);  // a second signal ends the program at once
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

void check_interrupted() {
  if (caught_signal != 0) throw CouldNotRun(Cause::interrupted, caught_signal == SIGINT ? "SIGINT" : "SIGTERM");
}

Loop loop_from(const Options& options, unsigned default_iterations, unsigned default_warmup) {
  return {.warmup = options.warmup.value_or(default_warmup),
          .iterations = options.iterations.value_or(default_iterations),
          .seconds = options.seconds.value_or(0)};
}

std::vector<double> measure(const Loop& loop, const std::function<double()>& once, const std::function<void()>& before_last) {
  for (unsigned i = 0; i < loop.warmup; ++i) {
    check_interrupted();
    once();
  }
  std::vector<double> samples;
  const double begin = now_seconds();
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
    if (stop) return samples;
  }
}

}  // namespace clusterc::harness
