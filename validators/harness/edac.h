// Errors of the memory that the hardware corrected, or found and could not: the kernel's EDAC counters
// (Documentation/admin-guide/ras.rst).
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace clusterc::harness {

struct EdacCounters {
  std::uint64_t corrected = 0, uncorrected = 0;
  std::vector<std::pair<std::string, std::uint64_t>> modules;  // "CPU_SrcID#0_MC#1_Chan#0_DIMM#0": both kinds together
};
// nullopt: the kernel watches no memory controller here (none with ECC, no driver, a virtual machine).
std::optional<EdacCounters> read_edac(const std::filesystem::path& root = "/");

// Modules whose counters rose, "LABEL (2 errors)", joined; empty: none.
std::string risen_modules(const EdacCounters& before, const EdacCounters& after);

}  // namespace clusterc::harness
