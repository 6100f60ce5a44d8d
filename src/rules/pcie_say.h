// What the rules about PCIe share: where a device was written, and which adapters move memory for GPUs.
#pragma once
#include <set>

#include "model/group_ends.h"
#include "model/nvlink.h"
#include "model/pcie.h"
#include "rules/say.h"
#include "spec/network.h"
#include "spec/nodes.h"

namespace clusterc {

// Remote memory access: adapters that read and write memory without the processor, GPU memory too where they are asked
// to.
inline bool moves_memory(const NetworkModel& n) {
  return n.kind == LinkKind::infiniband || n.kind == LinkKind::efa || (n.spec->rdma && *n.spec->rdma != Rdma::none);
}

// Where the device of a slot was written: itself, else its slot. Invalid without a device.
inline SourceSpan device_place(const PcieDevice* d) {
  return d && d->slot ? first_place(written(d->slot->device), d->slot->span) : SourceSpan{};
}

// End points of a group's node on networks that carry jobs by remote memory access.
struct RdmaEnds {
  const NetworkModel* network = nullptr;
  const EndPoints* ends = nullptr;
  int nics = -1;
};
inline std::vector<RdmaEnds> rdma_ends(const Cluster& c, int group) {
  std::vector<RdmaEnds> found;
  for (const GroupEnd& at : ends_of_group(c, group)) {
    const NetworkModel& n = c.networks[static_cast<std::size_t>(at.network)];
    if (!n.carries_traffic(Traffic::compute) || !moves_memory(n)) continue;
    const EndPoints& e = n.ends[static_cast<std::size_t>(at.end)];
    if (e.ports >= 0 && e.members > 0)
      found.push_back(
          {&n, &e, c.nodes[static_cast<std::size_t>(group)].server.ports[static_cast<std::size_t>(e.ports)].nics});
  }
  return found;
}

// GPUs that speak over PCIe with each other: no link of their own joins them all.
inline bool gpus_meet_on_pcie(const ServerModel& s) {
  if (!s.gpu || s.gpu_count < 2 || s.gpu->form.value == GpuForm::superchip) return false;
  return s.gpu->form.value == GpuForm::pcie && gpus_joined_in_server(s) < s.gpu_count;
}

}  // namespace clusterc
