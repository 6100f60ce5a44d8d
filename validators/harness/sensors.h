// Clocks, temperatures, power, what holds the clocks back and memory errors of GPUs, through NVML; and a trace of them
// while something runs.
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "harness/nvml.h"
#include "harness/report.h"

namespace clusterc::harness {

struct SensorReading {
  std::optional<double> clock, temperature, power;  // Hz, the median; C, the hottest; W, of all together
};

// At most `most` of the values, evenly taken, as text: "3100 3100 2950".
std::string trace_text(const std::vector<double>& values, std::size_t most = 60);

// Readings as the record has them: clock_trace_mhz, temperature_trace_c, power_trace_w; those that nobody gave are left
// out.
class SensorTrace {
 public:
  void add(const SensorReading&);
  std::vector<std::pair<std::string, Parameter>> parameters() const;

 private:
  std::vector<double> clocks_, temperatures_, powers_;
};

// "hardware thermal slowdown, power cap": what the bits of nvmlDeviceGetCurrentClocksEventReasons say (NVML API
// reference, nvmlClocksEventReasons).
std::string reasons_text(std::uint64_t bits);
// Of them what a healthy GPU under load does not show: thermal slowdown by hardware or driver, power brake, hardware
// slowdown.
inline constexpr std::uint64_t kHeldBack = 0x8 | 0x20 | 0x40 | 0x80;
inline constexpr double kMostHeldBack = 0.1;  // of the readings; more is a finding

class GpuSensors {
 public:
  struct Name {
    std::string name, uuid;  // "gpu3", and as NVML knows it
  };
  // `why`: what opening NVML said where `nvml` is empty; nothing is read then. GPUs that NVML does not know (slices of
  // one) are left out.
  GpuSensors(std::optional<Nvml> nvml, std::string why, const std::vector<Name>&);
  ~GpuSensors();
  GpuSensors(const GpuSensors&) = delete;
  GpuSensors& operator=(const GpuSensors&) = delete;

  void restart();  // what was seen is forgotten, memory errors count from here
  SensorReading read();
  // Since the beginning, or the last restart:
  std::string slowed() const;  // who was held back, and by what; empty: nobody
  struct Errors {
    std::uint64_t count = 0;
    std::string text;
  };
  Errors uncorrected() const;  // of memory: "gpu3: 2 memory errors that could not be corrected"
  std::vector<std::pair<std::string, Parameter>> parameters()
      const;  // clock_reasons, ecc_corrected, ecc_uncorrected, power_limit_w, remapped_rows; or nvml: why there are
              // none

  // Rows of memory that spare ones stand in for (nvmlDeviceGetRemappedRows; since A100), for errors that were corrected
  // and that were not; whether a row waits for a reset of the GPU to be replaced, and whether a replacement failed.
  struct Rows {
    unsigned corrected = 0, uncorrected = 0, pending = 0, failed = 0;
  };
  // What speaks against the memory, whoever has caused it: rows that were replaced meanwhile, that wait, or that could
  // not be replaced. "gpu3: a row waits for a reset to be replaced"; empty: nothing.
  std::string rows_text() const;

 private:
  struct Gpu {
    std::string name;
    NvmlDevice* device = nullptr;
    std::uint64_t reasons = 0, held_back = 0;  // seen at all; of those that hold back
    std::uint64_t readings = 0, times_held_back = 0;
    std::optional<unsigned long long> corrected, uncorrected;  // memory errors at the beginning
    std::optional<Rows> rows;
  };
  std::optional<Rows> rows(const Gpu&) const;
  std::optional<unsigned long long> errors(const Gpu&, int kind) const;

  std::optional<Nvml> nvml_;
  std::string why_;
  std::vector<Gpu> gpus_;
};

// Reads the sensors again and again in a thread of its own, as long as it lives: first at once, last when it is told to
// finish.
class SensorWatch {
 public:
  static constexpr double kEvery =
      0.2;  // seconds; power is NVML's mean of about as long (NVML API reference, nvmlDeviceGetPowerUsage)
  explicit SensorWatch(GpuSensors&, double every = kEvery);
  ~SensorWatch() { finish(); }
  const SensorTrace& finish();

 private:
  GpuSensors& sensors_;
  SensorTrace trace_;
  std::atomic<bool> over_{false};
  std::thread thread_;
};

}  // namespace clusterc::harness
