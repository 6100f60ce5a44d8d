// Ceilings of the paths between devices: what is left of a link when the headers that must be sent are paid for.
#pragma once
#include <cstdint>
#include <optional>

#include "base/quantity.h"
#include "model/cluster.h"
#include "model/pcie.h"
#include "model/storage_path.h"

namespace clusterc {

// A PCIe packet: payload that platforms negotiate (MaxPayloadSize), and framing, sequence number, header and LCRC
// around it (PCI Express Base Specification 5.0, sections 2.2.1 and 3.6: 4 + 12 + 4 bytes).
constexpr int kPciePayload = 256, kPcieOverhead = 20;

inline BytesPerSecond pcie_copy_ceiling(std::int64_t generation, std::int64_t lanes) {
  return pcie_link_rate(generation, lanes) * kPciePayload / (kPciePayload + kPcieOverhead);
}
// The slower of GPU and processor sets the generation of a GPU's link; nothing where a fact is missing. A superchip's
// own link is no PCIe.
std::optional<std::int64_t> gpu_link_generation(const ServerModel& server);
// Channels of the node's memory that have modules, and the rate at which they run; nothing where a fact is missing.
struct HostChannels {
  std::int64_t populated = 0;
  const Value<TransfersPerSecond>* rate = nullptr;  // may be unknown
};
std::optional<HostChannels> host_channels(const ServerModel& server);
// STREAM share of their peak on hosts without a published figure: 665.5 of 921.6 GB/s (gate of
// Azure/azurehpc-health-checks, two-socket Genoa-X).
constexpr double kHostStreamShare = 0.72;
constexpr BytesPerSecond rdma_ceiling(BitsPerSecond rate) { return bytes_of(rate) * kPayloadShare; }
// Bus bandwidth of an all-to-all over n ranks, g in a node: (n - g)/n of each buffer leaves over the GPU's own
// adapters, (n - 1)/n is counted.
constexpr BytesPerSecond all_to_all_ceiling(BytesPerSecond of_one_gpu, double n, double g) {
  return of_one_gpu * ((n - 1) / (n - g));
}

}  // namespace clusterc
