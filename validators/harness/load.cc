#include "harness/load.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <thread>

#include "harness/machine.h"

namespace clusterc::harness {
namespace {

double process_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

ProcessorTimes parse_proc_stat(std::string_view text, const std::set<int>& cpus) {
  ProcessorTimes sum;
  while (!text.empty()) {
    const auto line_end = text.find('\n');
    std::string_view line = text.substr(0, line_end);
    text.remove_prefix(line_end == std::string_view::npos ? text.size() : line_end + 1);
    if (!line.starts_with("cpu") || line.size() < 4 || line[3] < '0' || line[3] > '9') continue;
    const char* at = line.data() + 3;
    const char* const end = line.data() + line.size();
    int cpu = -1;
    at = std::from_chars(at, end, cpu).ptr;
    if (!cpus.contains(cpu)) continue;
    // user nice system idle iowait irq softirq steal (guest times are part of user and nice already)
    for (int column = 0; column < 8 && at != end; ++column) {
      while (at != end && *at == ' ') ++at;
      std::uint64_t ticks = 0;
      at = std::from_chars(at, end, ticks).ptr;
      sum.total += ticks;
      if (column <= 2 || column == 7) sum.busy += ticks;
    }
  }
  return sum;
}

std::optional<double> other_share(ProcessorTimes before, ProcessorTimes after, double ticks_per_second,
                                  double own_seconds) {
  if (after.total <= before.total) return std::nullopt;
  const double total = static_cast<double>(after.total - before.total) / ticks_per_second;
  const double busy = static_cast<double>(after.busy - std::min(before.busy, after.busy)) / ticks_per_second;
  return std::clamp((busy - own_seconds) / total, 0.0, 1.0);
}

LoadMeter::LoadMeter() : LoadMeter(allowed_cpus()) {}
LoadMeter::LoadMeter(std::set<int> cpus)
    : cpus_(std::move(cpus)), ticks_per_second_(static_cast<double>(sysconf(_SC_CLK_TCK))) {
  start();
}

ProcessorTimes LoadMeter::now() const {
  const auto text = read_text("/proc/stat");
  return text ? parse_proc_stat(*text, cpus_) : ProcessorTimes{};
}

void LoadMeter::start() {
  before_ = now();
  own_before_ = process_seconds();
}

double LoadMeter::own_seconds() const { return process_seconds() - own_before_; }

std::optional<double> LoadMeter::share(std::optional<double> own) const {
  const double mine = own ? *own : own_seconds();
  const ProcessorTimes after = now();
  const double window = static_cast<double>(after.total - std::min(before_.total, after.total)) / ticks_per_second_ /
                        static_cast<double>(std::max<std::size_t>(cpus_.size(), 1));
  if (window < kShortestWindow) return std::nullopt;
  return other_share(before_, after, ticks_per_second_, mine);
}

std::optional<double> load_at_rest(double seconds) {
  LoadMeter meter;
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  return meter.share();
}

}  // namespace clusterc::harness
