// Values of Slurm's files as a spec has them.
#pragma once
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace clusterc {

struct SlurmMemory {
  std::string modules;  // "16 x 64 GiB"
  std::string comment;
  bool fits = true;  // RealMemory is less than the modules hold
};

// RealMemory is what slurmd reports, less than is fitted; clusterc compiles 1/32 less than is fitted
// (model/node_memory.h). The smallest usual set of equal modules that holds it with at most 4 % more.
SlurmMemory slurm_memory(std::int64_t mib);

// "nvidia_a100-sxm4-80gb" -> a100, sxm4, 80: without brands.
std::set<std::string, std::less<>> slurm_type_words(std::string_view);

// Slurm's times: minutes, minutes:seconds, hours:minutes:seconds, days-hours, days-hours:minutes …; nullopt: no limit,
// or none that can be read.
std::optional<std::int64_t> slurm_minutes(std::string_view);

}  // namespace clusterc
