#include "harness/nvml.h"

#include "base/format.h"

namespace clusterc::harness {

std::optional<Nvml> Nvml::open(std::string& why, const char* library_name) {
  auto library = Library::open({library_name}, why);
  if (!library) return std::nullopt;
  auto* init = library->symbol<int()>("nvmlInit_v2");
  if (!init) {
    why = format("{} has no nvmlInit_v2", library_name);
    return std::nullopt;
  }
  if (const int status = init(); status != kSuccess) {
    auto* text = library->symbol<const char*(int)>("nvmlErrorString");
    why = format("nvmlInit_v2: {}", text ? text(status) : "failed");
    return std::nullopt;
  }
  return Nvml(*library);
}

NvmlDevice* Nvml::device(const std::string& uuid) const {
  constexpr std::size_t kPrefix = 4;  // "GPU-"
  const char* const name = "nvmlDeviceGetHandleByUUID";
  if (const auto found = get<NvmlDevice*>(name, uuid.c_str())) return *found;
  if (!uuid.starts_with("GPU-")) return nullptr;
  const std::string slice = "MIG-" + uuid.substr(kPrefix);
  return get<NvmlDevice*>(name, slice.c_str()).value_or(nullptr);
}

void Nvml::shutdown() const {
  if (auto* function = library_.symbol<int()>("nvmlShutdown")) function();
}

}  // namespace clusterc::harness
