// The sizes that breakers of branch circuits are made in.
#pragma once
#include <span>

#include "model/cluster.h"
#include "model/rounding.h"
#include "spec/site.h"

namespace clusterc {

// The next one of at least this current, no larger than `most`; 0: there is none. NFPA 70 (2023), table 240.6(A), and
// IEC 60898-1, 5.3.2, preferred values of rated current.
inline Amperes next_breaker(const Cluster& c, Amperes least, Amperes most) {
  static constexpr double kNa[] = {15, 20, 25, 30, 35, 40, 45, 50, 60, 70, 80, 90, 100, 110, 125, 150, 175, 200};
  static constexpr double kIec[] = {6, 8, 10, 13, 16, 20, 25, 32, 40, 50, 63, 80, 100, 125};
  const bool na = c.spec.site && c.spec.site->region.value == Region::na;
  for (const double size : na ? std::span<const double>(kNa) : std::span<const double>(kIec))
    if (!above(least.value, size) && size <= most.value) return Amperes(size);
  return Amperes(0);
}

}  // namespace clusterc
