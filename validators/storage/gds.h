// GPUDirect Storage: what a node needs for it, and what shows that transfers took the direct way. cuFile goes through
// the host's memory without a word where it may (docs.nvidia.com/gpudirect-storage, API reference, "cuFile
// Compatibility Mode").
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace clusterc::storage {

struct GdsParts {
  std::string gpus;     // as fio takes them: "0:1:2:3"
  std::string missing;  // what is not there, in words; empty: nothing
};
// `gpus`: those that somebody names; else all that the driver lists under root/proc. `library`: cuFile's, which is
// opened and left.
GdsParts look_for_gds(const std::filesystem::path& root, const std::string& gpus, const std::string& library,
                      std::string_view enghelp);

// Of /proc/driver/nvidia-fs/stats: what the kernel's part has carried since it was loaded (GPUDirect Storage
// troubleshooting guide, "Displaying GDS NVIDIA FS Driver Statistics"). nullopt where it is not loaded or does not
// count (IO stats: Disabled).
struct NvidiaFs {
  double read = 0, written = 0;  // bytes
};
std::optional<NvidiaFs> parse_nvidia_fs(std::string_view stats);

// Who shows that `moved` bytes went directly: "nvidia-fs" counted nine tenths of them at least; "cuFile" took the files
// with its compatibility mode forbidden, and nobody counts; "nobody": nvidia-fs counts, and did not see them (the
// kernel's own peer-to-peer transfers are not seen, nor is what went through the host).
const char* shown_by(const std::optional<double>& counted, double moved);

// What cuFile said when it refused a file or its driver, from fio's standard error; empty: nothing of the kind.
std::string cufile_refusal(std::string_view text);

}  // namespace clusterc::storage
