// The machine as a measurement needs it: which processors we may use, which memory is near them, how large the caches
// are. Everything is read from /proc and /sys below `root`, which tests replace by a tree of their own.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace clusterc::harness {

// nullopt when it is not there or not readable: an absent fact.
std::optional<std::string> read_bytes(const std::filesystem::path&);
// Without trailing line ends, blanks and zeros.
std::optional<std::string> read_text(const std::filesystem::path&);
std::optional<std::int64_t> read_number(const std::filesystem::path&);

// "0-3,8,10-11", the kernel's list format.
std::set<int> parse_cpu_list(std::string_view text);

std::set<int> allowed_cpus();  // sched_getaffinity
std::string host_name();
std::string cpu_model(const std::filesystem::path& root = "/");

struct NumaNode {
  int id = 0;
  std::vector<int> cpus;           // allowed ones, one hardware thread of each core
  std::uint64_t llc_bytes = 0;     // all last-level caches of the node together
  std::uint64_t memory_bytes = 0;  // 0: unknown
};

// Nodes that have at least one allowed processor; one node of all processors where the kernel has no NUMA.
std::vector<NumaNode> numa_nodes(const std::set<int>& allowed, const std::filesystem::path& root = "/");

std::uint64_t available_memory(const std::filesystem::path& root = "/");  // MemAvailable, bytes; 0: unknown

}  // namespace clusterc::harness
