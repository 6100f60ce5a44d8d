// NVIDIA's management library, loaded at run time through declarations of our own (the header is not on every build
// machine). NVML API reference: the functions that are called here and in the probe have kept their signatures since
// driver 418.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "harness/library.h"

namespace clusterc::harness {

struct NvmlDevice;  // opaque

class Nvml {
 public:
  // nullopt: no library, or it did not start, with the reason in `why`. Never shut down by itself.
  static std::optional<Nvml> open(std::string& why, const char* library_name = "libnvidia-ml.so.1");
  void shutdown() const;

  // Calls that a driver does not have, or refuses for this device, leave the fact out.
  template <class T, class... Arguments>
  std::optional<T> get(const char* name, Arguments... arguments) const {
    auto* function = library_.symbol<int(Arguments..., T*)>(name);
    T value{};
    if (!function || function(arguments..., &value) != kSuccess) return std::nullopt;
    return value;
  }
  // For functions with several results, which are among the arguments. False: the driver has it not, or refuses.
  template <class... Arguments>
  bool call(const char* name, Arguments... arguments) const {
    auto* function = library_.symbol<int(Arguments...)>(name);
    return function && function(arguments...) == kSuccess;
  }
  // The handle of what CUDA calls `uuid` ("GPU-…", as gpu_device() writes it): a GPU, or the slice of one (MIG), whose
  // name NVML begins with "MIG-". nullptr: NVML does not know it.
  NvmlDevice* device(const std::string& uuid) const;
  template <class... Arguments>
  std::string text(const char* name, Arguments... arguments) const {
    auto* function = library_.symbol<int(Arguments..., char*, unsigned)>(name);
    std::array<char, 97> buffer{};  // one more than NVML's largest, NVML_DEVICE_UUID_V2_BUFFER_SIZE
    if (!function || function(arguments..., buffer.data(), static_cast<unsigned>(buffer.size() - 1)) != kSuccess)
      return {};
    return buffer.data();
  }

 private:
  static constexpr int kSuccess = 0;  // NVML_SUCCESS
  explicit Nvml(Library library) : library_(std::move(library)) {}
  Library library_;
};

}  // namespace clusterc::harness
