// The switches and blocks of a Slurm cluster: topology.yaml (Slurm 25.05 and newer), or topology.conf.
#pragma once
#include <optional>
#include <string_view>

#include "audit/files/slurm_cluster.h"

namespace clusterc {

struct SlurmTopologyFile {
  std::string_view file;           // "topology.yaml" or "topology.conf"
  std::vector<std::string> names;  // of topology.yaml: those that partitions can choose
  SlurmCluster cluster;            // records with SwitchName, BlockName, Nodes and Switches, as those of topology.conf
};

// topology.yaml, which Slurm prefers, else topology.conf. nullopt: neither is there.
std::optional<SlurmTopologyFile> read_slurm_topology(const Sources&, const ReadBeside&, Findings&);

}  // namespace clusterc
