// How RoCE packets are marked, and which networks carry them.
#pragma once
#include <cstdint>

#include "model/cluster.h"
#include "spec/network.h"

namespace clusterc {

// The IPv4 field "type of service" (InfiniBand: traffic class) of a code point: DSCP is its upper six bits, ECN the
// other two (RFC 2474, RFC 3168).
constexpr std::int64_t traffic_class(std::int64_t dscp) { return dscp * 4; }

// By itself, or as a guest on the switches of one that is.
inline bool carries_roce(const Cluster& c, const NetworkModel& net) {
  const auto roce = [](const NetworkModel& n) { return n.spec && n.spec->rdma.value_or(Rdma::none) == Rdma::roce; };
  return net.kind == LinkKind::ethernet &&
         (roce(net) || (net.shares >= 0 && roce(c.networks[static_cast<std::size_t>(net.shares)])));
}

// The lossless class of the network, or of the one whose switches it uses; null: the spec has none.
inline const RocePlan* roce_plan(const Cluster& c, const NetworkModel& net) {
  if (net.spec && net.spec->roce) return &*net.spec->roce;
  if (net.shares < 0) return nullptr;
  const Network* host = c.networks[static_cast<std::size_t>(net.shares)].spec;
  return host && host->roce ? &*host->roce : nullptr;
}

}  // namespace clusterc
