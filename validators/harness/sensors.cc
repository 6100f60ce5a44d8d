#include "harness/sensors.h"

#include <algorithm>
#include <chrono>

#include "base/format.h"
#include "harness/loop.h"
#include "harness/statistics.h"
#include "harness/team.h"

namespace clusterc::harness {
namespace {

// NVML API reference: NVML_CLOCK_SM, NVML_TEMPERATURE_GPU, NVML_VOLATILE_ECC, NVML_MEMORY_ERROR_TYPE_CORRECTED and
// _UNCORRECTED.
constexpr int kClockSm = 1, kTemperatureGpu = 0, kVolatile = 0, kCorrected = 0, kUncorrected = 1;
constexpr std::pair<std::uint64_t, const char*> kReasons[] = {{0x1, "idle"},
                                                              {0x2, "application clocks"},
                                                              {0x4, "power cap"},
                                                              {0x8, "hardware slowdown"},
                                                              {0x10, "sync boost"},
                                                              {0x20, "software thermal slowdown"},
                                                              {0x40, "hardware thermal slowdown"},
                                                              {0x80, "power brake"},
                                                              {0x100, "display clocks"}};

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

std::string trace_text(const std::vector<double>& values, std::size_t most) {
  std::string out;
  const std::size_t count = std::min(values.size(), most);
  for (std::size_t i = 0; i < count; ++i)
    out += format("{}{:.0f}", i > 0 ? " " : "", values[count < 2 ? 0 : i * (values.size() - 1) / (count - 1)]);
  return out;
}

void SensorTrace::add(const SensorReading& r) {
  if (r.clock) clocks_.push_back(*r.clock / 1e6);
  if (r.temperature) temperatures_.push_back(*r.temperature);
  if (r.power) powers_.push_back(*r.power);
}

std::vector<std::pair<std::string, Parameter>> SensorTrace::parameters() const {
  std::vector<std::pair<std::string, Parameter>> out;
  for (const auto& [name, values] :
       {std::pair("clock_trace_mhz", &clocks_), {"temperature_trace_c", &temperatures_}, {"power_trace_w", &powers_}})
    if (!values->empty()) out.emplace_back(name, trace_text(*values));
  return out;
}

GpuSensors::GpuSensors(std::optional<Nvml> nvml, std::string why, const std::vector<Name>& names)
    : nvml_(std::move(nvml)), why_(std::move(why)) {
  if (!nvml_) return;
  for (const Name& name : names) {
    NvmlDevice* const device = nvml_->device(name.uuid);
    if (!device) continue;
    Gpu gpu{.name = name.name, .device = device, .corrected = {}, .uncorrected = {}};
    gpus_.push_back(std::move(gpu));
  }
  restart();
}
GpuSensors::~GpuSensors() {
  if (nvml_) nvml_->shutdown();
}

void GpuSensors::restart() {
  for (Gpu& gpu : gpus_) {
    gpu.reasons = gpu.held_back = gpu.readings = gpu.times_held_back = 0;
    gpu.corrected = errors(gpu, kCorrected);
    gpu.uncorrected = errors(gpu, kUncorrected);
    gpu.rows = rows(gpu);
  }
}

std::optional<GpuSensors::Rows> GpuSensors::rows(const Gpu& gpu) const {
  Rows out;
  if (!nvml_->call("nvmlDeviceGetRemappedRows", gpu.device, &out.corrected, &out.uncorrected, &out.pending,
                   &out.failed))
    return std::nullopt;
  return out;
}

std::string GpuSensors::rows_text() const {
  std::string out;
  for (const Gpu& gpu : gpus_) {
    const std::optional<Rows> now = rows(gpu);
    if (!now) continue;
    const auto add = [&](std::string_view what) { out += format("{}{}: {}", out.empty() ? "" : "; ", gpu.name, what); };
    if (gpu.rows && now->corrected + now->uncorrected > gpu.rows->corrected + gpu.rows->uncorrected)
      add(format("{} rows of memory were replaced",
                 now->corrected + now->uncorrected - gpu.rows->corrected - gpu.rows->uncorrected));
    if (now->pending != 0) add("a row of memory waits for a reset of the GPU to be replaced");
    if (now->failed != 0) add("a row of memory could not be replaced");
  }
  return out;
}

std::optional<unsigned long long> GpuSensors::errors(const Gpu& gpu, int kind) const {
  return nvml_->get<unsigned long long>("nvmlDeviceGetTotalEccErrors", gpu.device, kind, kVolatile);
}

SensorReading GpuSensors::read() {
  SensorReading out;
  std::vector<double> clocks;
  for (Gpu& gpu : gpus_) {
    if (const auto mhz = nvml_->get<unsigned>("nvmlDeviceGetClockInfo", gpu.device, kClockSm))
      clocks.push_back(*mhz * 1e6);
    if (const auto celsius = nvml_->get<unsigned>("nvmlDeviceGetTemperature", gpu.device, kTemperatureGpu))
      out.temperature = std::max(out.temperature.value_or(-273), static_cast<double>(*celsius));
    if (const auto milliwatts = nvml_->get<unsigned>("nvmlDeviceGetPowerUsage", gpu.device))
      out.power = out.power.value_or(0) + *milliwatts * 1e-3;
    auto reasons = nvml_->get<unsigned long long>("nvmlDeviceGetCurrentClocksEventReasons", gpu.device);
    if (!reasons)
      reasons = nvml_->get<unsigned long long>("nvmlDeviceGetCurrentClocksThrottleReasons",
                                               gpu.device);  // its name before driver 535
    if (!reasons) continue;
    ++gpu.readings;
    gpu.reasons |= *reasons;
    gpu.held_back |= *reasons & kHeldBack;
    gpu.times_held_back += (*reasons & kHeldBack) != 0;
  }
  if (!clocks.empty()) out.clock = summarise(clocks).median;
  return out;
}

std::string GpuSensors::slowed() const {
  std::string out;
  for (const Gpu& gpu : gpus_) {
    if (static_cast<double>(gpu.times_held_back) > kMostHeldBack * static_cast<double>(gpu.readings)) {
      out += format("{}{} was held back by {} in {} of {} readings", out.empty() ? "" : ", ", gpu.name,
                    reasons_text(gpu.held_back), gpu.times_held_back, gpu.readings);
    }
  }
  return out;
}

GpuSensors::Errors GpuSensors::uncorrected() const {
  Errors out;
  for (const Gpu& gpu : gpus_) {
    const auto now = errors(gpu, kUncorrected);
    if (!now || !gpu.uncorrected || *now <= *gpu.uncorrected) continue;
    const std::uint64_t rise = *now - *gpu.uncorrected;
    out.count += rise;
    out.text += format("{}{}: {} memory error{} that could not be corrected", out.text.empty() ? "" : "; ", gpu.name,
                       rise, rise == 1 ? "" : "s");
  }
  return out;
}

std::vector<std::pair<std::string, Parameter>> GpuSensors::parameters() const {
  if (!nvml_) return {{"nvml", why_}};
  std::string reasons;
  std::optional<std::uint64_t> corrected, uncorrected, remapped;
  std::optional<double> limit;  // W
  for (const Gpu& gpu : gpus_) {
    if (gpu.reasons != 0)
      reasons += format("{}{}: {}", reasons.empty() ? "" : "; ", gpu.name, reasons_text(gpu.reasons));
    const auto rise = [&](std::optional<std::uint64_t>& sum, std::optional<unsigned long long> before, int kind) {
      if (const auto now = errors(gpu, kind); now && before) sum = sum.value_or(0) + (*now - std::min(*before, *now));
    };
    rise(corrected, gpu.corrected, kCorrected);
    rise(uncorrected, gpu.uncorrected, kUncorrected);
    if (const auto milliwatts = nvml_->get<unsigned>("nvmlDeviceGetEnforcedPowerLimit", gpu.device))
      limit = limit.value_or(0) + *milliwatts * 1e-3;
    if (const auto now = rows(gpu)) remapped = remapped.value_or(0) + now->corrected + now->uncorrected;
  }
  std::vector<std::pair<std::string, Parameter>> out;
  if (!reasons.empty()) out.emplace_back("clock_reasons", reasons);
  if (corrected) out.emplace_back("ecc_corrected", *corrected);
  if (uncorrected) out.emplace_back("ecc_uncorrected", *uncorrected);
  if (limit) out.emplace_back("power_limit_w", *limit);
  if (remapped) out.emplace_back("remapped_rows", *remapped);
  return out;
}

SensorWatch::SensorWatch(GpuSensors& sensors, double every) : sensors_(sensors) {
  thread_ = start_thread(
      [this, every] {
        double next = now_seconds();
        for (;;) {
          const bool last = over_;
          trace_.add(sensors_.read());
          if (last) return;
          next += every;
          while (!over_ && now_seconds() < next) std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
      },
      "the thread that reads the sensors");
}

const SensorTrace& SensorWatch::finish() {
  over_ = true;
  if (thread_.joinable()) thread_.join();
  return trace_;
}

}  // namespace clusterc::harness
