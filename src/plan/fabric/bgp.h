// Numbers and loopbacks of the switches of a routed fabric. Each leaf has a BGP number of its own, the spines of a pod
// one together, the cores one together (RFC 7938, section 5.2.1: one number for each top-of-rack device, one for the
// tier above in each cluster, one for the top tier).
//
// From the first number on: the cores, then pod by pod its spines and its leaves, in order; planes follow one another.
// Of a fabric of two tiers, which is one pod, no number moves when leaves are added. Loopbacks are addresses of the
// network's own subnet, the switches in order, the lowest tier first; networks whose spec gives `asn` have them
// (docs/names.md).
#pragma once
#include "plan/plan.h"

namespace clusterc {

constexpr std::int64_t bgp_numbers(const Fabric& f) {
  if (f.tiers.empty()) return 0;
  return f.tiers[0].count + f.planes * ((f.tiers.size() > 1 ? f.pods : 0) + (f.tiers.size() > 2 ? 1 : 0));
}

// Counted from the network's first number: 0 to bgp_numbers() - 1.
inline std::int64_t bgp_number(const Fabric& f, SwitchRef r) {
  const std::int64_t each = f.per_plane(r.tier), index = r.index % each,
                     base = r.index / each * (bgp_numbers(f) / f.planes);
  if (f.tiers.size() == 1) return base + index;
  if (f.tiers.size() == 2) return r.tier == 1 ? base : base + 1 + index;
  if (r.tier == 2) return base;
  const std::int64_t pod = index / (r.tier == 1 ? f.spines_per_pod : f.leaves_per_pod),
                     spines = base + 1 + pod * (1 + f.leaves_per_pod);
  return r.tier == 1 ? spines : spines + 1 + index % f.leaves_per_pod;
}

// Networks whose switches have loopbacks: Ethernet with switches of its own, a subnet and a first BGP number. 0: none,
// or no room.
bool has_loopbacks(const Plan&, int network);
// Those of them whose members have a pair of addresses on each link (model/routed.h).
bool has_member_links(const Plan&, int network);
std::uint32_t loopback(const Plan&, int fabric, SwitchRef);

// RFC 6996: numbers that anybody may use inside.
struct BgpRange {
  std::int64_t first, last;
};
constexpr BgpRange kPrivateBgp16{64512, 65534}, kPrivateBgp32{4200000000, 4294967294};

}  // namespace clusterc
