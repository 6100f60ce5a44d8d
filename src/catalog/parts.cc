#include "base/format.h"
#include "catalog/server_parts.h"

namespace clusterc {

void divide_among_devices(GpuPart& g) {
  const auto devices = static_cast<double>(g.devices.value_or(1));
  const auto divide = [&](auto&... facts) {
    (..., (facts ? void(facts.value = facts.value.value() / devices) : void()));
  };
  divide(g.tdp, g.power_min, g.power_max, g.transient, g.memory, g.memory_bandwidth);
  divide(g.fp64, g.fp64_tensor, g.fp32, g.tf32, g.bf16, g.fp8, g.fp4);
}

std::optional<PciId> PciId::parse(std::string_view text, std::string& error) {
  const auto digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); };
  bool good = text.size() == 9 && text[4] == ':';
  for (std::size_t i = 0; good && i < text.size(); ++i) good = i == 4 || digit(text[i]);
  if (!good) {
    error = format("a PCI id is vendor and device in four hexadecimal digits each, such as 10de:2330, not '{}'", text);
    return std::nullopt;
  }
  PciId id{std::string(text)};
  for (char& c : id.as_written)
    if (c >= 'A' && c <= 'F') c = static_cast<char>(c + 32);
  return id;
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
