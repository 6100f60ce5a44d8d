// The plan's figures of a job in the words of each launcher, for the outputs that start jobs.
#pragma once
#include <cstdint>
#include <string>

#include "system/jobs.h"

namespace clusterc {

class ShellWriter;
struct NodeGroupModel;

// PLAN_…: nodes, processes, split, batch, steps, checkpoints.
void plan_settings(const NodeGroupModel&, const Job&, ShellWriter&);
void launcher_settings(const Job&, ShellWriter&);                // variables that the launcher reads
std::int64_t openmp_threads(const NodeGroupModel&, const Job&);  // OMP_NUM_THREADS: the cores of a process
void append_deepspeed_config(const Job&, std::string& out);      // ds_config.json
void append_megatron_arguments(const Job&, std::string& out);    // megatron.args, a word on each line

}  // namespace clusterc
