// Files of a node's own system that cloud-init writes at the first start and Ansible keeps: limits, kernel settings,
// Lustre's networks.
#pragma once
#include <string>
#include <string_view>

#include "model/cluster.h"
#include "system/group_network.h"

namespace clusterc {

inline constexpr std::string_view kLimitsPath = "/etc/security/limits.d/90-cluster.conf",
                                  kSysctlPath = "/etc/sysctl.d/90-cluster.conf",
                                  kSlurmdSettingsPath = "/etc/systemd/system/slurmd.service.d/90-cluster.conf",
                                  kLnetPath = "/etc/modprobe.d/lustre.conf";

// What a process of this group may lock: "unlimited", or whole KiB as limits.conf(5) counts; unlimited where RDMA is
// used and the spec says nothing; empty: nothing is said.
std::string locked_memory(const Cluster&, int group);

// Settings of slurmd's unit on the nodes of a group (systemd.unit(5), systemd.service(5)): after the drivers of its
// devices, again when it ends, with the limits that jobs get; empty: slurmd does not run there.
std::string slurmd_settings(const Cluster&, int group);

struct NodeFiles {
  std::string limits, slurmd, sysctl, lnet;
};  // texts; empty: not written
NodeFiles node_files(const System&, int group, const GroupNetwork&);

}  // namespace clusterc
