// The scheduler's facts: which nodes, controllers, accounts, reservations and topology Slurm has, before they are
// written as text.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/node_memory.h"
#include "system/system.h"

namespace clusterc {

struct NamedVersion;
struct Partition;
struct Version;

// Short type of GRES for each GPU model of the cluster: "h100" of nvidia-h100-sxm5-80; the whole id without its maker
// where two models would share the short one.
std::string gres_type(const Cluster&, const ServerModel&);
// What jobs ask for on the nodes of a group: that, or the profile of the instances that MIG cuts its GPUs into.
std::string gres_type(const Cluster&, const NodeGroupModel&);

struct GpuDevices {                   // one line of gres.conf
  std::string file;                   // /dev/nvidia[0-3]
  std::string cores;                  // "0-55"; empty: the spec has no PCIe tree
  std::string links;                  // "-1,1,0,0": cards that a bridge joins; empty: all GPUs of the node are alike
  std::string_view stem;              // /dev/nvidia
  std::vector<std::int64_t> numbers;  // behind it
};
// What the resources of a node count in the shares of teams, in hours of one thread (TRESBillingWeights). All 0: not
// weighed, Slurm counts threads.
struct SlurmBilling {
  double cpu = 0, memory_gib = 0, gpu = 0;
  std::int64_t shard = 0;  // quotas count shards in it (slurm_accounting.cc): a whole number
};
struct SlurmNodes {  // one NodeName line: the nodes of a group are alike
  int group = -1;
  std::string names;  // folded
  std::int64_t cpus = 0, sockets = 0, cores_per_socket = 0, threads_per_core = 1;
  NodeMemory memory;      // RealMemory and what it comes from
  std::string type;       // GRES type, empty without GPUs
  std::int64_t gpus = 0;  // as Slurm counts them: MIG instances where the GPUs are cut
  bool mig = false;
  std::int64_t shards = 0;  // of each GPU; 0: it is not shared
  SlurmBilling billing;
  std::vector<GpuDevices> devices;
  std::vector<std::string> features;
  std::string spares;  // nodes held back for repair, folded; empty: none
};
enum class SlurmTopology { none, tree, block };
// One PartitionName line. `spec`: as the spec writes it; null: the partition of one node group.
struct SlurmPartition {
  std::string name, nodes;  // nodes: folded
  const Partition* spec = nullptr;
  SourceSpan span;  // of its name, with `spec`
  bool standard = false;
  std::vector<int> groups;                   // that it has nodes of
  std::int64_t memory = 0, memory_cpus = 1;  // MiB and CPUs of the nodes with the least memory for each CPU
  std::int64_t cpus_per_gpu = 0;             // 0: no GPUs
  SlurmBilling billing;                      // the largest of its groups
  const Value<Seconds>*longest = nullptr, *usual = nullptr;  // MaxTime, DefaultTime; null: none
  SlurmTopology topology = SlurmTopology::none;              // that places its jobs
};
// A limit of one team on the nodes of one group: a QOS of its own, which users of the team have in the partitions with
// these nodes and nowhere else.
struct SlurmQuota {
  int group = -1;
  std::string qos, tres;
};
struct SlurmTeam {
  std::string account;
  std::int64_t share = 1;  // parts of a thousand
  std::vector<SlurmQuota> quotas;
  std::vector<std::string> users;
};
struct SlurmReservation {
  std::string name, nodes;  // folded, or ALL
  std::string start, end;   // 2026-12-01T08:00:00
  std::int64_t days = 0;    // after which it comes again; 0: it does not
  std::vector<std::string> users, accounts, flags;
};
struct SlurmSwitch {
  std::string name, nodes, switches;
};  // a leaf has nodes, the others have switches
struct SlurmBlock {
  std::string name, nodes;
};

// Names of the topologies in topology.yaml, by which partitions choose one (Topology=).
inline constexpr std::string_view kSlurmTree = "fabric", kSlurmBlocks = "nvlink";

struct SlurmFacts {
  std::vector<SlurmNodes> nodes;
  std::vector<SlurmPartition> partitions;  // as in slurm.conf; one of them is the default
  std::vector<std::string> controllers;    // the first is the primary
  std::string state;                       // StateSaveLocation
  // Of the cluster. Without topology.yaml it is the only one: `switches` or `blocks` are empty.
  SlurmTopology topology = SlurmTopology::none;
  bool topology_yaml = false;         // topology.yaml is compiled in place of topology.conf
  std::vector<SlurmSwitch> switches;  // leaves first
  std::vector<SlurmBlock> blocks;
  std::int64_t block_size = 0;
  std::string mpi = "pmix";
  std::vector<std::string> databases;  // nodes that run slurmdbd, the first is the primary; empty: no accounting
  std::string database_host;           // of MariaDB
  std::vector<SlurmTeam> teams;
  bool two_topologies() const { return !switches.empty() && !blocks.empty(); }
  bool shares = false;        // some team has one
  bool weighs_nodes = false;  // `billing` of the nodes holds: Slurm takes the largest part of each node
  std::vector<SlurmReservation> reservations;
};

// Which daemons run on the nodes of a group; of the controllers, on some of them at least.
bool runs_slurmd(const Cluster&, const NodeGroupModel&);
// The release that the spec names for Slurm's files; null: none.
const Value<Version>* slurm_release(const Cluster&);
// The release that the distribution itself has ("22.05"); empty: not known, or none.
std::string_view distribution_slurm(std::string_view os);
bool runs_slurmctld(const Cluster&, const NodeGroupModel&);
// Whether slurmdbd runs on nodes of this group.
bool slurm_keeps_accounts(const Cluster&, const NodeGroupModel&);
// Where several controllers keep their state: the node that serves that file system, empty where it is served by
// others; nullopt: on each controller's own disk.
std::optional<std::string> slurm_state_server(const Cluster&);

// Says that a plugin which the spec names is installed by nobody.
void check_pyxis(const System&, Findings&);
// The group's wish for Pyxis, where its nodes run jobs; null: none.
const NamedVersion* pyxis_of(const Cluster&, const NodeGroupModel&);

SlurmFacts slurm_facts(const System&, Findings&);
// In facts.databases, facts.teams; needs facts.nodes and facts.controllers.
void slurm_accounting(const System&, SlurmFacts&, Findings&);
bool is_account_name(std::string_view);
std::string account_name_error(std::string_view);
// In facts.partitions; needs facts.nodes with their billing.
void slurm_partitions(const Cluster&, SlurmFacts&, Findings&);
// Whether jobs of a team may run in a partition (AllowAccounts).
bool slurm_lets_in(const SlurmPartition&, const SlurmTeam&);
// The partition to which jobs for the nodes of a group go: the one with most of them, of several the default one. Null:
// the spec names no partitions, or none with these nodes.
const Named<Partition>* slurm_partition_of(const Cluster&, int group);
std::string slurm_partition_name(const Cluster&, int group);
// How long a job may run there; null: for ever.
const Value<Seconds>* slurm_time_limit(const Cluster&, int group);
// In facts.reservations; needs facts.nodes.
void slurm_reservations(const System&, SlurmFacts&, Findings&);
// In facts.topology and the vectors that belong to it; needs facts.nodes.
void slurm_topology(const System&, SlurmFacts&, Findings&);
// Where a tree and blocks stand side by side: blocks for a partition whose nodes are all in NVLink domains, the tree
// for the others, since jobs in blocks never get a node outside of them.
SlurmTopology slurm_topology_of(const Cluster&, const SlurmFacts&, const std::vector<int>& groups);

constexpr std::string_view kSlurmFolder =
    "/etc/slurm";  // where the files go (docs/outputs.md); Debian's and SchedMD's packages read it

}  // namespace clusterc
