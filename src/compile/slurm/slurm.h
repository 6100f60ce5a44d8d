// Slurm's view of the cluster: what slurm.conf, gres.conf, cgroup.conf and topology.conf say, before it is written as text.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "compile/output.h"

namespace clusterc {

extern const Output kSlurmOutput;

// MiB of memory that jobs may use on a node with this much fitted (model/node_memory.h).
std::int64_t slurm_real_memory(Bytes fitted);

// Short type of GRES for each GPU model of the cluster: "h100" of nvidia-h100-sxm5-80; the whole id without its maker where two
// models would share the short one.
std::string gres_type(const Cluster&, const ServerModel&);

struct GpuDevices {                      // one line of gres.conf
  std::string file;                      // /dev/nvidia[0-3]
  std::string cores;                     // "0-55"; empty: the spec has no PCIe tree
};
struct SlurmNodes {                      // one NodeName line: the nodes of a group are alike
  int group = -1;
  std::string names;                     // folded
  std::int64_t cpus = 0, sockets = 0, cores_per_socket = 0, threads_per_core = 1, real_memory = 0;
  std::string type;                      // GRES type, empty without GPUs
  std::int64_t gpus = 0;                 // as Slurm counts them: MIG instances where the GPUs are cut
  bool mig = false;
  std::vector<GpuDevices> devices;
  std::vector<std::string> features;
  std::string spares;                    // nodes held back for repair, folded; empty: none
};
struct SlurmSwitch { std::string name, nodes, switches; };   // a leaf has nodes, the others have switches
struct SlurmBlock { std::string name, nodes; };

enum class SlurmTopology { none, tree, block };
struct SlurmFacts {
  std::vector<SlurmNodes> nodes;
  std::vector<std::string> controllers;  // the first is the primary
  std::string state;                     // StateSaveLocation
  SlurmTopology topology = SlurmTopology::none;
  std::vector<SlurmSwitch> switches;     // leaves first
  std::vector<SlurmBlock> blocks;
  std::int64_t block_size = 0;
  std::string mpi = "pmix";
};

// Which daemons run on the nodes of a group; of the controllers, on some of them at least.
bool runs_slurmd(const Cluster&, const NodeGroupModel&);
bool runs_slurmctld(const Cluster&, const NodeGroupModel&);

SlurmFacts slurm_facts(const CompileInput&, Findings&);
// In facts.topology and the vectors that belong to it; needs facts.nodes.
void slurm_topology(const CompileInput&, SlurmFacts&, Findings&);

}  // namespace clusterc
