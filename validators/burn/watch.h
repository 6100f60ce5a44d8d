// Who is slow, from what each worker did: and the clocks, temperatures and power of the machine meanwhile.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace clusterc::burn {

struct Work {                  // of one worker over a run
  std::string name;            // "processor 5", "gpu3"
  double rounds_a_second = 0;  // of wall time
  double processor_share = 0;  // of one processor's time that it got
};
// A worker is slow that got less than this of its processor, or does less than this of the median in the processor time
// that it got. Processors of one kind differ by a few percent in clock; what is throttled or shared loses a fifth and
// more.
inline constexpr double kSlowShare = 0.8;
// "processor 5 got 0.31 of its time", "processor 7 does 0.62 of the median"; the slowest first, at most eight, then how
// many more. Empty: nobody.
std::string slow_workers(const std::vector<Work>&);

// Median of the last fifth over that of the first; nullopt below 10 intervals.
std::optional<double> drift_of(const std::vector<double>& rates);
inline constexpr double kMostDrift = 0.9;

struct Sensors {
  std::optional<double> clock;  // Hz, median of the processors given: cpufreq's scaling_cur_freq
                                // (Documentation/admin-guide/pm/cpufreq.rst)
  std::optional<double>
      temperature;  // C, the hottest of the processors' own sensors (Documentation/hwmon/sysfs-interface.rst)
  std::optional<double> energy;  // J since some time, all packages: powercap
                                 // (Documentation/power/powercap/powercap.rst); root alone reads it
};
Sensors read_sensors(const std::vector<int>& cpus, const std::filesystem::path& root = "/");

}  // namespace clusterc::burn
