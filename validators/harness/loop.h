// The one measurement loop: warm-up, then timed repetitions, by number or by time.
#pragma once
#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "harness/options.h"
#include "harness/pulse.h"

namespace clusterc::harness {

struct Loop {
  unsigned warmup = 2;
  unsigned iterations = 20;
  std::string what = {};                        // for lines of progress: "memory.triad on numa0"; empty: none
  double seconds = 0;                           // > 0: as many iterations as last that long, at least kFewest
  static constexpr unsigned kFewest = 5;        // fewer than five samples have no quantiles worth the name
  static constexpr unsigned kMost = 1'000'000;  // bounds the memory for samples
};

// `what` is named in lines of progress, where the options ask for them.
Loop loop_from(const Options&, unsigned default_iterations, unsigned default_warmup, std::string what = {});

// `once` does the operation one time and returns its seconds. `before_last` runs ahead of the last timed repetition,
// outside the timing: there the outputs are poisoned again, so that what is checked afterwards was written by a timed
// repetition.
std::vector<double> measure(const Loop&, const std::function<double()>& once, const std::function<void()>& before_last);

// What the run is at, for who watches over it: every loop and each of its repetitions counts, and what else may wait
// for a driver is named here.
void stage(std::string what);
const Pulse& run_pulse();

// SIGINT and SIGTERM ask for a clean end: the loops throw CouldNotRun(interrupted) between repetitions.
void catch_signals();
void check_interrupted();
const std::atomic<bool>& interrupted();  // the same as a flag, for what may not throw

// One line on standard error at most every five seconds: how far a long run is.
class Progress {
 public:
  explicit Progress(std::string what);  // empty: says nothing
  void at(std::size_t done, std::size_t of, double seconds,
          double seconds_of);  // `of` of 0: it is the seconds that end it

 private:
  static constexpr double kEvery = 5;
  std::string what_;
  double last_;
};

// Monotonic seconds.
inline double now_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace clusterc::harness
