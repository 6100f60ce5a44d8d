#include "targets/rdma_ports.h"

#include "base/format.h"
#include "model/rdma.h"
#include "spec/network.h"
#include "spec/software.h"
#include "targets/collectives.h"

namespace clusterc {

BytesPerSecond RdmaPortsOfNode::all() const {
  double bits = 0;
  for (const RdmaPorts& p : ports) bits += p.rate.value * static_cast<double>(p.count);
  return bytes_of(BitsPerSecond(bits));
}

RdmaPortsOfNode rdma_ports(const Cluster& cluster, int group) {
  RdmaPortsOfNode out;
  for (const NetworkModel& network : cluster.networks) {
    if (!is_rdma(network) || (network.kind != LinkKind::infiniband && network.kind != LinkKind::ethernet)) continue;
    for (const EndPoints& ends : network.ends) {
      if (ends.group != group || ends.ports < 0 || ends.ports_each <= 0)
        continue;  // a virtual machine's ports are its host's
      // The driver shows links that are bonded, or that one port splits into, as one device or as several: it depends
      // on the adapter and its firmware.
      if (network.spec->bond.value_or(1) > 1 || ends.split > 1)
        return {
            {},
            format(
                "network '{}' bonds or splits links: how many RDMA ports that makes depends on the adapter's firmware",
                network.name)};
      const NetworkModel* sets_mtu = &network;  // a guest without an `mtu` of its own rides on its host's
      if (!network.spec->mtu && network.shares >= 0)
        sets_mtu = &cluster.networks[static_cast<std::size_t>(network.shares)];
      out.ports.push_back({network.kind, ends.ports_each, ends.rate,
                           network.kind == LinkKind::ethernet && sets_mtu->spec->mtu ? *sets_mtu->spec->mtu : 0});
    }
  }
  return out;
}

std::vector<RdmaPorts> rdma_compute_ports(const Cluster& cluster, int group) {
  const ComputePorts compute = compute_ports(cluster, cluster.nodes[static_cast<std::size_t>(group)]);
  std::vector<RdmaPorts> all = rdma_ports(cluster, group).ports;
  if (compute.network < 0 || !is_rdma(cluster.networks[static_cast<std::size_t>(compute.network)])) return {};
  const LinkKind kind = cluster.networks[static_cast<std::size_t>(compute.network)].kind;
  std::erase_if(all, [&](const RdmaPorts& p) {
    return p.kind != kind || p.rate.value != compute.rate.value || p.count != compute.nics;
  });
  if (all.size() > 1) all.resize(1);  // another network of as many ports at the same rate
  return all;
}

bool asks_for_gpudirect(const NodeGroupModel& group) {
  return group.server.gpu_count > 0 && group.software->gpudirect_rdma.value_or(false);
}

}  // namespace clusterc
