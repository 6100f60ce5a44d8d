#include "burn/gpus.h"

#include "harness/deadline.h"

namespace clusterc::burn {
using namespace harness;
namespace {

std::vector<GpuSensors::Name> names_of(const std::vector<Place>& places) {
  std::vector<GpuSensors::Name> out;
  for (const Place& place : places) out.push_back({place.name(), place.uuid});
  return out;
}

}  // namespace

GpuWatch::GpuWatch(std::optional<Nvml> nvml, std::string why, const std::vector<Place>& places)
    : sensors_(std::move(nvml), std::move(why), names_of(places)) {}

std::unique_ptr<GpuWatch> watch_gpus(const std::vector<Place>& places, double seconds, Reporter& report,
                                     const char* library) {
  TextPulse pulse;
  pulse.doing("opening NVML");
  const Deadline deadline(pulse, seconds, report);
  std::string why;
  auto nvml = Nvml::open(why, library);
  pulse.doing("asking NVML for the GPUs");
  return std::make_unique<GpuWatch>(std::move(nvml), why, places);
}

}  // namespace clusterc::burn
