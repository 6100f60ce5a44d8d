// What is certainly wrong in a slurm.conf and the files beside it, by the manual pages of Slurm.
#pragma once
#include "audit/files/judge.h"

namespace clusterc {

// The summary: "4 nodes, 32 GPUs, with gres.conf".
std::string judge_slurm(const Sources&, FileId slurm_conf, const ReadBeside&, Findings&);

}  // namespace clusterc
