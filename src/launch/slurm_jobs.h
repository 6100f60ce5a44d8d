// Command lines of Slurm's client programs, jobs of sbatch, and the job in which this program runs.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/host_pattern.h"
#include "launch/launcher.h"

namespace clusterc {

struct Allocation {
  std::string job;    // number
  HostPattern nodes;  // of it
  bool has(std::string_view node) const { return nodes.index_of(node) >= 0; }
};
// The job of SLURM_JOB_ID and SLURM_JOB_NODELIST; nothing outside of one.
std::optional<Allocation> find_allocation();

// The environment of a step inside a job: without the variables by which sbatch and salloc hand their own options on to
// srun (SLURM_NTASKS, SLURM_CPU_BIND …).
std::vector<std::string> environment_of_step();

std::uint64_t ranks_of(const Launch&);  // on each node, at least 1

// Outside of a job a job of its own, which has its nodes for itself; inside, a step on its nodes.
std::vector<std::string> srun_command(const Launch&, const SlurmOptions&, const std::optional<Allocation>&);
// Sends launch.argv[0] to the path `to` of each node and starts it there.
std::vector<std::string> broadcast_command(const Launch&, const SlurmOptions&, const std::optional<Allocation>&,
                                           const std::string& to);

// `job`: path without its end of the script (.sh) and of what it prints.
std::vector<std::string> sbatch_command(const Launch&, const SlurmOptions&, const std::string& job);
// A launch as a job of sbatch, or, where its nodes need not run at the same time, as an array with an element for each.
LaunchResult run_in_batch(const Launch&, const SlurmOptions&);

}  // namespace clusterc
