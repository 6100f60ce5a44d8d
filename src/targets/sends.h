// Single messages between GPUs: what they wait for, and what links and ports then carry.
#pragma once
#include "targets/collectives.h"

namespace clusterc {

// What a hop takes with next to no payload (NVIDIA/nccl src/graph/tuning.cc 2.30.7: hwLat of Tree, LL; over NVLink,
// PCIe and the network).
constexpr Seconds kNvlinkHop{0.6e-6}, kPcieHop{1.0e-6}, kNetworkHop{5.0e-6};

// Shares of the rate that all-gather and reduce-scatter show: of the ring ceiling across nodes
// (aigatech/vpbenchmarking, NVIDIA/aicr), of NVLink's inside a node (stas00/ml-engineering: 361 of 450 GB/s).
constexpr double kGatherShare = 0.892, kInsideShare = 0.80;

// Of one GPU: its link inside the unit, its share of the unit's ports (its link, where there are none).
inline BytesPerSecond typical_link(const CollectiveUnit& u) { return u.link * kInsideShare; }
inline BytesPerSecond typical_port(const CollectiveUnit& u) {
  return u.network.value > 0 ? u.network * (kGatherShare / u.gpus) : typical_link(u);
}

// One message to the next GPU; nothing where no rate is known.
inline Seconds send_time(const CollectiveUnit& u, bool inside, Bytes message) {
  const BytesPerSecond over = inside ? typical_link(u) : typical_port(u);
  const Seconds hop = !inside ? kNetworkHop : u.nvlink ? kNvlinkHop : kPcieHop;
  return over.value > 0 ? hop + Seconds(message.value / over.value) : Seconds(0);
}

}  // namespace clusterc
