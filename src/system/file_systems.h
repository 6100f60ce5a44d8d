// The file systems that the spec names, as its nodes get them: what a node mounts over the network, and what is made of
// drives of its own. Asked by all that mounts, makes or looks for one (cloud-init, Ansible, Slurm's health check), so
// that nobody demands what nobody makes.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diag/finding.h"
#include "model/cluster.h"
#include "plan/plan.h"
#include "system/group_network.h"

namespace clusterc {

// Storage that the nodes of this group mount and can reach over a network.
bool mounts(const StorageModel&, const NodeGroupModel&);
bool reaches(const Cluster&, int storage, int group);
// Whether nodes of the spec serve it over NFS: there may be an exports file for it.
bool served_by_nodes(const Cluster&, const StorageModel&);

// How a machine's drives of one entry of the spec are told from others: kind and size, the size within what vendors
// keep back of it.
constexpr double kSector = 512;  // bytes, as Linux counts the size of a block device
struct DriveChoice {
  std::int64_t count = 1;
  std::string_view kind = "any";      // nvme, sata, sas, hdd; any: whatever is there
  std::uint64_t least = 0, most = 0;  // sectors
};
DriveChoice drive_choice(const Drives&);  // of an entry whose size is known

// A file system on drives of the node's own: local scratch, or what it serves over NFS.
struct DataDrives {
  std::string storage, mount;
  DriveChoice drives;
  std::string raid;  // level, as mdadm has it; empty: one drive
};
// nullopt: this storage does not lie on drives of these nodes, or the spec does not say on which; then `why`, where
// given, says what is missing.
std::optional<DataDrives> data_drives(const Cluster&, int storage, int group, std::string* why = nullptr);

// NFS of two servers that fails over: drives that both reach (`shared`), an address that moves, and fencing. The spec
// asks for it where it has one of these; nfs_failover.h says what it is made of, and what is missing.
bool asks_for_failover(const Cluster&, const StorageModel&);
// The drives of it; as data_drives(), which has none of them: no server mounts them by itself.
std::optional<DataDrives> shared_drives(const Cluster&, int storage, std::string* why = nullptr);

// What the group mounts over the network: NFS from the server as hosts calls its address in the network that both are
// in; Lustre and BeeGFS from the `source` of the spec, by client software that somebody else installs. Others have
// clients of their makers, which mount by themselves.
struct NetworkMount {
  std::string source, path;
  std::string_view type;
  std::string options;
};  // a line of fstab
std::vector<NetworkMount> network_mounts(const Cluster&, const Plan&, int group);

// Which of the node's interfaces are in which LNet, for the Lustre that the group mounts: a line of modprobe.d; empty:
// it mounts none.
std::string lnet_options(const Cluster&, const Plan&, int group, const GroupNetwork&);

// The host outside of the cluster from which the group mounts this storage over NFS or BeeGFS, where the spec has it;
// null: none. Which NIDs of Lustre a group reaches decides whether it mounts it at all.
const Value<std::string>* mounts_from_outside(const Cluster&, const Plan&, int storage, int group);

// Whether the group mounts this storage over the network by what is compiled.
bool mounts_over_network(const Cluster&, const Plan&, int storage, int group);

// Whether the storage is mounted on these nodes by what is compiled: the rest is somebody else's business, and no
// health check asks for it.
bool is_mounted_by_us(const Cluster&, const Plan&, int storage, int group);

// Says which sources no client could mount, or name other machines than the spec has.
void check_sources(const Cluster&, const Plan&, Findings&);
// Says which file systems of the spec are mounted or made by nobody.
void check_file_systems(const Cluster&, const Plan&, Findings&);

}  // namespace clusterc
