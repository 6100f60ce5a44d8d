// A flipped bit in a result, to see that it is found. Only the fault builds under tests/ define CLUSTERC_FAULT_BUILD;
// in what is installed both functions are empty, and nothing at run time can switch them on.
#pragma once
#include <cstddef>
#include <cstdint>

namespace clusterc::harness {

#ifdef CLUSTERC_FAULT_BUILD
inline constexpr bool kFaultBuild = true;
#else
inline constexpr bool kFaultBuild = false;
#endif

// Flips the lowest bit of the byte at `offset`.
inline void fault_flip_bit([[maybe_unused]] void* data, [[maybe_unused]] std::size_t offset) {
  if constexpr (kFaultBuild) static_cast<std::uint8_t*>(data)[offset] ^= 1;
}

}  // namespace clusterc::harness
