// The sensors of the GPUs that are burned (harness/sensors.h).
#pragma once
#include <memory>

#include "burn/backend.h"

namespace clusterc::burn {

class GpuWatch final : public Watch {
 public:
  GpuWatch(std::optional<harness::Nvml> nvml, std::string why, const std::vector<Place>&);
  Reading read(double) override { return sensors_.read(); }
  std::string slowed() const override { return sensors_.slowed(); }
  std::vector<std::pair<std::string, harness::Parameter>> parameters() const override { return sensors_.parameters(); }
  Errors uncorrected() const override { return sensors_.uncorrected(); }

 private:
  harness::GpuSensors sensors_;
};

// Opens NVML, which a driver that hangs never answers: then the run ends after `seconds` with a record
// (harness/deadline.h).
std::unique_ptr<GpuWatch> watch_gpus(const std::vector<Place>&, double seconds, harness::Reporter&,
                                     const char* library = "libnvidia-ml.so.1");

}  // namespace clusterc::burn
