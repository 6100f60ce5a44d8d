#include "catalog/parts.h"

#include "base/format.h"

namespace clusterc {

void divide_among_devices(GpuPart& g) {
  const auto devices = static_cast<double>(g.devices.value_or(1));
  const auto divide = [&](auto&... facts) {
    (..., (facts ? void(facts.value = facts.value.value() / devices) : void()));
  };
  divide(g.tdp, g.power_min, g.power_max, g.transient, g.memory, g.memory_bandwidth);
  divide(g.fp64, g.fp64_tensor, g.fp32, g.tf32, g.bf16, g.fp8, g.fp4);
}

bool PcieSlot::from_text(std::string_view text, PcieSlot& out, std::string& error) {
  if (text.empty() || text.find(' ') != text.npos) {
    error = format("a slot names its device, such as gpus[0] or nics.data; '{}' does not", text);
    return false;
  }
  out.device.value = std::string(text);
  return true;
}

bool ServerPart::from_text(std::string_view text, ServerPart& out, std::string& error) {
  if (text.empty() || text.find(' ') != text.npos) {
    error = format("a server is named by its catalogue part; '{}' is no name", text);
    return false;
  }
  out.like.value = std::string(text);
  return true;
}

}  // namespace clusterc
