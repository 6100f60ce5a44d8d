#include "burn/gpus.h"

#include <algorithm>

#include "base/format.h"
#include "harness/deadline.h"
#include "harness/statistics.h"

namespace clusterc::burn {
using namespace harness;
namespace {

// NVML API reference: NVML_CLOCK_SM, NVML_TEMPERATURE_GPU, NVML_VOLATILE_ECC, NVML_MEMORY_ERROR_TYPE_CORRECTED and _UNCORRECTED.
constexpr int kClockSm = 1, kTemperatureGpu = 0, kVolatile = 0, kCorrected = 0, kUncorrected = 1;
constexpr std::pair<std::uint64_t, const char*> kReasons[] = {
    {0x1, "idle"}, {0x2, "application clocks"}, {0x4, "power cap"}, {0x8, "hardware slowdown"}, {0x10, "sync boost"},
    {0x20, "software thermal slowdown"}, {0x40, "hardware thermal slowdown"}, {0x80, "power brake"}, {0x100, "display clocks"}};

}  // namespace

std::string reasons_text(std::uint64_t bits) {
  std::string out;
  for (const auto& [bit, name] : kReasons) {
    if (bits & bit) out += format("{}{}", out.empty() ? "" : ", ", name);
    bits &= ~bit;
  }
  if (bits != 0) out += format("{}0x{:x}", out.empty() ? "" : ", ", bits);
  return out;
}

GpuWatch::GpuWatch(std::optional<Nvml> nvml, std::string why, const std::vector<Place>& places) : nvml_(std::move(nvml)), why_(std::move(why)) {
  if (!nvml_) return;
  for (const Place& place : places) {
    const auto device = nvml_->get<NvmlDevice*>("nvmlDeviceGetHandleByUUID", place.uuid.c_str());
    if (!device) continue;
    Gpu gpu{.name = place.name(), .device = *device, .corrected = {}, .uncorrected = {}};
    gpu.corrected = errors(gpu, kCorrected);
    gpu.uncorrected = errors(gpu, kUncorrected);
    gpus_.push_back(std::move(gpu));
  }
}
GpuWatch::~GpuWatch() {
  if (nvml_) nvml_->shutdown();
}

std::optional<unsigned long long> GpuWatch::errors(const Gpu& gpu, int kind) const { return nvml_->get<unsigned long long>("nvmlDeviceGetTotalEccErrors", gpu.device, kind, kVolatile); }

Reading GpuWatch::read(double) {
  Reading out;
  std::vector<double> clocks;
  for (Gpu& gpu : gpus_) {
    if (const auto mhz = nvml_->get<unsigned>("nvmlDeviceGetClockInfo", gpu.device, kClockSm)) clocks.push_back(*mhz * 1e6);
    if (const auto celsius = nvml_->get<unsigned>("nvmlDeviceGetTemperature", gpu.device, kTemperatureGpu)) out.temperature = std::max(out.temperature.value_or(-273), static_cast<double>(*celsius));
    if (const auto milliwatts = nvml_->get<unsigned>("nvmlDeviceGetPowerUsage", gpu.device)) out.power = out.power.value_or(0) + *milliwatts * 1e-3;
    auto reasons = nvml_->get<unsigned long long>("nvmlDeviceGetCurrentClocksEventReasons", gpu.device);
    if (!reasons) reasons = nvml_->get<unsigned long long>("nvmlDeviceGetCurrentClocksThrottleReasons", gpu.device);   // its name before driver 535
    if (!reasons) continue;
    ++gpu.readings;
    gpu.reasons |= *reasons;
    gpu.held_back |= *reasons & kHeldBack;
    gpu.times_held_back += (*reasons & kHeldBack) != 0;
  }
  if (!clocks.empty()) out.clock = summarise(clocks).median;
  return out;
}

std::string GpuWatch::slowed() const {
  std::string out;
  for (const Gpu& gpu : gpus_) {
    if (static_cast<double>(gpu.times_held_back) > kMostHeldBack * static_cast<double>(gpu.readings)) {
      out += format("{}{} was held back by {} in {} of {} readings", out.empty() ? "" : ", ", gpu.name, reasons_text(gpu.held_back), gpu.times_held_back, gpu.readings);
    }
  }
  return out;
}

Watch::Errors GpuWatch::uncorrected() const {
  Errors out;
  for (const Gpu& gpu : gpus_) {
    const auto now = errors(gpu, kUncorrected);
    if (!now || !gpu.uncorrected || *now <= *gpu.uncorrected) continue;
    const std::uint64_t rise = *now - *gpu.uncorrected;
    out.count += rise;
    out.text += format("{}{}: {} memory error{} that could not be corrected", out.text.empty() ? "" : "; ", gpu.name, rise, rise == 1 ? "" : "s");
  }
  return out;
}

std::unique_ptr<GpuWatch> watch_gpus(const std::vector<Place>& places, double seconds, Reporter& report, const char* library) {
  TextPulse pulse;
  pulse.doing("opening NVML");
  const Deadline deadline(pulse, seconds, report);
  std::string why;
  auto nvml = Nvml::open(why, library);
  pulse.doing("asking NVML for the GPUs");
  return std::make_unique<GpuWatch>(std::move(nvml), why, places);
}

std::vector<std::pair<std::string, Parameter>> GpuWatch::parameters() const {
  if (!nvml_) return {{"nvml", why_}};
  std::string reasons;
  std::optional<std::uint64_t> corrected, uncorrected;
  for (const Gpu& gpu : gpus_) {
    if (gpu.reasons != 0) reasons += format("{}{}: {}", reasons.empty() ? "" : "; ", gpu.name, reasons_text(gpu.reasons));
    const auto rise = [&](std::optional<std::uint64_t>& sum, std::optional<unsigned long long> before, int kind) {
      if (const auto now = errors(gpu, kind); now && before) sum = sum.value_or(0) + (*now - std::min(*before, *now));
    };
    rise(corrected, gpu.corrected, kCorrected);
    rise(uncorrected, gpu.uncorrected, kUncorrected);
  }
  std::vector<std::pair<std::string, Parameter>> out;
  if (!reasons.empty()) out.emplace_back("clock_reasons", reasons);
  if (corrected) out.emplace_back("ecc_corrected", *corrected);
  if (uncorrected) out.emplace_back("ecc_uncorrected", *uncorrected);
  return out;
}

}  // namespace clusterc::burn
