// A flipped bit in a result, to see that the check finds it. Only the fault builds under tests/ flip one: which of the
// two a program is, is a constant that it was linked with, and nothing at run time can change it. The objects of both
// are the same.
#pragma once
#include <cstddef>
#include <cstdint>

namespace clusterc::harness {

extern const bool kFaultBuild;  // harness/fault.cc: false; harness/fault/fault_build.cc: true

// Flips the lowest bit of the byte at `offset` in a fault build; does nothing in any other.
inline void fault_flip_bit(void* data, std::size_t offset) {
  if (kFaultBuild) static_cast<std::uint8_t*>(data)[offset] ^= 1;
}

}  // namespace clusterc::harness
