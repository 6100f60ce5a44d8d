// The GPUs that slurm.conf promises of a node against the devices that gres.conf gives it.
#pragma once
#include "audit/files/slurm_cluster.h"

namespace clusterc {

void judge_slurm_devices(const SlurmCluster& slurm, const SlurmCluster& gres, Findings&);

}  // namespace clusterc
