// Memory of a node that jobs may use.
#pragma once
#include <algorithm>

#include "base/quantity.h"

namespace clusterc {

constexpr std::int64_t kMiB = 1024 * 1024;
constexpr std::int64_t kLeastReserveMib =
    256;  // what a booted kernel, systemd, slurmd and sshd hold on a small machine

// MiB left to the kernel and its daemons: a thirty-second part, and never less than 256 MiB. 1/32 lies in the 2 to 4 %
// that healthy clusters leave: the kernel's page structures alone take 64 bytes for each 4 KiB page, 1/64
// (include/linux/mm_types.h), and slurmd drains a node that has less than RealMemory.
constexpr std::int64_t system_memory_mib(Bytes fitted) {
  return std::max(kLeastReserveMib, (static_cast<std::int64_t>(fitted.value) / kMiB + 31) / 32);
}
// 2 TiB -> 2031616.
constexpr std::int64_t job_memory_mib(Bytes fitted) {
  return static_cast<std::int64_t>(fitted.value) / kMiB - system_memory_mib(fitted);
}

}  // namespace clusterc
