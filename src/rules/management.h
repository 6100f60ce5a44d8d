// Two rules look at the out-of-band network: what users reach is a matter of safety and goes first, what hangs on the
// fabric that it is to repair comes after. A network that is both has one cause, sharing, and one finding.
#pragma once
#include "model/cluster.h"
#include "spec/network.h"

namespace clusterc {

// The traffic of users that a management network itself carries; null: none.
inline const Traffic* users_traffic(const NetworkModel& n) {
  static constexpr Traffic kUsers[] = {Traffic::compute, Traffic::storage, Traffic::inband};
  for (const Traffic& t : kUsers)
    if (n.carries_traffic(t)) return &t;
  return nullptr;
}

// It is on the switches of a network that users are on, in one broadcast domain with it.
inline bool shares_without_vlan(const Cluster& c, const NetworkModel& n) {
  if (n.shares < 0) return false;
  const NetworkModel& o = c.networks[static_cast<std::size_t>(n.shares)];
  return !o.carries_traffic(Traffic::oob) && n.spec->vlan.value_or(0) == o.spec->vlan.value_or(0);
}

}  // namespace clusterc
