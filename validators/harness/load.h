// How much of the processors other work used while we measured: from the kernel's own accounting, less what we used
// ourselves. (gpu-side contention is the CUDA back end's business.)
#pragma once
#include <cstdint>
#include <optional>
#include <set>
#include <string_view>

namespace clusterc::harness {

// Above this share of the allowed processors' time the machine counts as busy. A machine at rest shows 0 to 3.5 %
// (daemons and the 10 ms granularity of the counters); one foreign thread on a node of 8 cores is 12.5 %. README.md has
// what was measured.
inline constexpr double kBusyShare = 0.10;
// Shorter windows hold too few 10 ms ticks to tell 10 % from nothing.
inline constexpr double kShortestWindow = 0.2;

struct ProcessorTimes {
  std::uint64_t busy = 0;   // ticks in user, nice, system and steal
  std::uint64_t total = 0;  // all ticks
};

// Sums the `cpuN` lines of /proc/stat over `cpus`. Interrupt time counts as neither ours nor others': network traffic
// of our own causes it. Steal is work of another guest: other work. proc_stat(5).
ProcessorTimes parse_proc_stat(std::string_view text, const std::set<int>& cpus);

// The share of the window that was not ours. `own_seconds`: processor time of this process (or of all ranks on this
// machine).
std::optional<double> other_share(ProcessorTimes before, ProcessorTimes after, double ticks_per_second,
                                  double own_seconds);

class LoadMeter {
 public:
  LoadMeter();  // of the processors that this process may use
  explicit LoadMeter(std::set<int> cpus);
  void start();
  // Since start(). `own_seconds`: nullopt means this process alone.
  std::optional<double> share(std::optional<double> own_seconds = std::nullopt) const;
  double own_seconds() const;  // processor time of this process since start()

 private:
  ProcessorTimes now() const;
  std::set<int> cpus_;
  double ticks_per_second_;
  ProcessorTimes before_;
  double own_before_ = 0;
};

// Looks for `seconds` while we do nothing.
std::optional<double> load_at_rest(double seconds);

}  // namespace clusterc::harness
