// Networks whose leaves route: their members share no subnet. Each link of a member to a leaf is one of its own, of two
// addresses (RFC 3021): the even one is the leaf's, the odd one the member's.
#pragma once
#include "model/cluster.h"
#include "spec/network.h"

namespace clusterc {

// Ethernet with switches of its own and BGP numbers (docs/names.md). A bond ends on two leaves, so its members stay in
// one subnet. clusterc does not configure what joins such leaves (EVPN multihoming, MC-LAG).
inline bool has_routed_leaves(const Cluster& c, const NetworkModel& n) {
  return c.own_site && n.kind == LinkKind::ethernet && !n.everything && n.shares < 0 && !n.direct && n.subnet &&
         n.spec && n.spec->asn && n.spec->bond.value_or(1) <= 1;
}

}  // namespace clusterc
