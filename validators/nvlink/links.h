// The NVLinks of GPUs as NVML tells them: which are up, what is at their other end, what errors they counted.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/nvml.h"

namespace clusterc::nvlink {

enum class End : std::uint8_t { gpu, network, unknown };  // network: a switch, or what is no GPU of this machine

// NVML API reference, nvmlNvLinkErrorCounter_t, in its order.
inline constexpr std::array<const char*, 5> kCounters = {"replays", "recoveries", "CRC errors of flits",
                                                         "CRC errors of data", "ECC errors of data"};

struct Link {
  unsigned number = 0;
  bool up = false, carries_peers = true;  // memory accesses from GPU to GPU; true where the driver does not say
  End end = End::unknown;
  std::string address;  // of the other end: "00000000:17:00.0"; empty where the driver does not say
  std::array<std::optional<unsigned long long>, kCounters.size()> errors{};
};

struct GpuLinks {
  std::string unknown;  // why nothing is known of them; empty: `links` are all that the GPU has
  std::string address;
  std::vector<Link> links;
  unsigned up() const;
  bool counted() const;  // whether the driver tells any error counter
};

// Those of the GPUs with these UUIDs, in their order. `why`: what opening NVML said where it is empty.
std::vector<GpuLinks> read_links(const std::optional<harness::Nvml>&, const std::string& why,
                                 std::span<const std::string> uuids);

// How two GPUs reach each other.
enum class Join : std::uint8_t {
  all,      // over all links that either has up: through switches, or wired to each other alone
  part,     // wired to each other by some of their links
  none,     // by no link: PCIe, or through the host
  unknown,  // NVML is not there, or does not tell the other ends
};
Join join_of(std::span<const GpuLinks>, std::size_t first, std::size_t second);

// What is wrong with a GPU's links, in words; empty: nothing. `demanded` 0: nobody says how many there shall be, so
// that those that are down are told only where others are up.
std::string trouble_of(const GpuLinks&, const std::string& gpu, unsigned demanded);
// The counters that rose between two looks: "link 3 counted 2 replays"; empty: none.
std::string risen(const GpuLinks& before, const GpuLinks& after);

}  // namespace clusterc::nvlink
