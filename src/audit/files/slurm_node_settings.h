// Settings of node lines for which a group of a spec has no word.
#pragma once
#include <string>
#include <vector>

#include "audit/files/slurm_partitions.h"

namespace clusterc {

struct SlurmNodeSettings {
  std::vector<std::string> of_all;  // "TmpDisk=1700000": what all nodes have alike, so that a DEFAULT line can say it
  std::vector<std::string> lost;    // "MemSpecLimit=8192 of cn[01-04]"
};
SlurmNodeSettings slurm_node_settings(const SlurmCluster&, const SlurmAsWritten&);

}  // namespace clusterc
