// What is set up on the machines of one group: roles, and what these need to know. Every decision is here; Ansible's
// roles themselves (templates/ansible/roles) are the same for every cluster.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/mig.h"
#include "system/containers.h"
#include "system/file_systems.h"
#include "system/mirror.h"
#include "system/nfs_failover.h"
#include "system/node_files.h"
#include "system/packages.h"
#include "system/system.h"

namespace clusterc {

// The roles in the order in which a bare machine is brought up.
std::span<const std::string_view> setup_roles();

struct NodeSettings {
  std::vector<std::string_view> roles;  // of setup_roles(), in that order
  std::string_view distribution;        // as Ansible's facts have it: "Ubuntu"; empty: not known
  std::string distribution_version;     // "22.04"
  std::vector<std::string> kernel_arguments;
  NodeFiles files;
  std::vector<DataDrives> drives;
  std::vector<NetworkMount> mounts;
  struct Export {
    std::string path, storage;
  };
  std::vector<Export> exports;
  const NfsFailover* failover = nullptr;     // where another server goes on if this one fails
  std::vector<std::string> name_servers;     // where a file of the network names them for systemd-resolved
  bool logins_closed = false;                // only administrators of the directory may log in; of role identity
  std::vector<std::string> home_users;       // whose homes lie on a file system that these nodes export
  std::string_view firewall;                 // file of the output nftables
  std::vector<std::string> firewall_inside;  // whence it lets everything in
  NodePackages packages;
  std::optional<MigLayout> mig;  // nullopt: whole GPUs
  std::optional<MirrorServer> mirror;
  std::vector<PackageSource> distribution_sources;  // where the mirror takes the place of the distribution's own
  std::int64_t imex_nodes = 0;                      // of an NVLink domain; 0: spans no two nodes
  std::vector<std::string> slurm_packages, slurm_controller_packages, slurm_database_packages;
  std::optional<std::string> slurm_state_server;  // slurm_state_server(), on controllers
  bool slurmd = false;
  std::vector<ContainerFile> container_files;
  std::string enroot_folder;  // where users' images go; empty: not on local scratch
  std::string enroot_mount;   // what has to be mounted for that; empty: the spec does not say on which drives it lies
  std::string name_server, dhcp_server, web_server,
      monitor;                                   // the node of these that serves the cluster so; empty: none of them
  std::vector<std::string> subnets, forwarders;  // whom the name server answers, whom it asks
  std::vector<std::string> subnets_managed;      // of InfiniBand
  std::vector<std::string> ports, daemons;       // what a healthy machine has: links that are up, units that run
  std::int64_t memory_mib = 0;                   // that it has at least; 0: not said
};

// Of every group, in their order; those without nodes have none. Worked out once.
const std::vector<NodeSettings>& node_settings(const System&);
// What was found while they were worked out.
void report_node_settings(const System&, Findings&);

// What the role nvidia_mig cuts the GPUs of a group into; nullopt: nothing.
std::optional<MigLayout> mig_made(const NodeGroupModel&);

// Says whose homes nobody makes.
void check_homes(const Cluster&, Findings&);
// Reports nodes that no user of the directory can log in to.
void check_administrators(const System&, Findings&);

}  // namespace clusterc
