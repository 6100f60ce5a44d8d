// Ceilings of the paths between devices: what is left of a link when the headers that must be sent are paid for.
#pragma once
#include "base/quantity.h"
#include "model/pcie.h"
#include "model/storage_path.h"

namespace clusterc {

// A PCIe packet: payload that platforms negotiate (MaxPayloadSize), and framing, sequence number, header and LCRC
// around it (PCI Express Base Specification 5.0, sections 2.2.1 and 3.6: 4 + 12 + 4 bytes).
constexpr int kPciePayload = 256, kPcieOverhead = 20;

inline BytesPerSecond pcie_copy_ceiling(std::int64_t generation, std::int64_t lanes) {
  return pcie_link_rate(generation, lanes) * kPciePayload / (kPciePayload + kPcieOverhead);
}
constexpr BytesPerSecond rdma_ceiling(BitsPerSecond rate) { return bytes_of(rate) * kPayloadShare; }
// Bus bandwidth of an all-to-all over n ranks, g in a node: (n - g)/n of each buffer leaves over the GPU's own
// adapters, (n - 1)/n is counted.
constexpr BytesPerSecond all_to_all_ceiling(BytesPerSecond of_one_gpu, double n, double g) {
  return of_one_gpu * ((n - 1) / (n - g));
}

}  // namespace clusterc
