// Clocks, temperatures, power, what holds the clocks back and memory errors of GPUs, through NVML.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "burn/backend.h"
#include "harness/nvml.h"

namespace clusterc::burn {

// "hardware thermal slowdown, power cap": what the bits of nvmlDeviceGetCurrentClocksEventReasons say (NVML API reference, nvmlClocksEventReasons).
std::string reasons_text(std::uint64_t bits);
// Of them what a healthy GPU under load does not show: thermal slowdown by hardware or driver, power brake, hardware slowdown.
inline constexpr std::uint64_t kHeldBack = 0x8 | 0x20 | 0x40 | 0x80;
inline constexpr double kMostHeldBack = 0.1;   // of the readings; more is a finding

class GpuWatch final : public Watch {
 public:
  // `why`: what opening NVML said where `nvml` is empty; nothing is read then. GPUs that NVML does not know (slices of one) are left out.
  GpuWatch(std::optional<harness::Nvml> nvml, std::string why, const std::vector<Place>&);
  ~GpuWatch() override;
  Reading read(double seconds) override;
  std::string slowed() const override;
  std::vector<std::pair<std::string, harness::Parameter>> parameters() const override;
  Errors uncorrected() const override;

 private:
  struct Gpu {
    std::string name;
    harness::NvmlDevice* device = nullptr;
    std::uint64_t reasons = 0, held_back = 0;          // seen at all; of those that hold back
    std::uint64_t readings = 0, times_held_back = 0;
    std::optional<unsigned long long> corrected, uncorrected;   // memory errors at the beginning
  };
  std::optional<unsigned long long> errors(const Gpu&, int kind) const;

  std::optional<harness::Nvml> nvml_;
  std::string why_;
  std::vector<Gpu> gpus_;
};

// Opens NVML, which a driver that hangs never answers: then the run ends after `seconds` with a record (harness/deadline.h).
std::unique_ptr<GpuWatch> watch_gpus(const std::vector<Place>&, double seconds, harness::Reporter&, const char* library = "libnvidia-ml.so.1");

}  // namespace clusterc::burn
