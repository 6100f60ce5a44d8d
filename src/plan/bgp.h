// How many BGP numbers a fabric takes: each leaf one of its own, the spines of a pod one together, the cores one together
// (RFC 7938, section 5.2.1: one number for each top-of-rack device, one for the tier above in each cluster, one for the top tier).
#pragma once
#include "plan/plan.h"

namespace clusterc {

constexpr std::int64_t bgp_numbers(const Fabric& f) {
  if (f.tiers.empty()) return 0;
  return f.tiers[0].count + (f.tiers.size() > 1 ? f.pods : 0) + (f.tiers.size() > 2 ? 1 : 0);
}

// RFC 6996: numbers that anybody may use inside.
struct BgpRange { std::int64_t first, last; };
constexpr BgpRange kPrivateBgp16{64512, 65534}, kPrivateBgp32{4200000000, 4294967294};

}  // namespace clusterc
