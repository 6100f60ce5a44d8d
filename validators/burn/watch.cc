#include "burn/watch.h"

#include <algorithm>

#include "base/format.h"
#include "harness/machine.h"
#include "harness/statistics.h"

namespace clusterc::burn {
namespace fs = std::filesystem;
using namespace harness;

std::string slow_workers(const std::vector<Work>& workers) {
  std::vector<double> speeds;  // in the processor time that each got
  for (const Work& w : workers)
    if (w.processor_share > 0) speeds.push_back(w.rounds_a_second / w.processor_share);
  const double median = speeds.empty() ? 0 : summarise(speeds).median;
  struct Slow {
    double share;
    std::string text;
  };
  std::vector<Slow> slow;
  for (const Work& w : workers) {
    const double speed = w.processor_share > 0 && median > 0 ? w.rounds_a_second / w.processor_share / median : 0;
    if (w.processor_share < kSlowShare)
      slow.push_back({w.processor_share, format("{} got {:.2f} of its time", w.name, w.processor_share)});
    else if (speed < kSlowShare)
      slow.push_back({speed, format("{} does {:.2f} of the median", w.name, speed)});
  }
  std::stable_sort(slow.begin(), slow.end(), [](const Slow& a, const Slow& b) { return a.share < b.share; });
  constexpr std::size_t kMost = 8;
  std::string out;
  for (std::size_t i = 0; i < slow.size() && i < kMost; ++i) out += format("{}{}", i > 0 ? ", " : "", slow[i].text);
  if (slow.size() > kMost) out += format(" and {} more", slow.size() - kMost);
  return out;
}

std::optional<double> drift_of(const std::vector<double>& rates) {
  if (rates.size() < 10) return std::nullopt;
  const auto fifth = static_cast<std::ptrdiff_t>(rates.size() / 5);
  const double first = summarise({rates.begin(), rates.begin() + fifth}).median,
               last = summarise({rates.end() - fifth, rates.end()}).median;
  return first > 0 ? std::optional(last / first) : std::nullopt;
}

Sensors read_sensors(const std::vector<int>& cpus, const fs::path& root) {
  Sensors out;
  std::vector<double> clocks;
  for (const int cpu : cpus)
    if (const auto khz = read_number(root / format("sys/devices/system/cpu/cpu{}/cpufreq/scaling_cur_freq", cpu)))
      clocks.push_back(static_cast<double>(*khz) * 1e3);
  if (!clocks.empty()) out.clock = summarise(clocks).median;
  std::error_code failed;
  for (fs::directory_iterator at(root / "sys/class/hwmon", failed), end; !failed && at != end; at.increment(failed)) {
    const std::string name = read_text(at->path() / "name").value_or("");
    if (name != "coretemp" && name != "k10temp" && name != "zenpower") continue;  // those of processors
    for (int i = 1; i < 256; ++i) {
      const auto milli = read_number(at->path() / format("temp{}_input", i));
      if (!milli) {
        if (i > 16 || !fs::exists(at->path() / format("temp{}_input", i + 1))) break;
        continue;
      }
      out.temperature = std::max(out.temperature.value_or(-273), static_cast<double>(*milli) / 1000);
    }
  }
  failed.clear();
  for (fs::directory_iterator at(root / "sys/class/powercap", failed), end; !failed && at != end;
       at.increment(failed)) {
    // "intel-rapl:0" is a package, "intel-rapl:0:0" a part of it.
    const std::string name = at->path().filename().string();
    if (!name.starts_with("intel-rapl:") || std::count(name.begin(), name.end(), ':') != 1) continue;
    if (const auto micro = read_number(at->path() / "energy_uj"))
      out.energy = out.energy.value_or(0) + static_cast<double>(*micro) * 1e-6;
  }
  return out;
}

}  // namespace clusterc::burn
