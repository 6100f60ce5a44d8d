#include "system/node_health.h"

#include <algorithm>

#include "model/gpu_software.h"
#include "model/node_memory.h"
#include "model/nvlink.h"
#include "model/storage_path.h"
#include "spec/nodes.h"
#include "system/file_systems.h"
#include "system/interfaces.h"
#include "system/nfs_failover.h"
#include "system/slurm.h"

namespace clusterc {

NodeHealth node_health(const System& in, int group) {
  const Cluster& c = in.cluster;
  const NodeGroupModel& g = c.nodes[static_cast<std::size_t>(group)];
  NodeHealth out;
  for (const Interface& i : interfaces_of(c, in.plan, group))
    out.ports.insert(out.ports.end(), i.names.begin(), i.names.end());
  std::sort(out.ports.begin(), out.ports.end());
  out.ports.erase(std::unique(out.ports.begin(), out.ports.end()),
                  out.ports.end());  // guests of a network come over its ports
  // Of an instance the provider may run them, unless the spec installs the driver: a rack's switches are managed in its
  // switch trays.
  const bool driven = has_nvidia_gpus(g) && (!g.server.virtual_machine || g.software->gpu_driver);
  if (driven && has_nvswitch(g) && g.assembly < 0) out.daemons.emplace_back("nvidia-fabricmanager");
  if (driven && nvlink_domain_nodes(c, g) > 1) out.daemons.emplace_back("nvidia-imex");
  const bool slurmd = in.makes("slurm") && runs_slurmd(c, g);
  if (slurmd || (in.makes("slurm") && (runs_slurmctld(c, g) || slurm_keeps_accounts(c, g) || g.has_role(Role::login))))
    out.daemons.emplace_back("munge");
  if (slurmd) out.daemons.emplace_back("slurmd");
  if (in.makes("nfs") && std::ranges::any_of(storage_served_by(c, group), [&](int i) {
        return served_by_nodes(c, c.storage[static_cast<std::size_t>(i)]);
      })) {
    if (nfs_failover_of(in, group))  // which starts the NFS server on one of two
      out.daemons.insert(out.daemons.end(), {"corosync", "pacemaker"});
    else
      out.daemons.emplace_back("nfs-server");
  }
  if (in.makes_for("roce", group)) out.daemons.emplace_back("cluster-roce");  // a unit that has run, and without fault
  if (g.server.memory) out.memory_mib = node_memory(in.cluster, g).least_usable;
  return out;
}

}  // namespace clusterc
