// Nodes that Slurm starts when jobs need them, and stops when they are idle (power saving): which, by which programs.
#pragma once
#include <string>
#include <vector>

#include "system/slurm.h"

namespace clusterc {

struct PowerSaving;

struct SlurmPower {
  const PowerSaving* spec = nullptr;  // null: none
  std::vector<int> groups;
  bool compiled = false;                       // the programs are ours
  std::string resume, suspend;                 // where they are
  std::vector<std::string> always;             // partitions whose nodes always run
  std::int64_t idle = 0, start = 0, stop = 0;  // seconds
};
SlurmPower slurm_power(const System&, Findings&);
// Whether the nodes of a group are started on demand.
bool starts_on_demand(const Cluster&, const NodeGroupModel&);

// Instance type as AWS has it: "p5.48xlarge" of the part aws-p5-48xlarge; empty: the group has no such instances.
std::string aws_instance_type(const NodeGroupModel&);

}  // namespace clusterc
