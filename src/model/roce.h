// How RoCE packets are marked.
#pragma once
#include <cstdint>

namespace clusterc {

// The IPv4 field "type of service" (InfiniBand: traffic class) of a code point: DSCP is its upper six bits, ECN the other two (RFC 2474, RFC 3168).
constexpr std::int64_t traffic_class(std::int64_t dscp) { return dscp * 4; }

}  // namespace clusterc
