// Quotient and remainder in one step, for what is asked of each of some million links. Where both numbers fit 32 bits,
// and here they nearly always do, the division is one of 32 bits: on processors before Intel's Ice Lake one of 64 bits
// takes three to four times as long (A. Fog, Instruction tables, Skylake-X: DIV r32 26, IDIV r64 42 to 95 cycles).
#pragma once
#include <cstdint>

namespace clusterc {

struct Division {
  std::int64_t quotient, remainder;
};

inline Division divide(std::int64_t number, std::int64_t by) {  // `by` is not 0; rounds towards 0, as / does
  if (((static_cast<std::uint64_t>(number) | static_cast<std::uint64_t>(by)) >> 32) == 0)
    return {static_cast<std::uint32_t>(number) / static_cast<std::uint32_t>(by),
            static_cast<std::uint32_t>(number) % static_cast<std::uint32_t>(by)};
  return {number / by, number % by};
}

}  // namespace clusterc
