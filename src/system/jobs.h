// The jobs that the spec asks Slurm or Kubernetes to run: each workload as the plan divides it, and the first jobs of a
// new cluster. Decided here once; the output jobs writes the scripts, the output kubernetes the objects.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "system/serving.h"
#include "system/system.h"
#include "targets/training.h"

namespace clusterc {

struct Workload;

// What starts the processes of a job. mpi: a program of the user's, by srun and the MPI library's own interface.
enum class JobLauncher { torchrun, deepspeed, megatron, ray, jax, horovod, mpi };
std::string_view launcher_word(JobLauncher);  // "torchrun"
enum class JobContainer { none, pyxis, apptainer };

// Where the ranks of a node are if they fill its sockets one after another, a GPU for each. near: on the socket of
// their GPU, as the PCIe tree of the plan has it.
enum class RankPlaces { no_gpus, unknown, near, elsewhere };

// A split in whole numbers, as frameworks take it: tensor x pipeline x context x data = processes of the job, and
// data x micro_batch x accumulation = batch.
struct JobSplit {
  std::int64_t tensor = 1, pipeline = 1, context = 1, data = 1, expert = 1, interleave = 1;
  std::int64_t micro_batch = 1, accumulation = 1, batch = 1;  // sequences; micro batches of a step; sequences of a step
  std::int64_t sequence = 1;                                  // tokens
  Sharding sharded = Sharding::none;
  Recompute recompute = Recompute::none;
  std::int64_t recompute_layers = 0;  // of each stage, that `full` is done for; 0: all
  std::int64_t processes() const { return tensor * pipeline * context * data; }
};

struct Job {
  std::string name;  // of the workload
  const Workload* workload = nullptr;
  JobLauncher launcher = JobLauncher::torchrun;
  int group = -1;
  std::int64_t nodes = 0;                      // that the job uses
  std::int64_t asked = 0;                      // that `on` has: more where the split has no work for some of them
  std::int64_t processes = 1;                  // on each node; of nodes with GPUs each process has one
  std::int64_t tasks = 1;                      // that srun starts on each node: its processes, or one that starts them
  std::int64_t cpus = 1;                       // hardware threads for each process
  std::string gres;                            // "gpu:h100:8", all of a node, or nvidia.com/gpu; empty without GPUs
  std::string mpi;                             // of srun: "pmix"; empty where the launcher needs none
  RankPlaces places = RankPlaces::no_gpus;     // of several tasks on a node
  std::int64_t node_gpus = 0, node_cores = 0;  // of each node, all of which the job has
  std::int64_t memory_mib = 0;                 // Kubernetes: of a pod, one on each node; 0: not known
  std::string account;                         // empty: the user's own; the team in Kubernetes
  std::int64_t switches = 0;  // fewest leaf switches that have so many nodes; 0: no tree, or all of its leaves
  std::string image;
  JobContainer container = JobContainer::none;
  std::vector<std::string> mounts;                // file systems that its nodes share, for containers
  std::string checkpoints;                        // mount point of their file system; empty: none is known
  std::optional<std::int64_t> limit;              // minutes that one start may take
  std::int64_t warning = 0;                       // seconds before the limit when the processes are to save
  std::string warning_sum;                        // "checkpoint 60 s + step 11 s + 120 s"
  std::optional<JobSplit> split;                  // as the plan divides it
  std::string unknown;                            // why there is none
  std::optional<Transformer> model;               // with a split
  std::optional<std::int64_t> steps;              // of the whole training
  std::optional<std::int64_t> checkpoint_steps;   // between checkpoints, at the planned step time
  bool every_assumed = false;                     // checkpoint_every: neither the spec nor the plan has it
  std::optional<Seconds> checkpoint_every, step;  // as planned
  bool saves = true;                              // checkpoints; a program without them would begin anew
  bool requeues = true;                           // `scheduler.requeue`: after its node failed, and before its limit
  std::int64_t restarts = 0;                      // Kubernetes: failures after which it starts again
  std::int64_t world() const { return nodes * processes; }
  // Whether the signal reaches what trains: with Ray the processes are children of its daemons.
  bool saves_when_told() const { return launcher != JobLauncher::ray; }
  // Whether the batch script gets a signal before the limit: it has to tell the processes, or to go back into the
  // queue.
  bool is_warned() const { return saves && (requeues || saves_when_told()); }
  bool shards_in_megatron() const {  // by Megatron-FSDP
    return split && (split->sharded == Sharding::gradients || split->sharded == Sharding::all);
  }
};

// A workload that gets no job, and why; `help`: what to do.
struct JobLeft {
  std::string name;
  SourceSpan span;
  std::string why, help;
};

// A team whose quota has room for a part of a group: on so many of its nodes, whole, it can run jobs.
struct JobQuota {
  std::string team;
  std::int64_t nodes = 0;
};

// nccl-tests over the GPUs of a group, HPL over its nodes.
struct FirstJob {
  int group = -1;
  std::int64_t nodes = 0;  // without spares
  std::int64_t gpus = 0;   // of a node; 0: none, or in instances
  std::int64_t ranks = 1;  // of a node
  std::int64_t cpus = 1;   // hardware threads of a rank
  std::string gres, mpi;
  RankPlaces places = RankPlaces::no_gpus;
  std::optional<std::int64_t> limit;   // minutes
  std::int64_t order = 0, block = 0;   // N and NB of HPL.dat; 0: the memory is not known
  std::int64_t rows = 1, columns = 1;  // P x Q = nodes x ranks
  std::string order_sum;               // how N comes about
  std::vector<JobQuota> too_small;     // teams that cannot run it over all of its nodes
};

struct JobFacts {
  std::vector<Job> jobs;
  std::vector<JobLeft> left;
  std::vector<FirstJob> first;      // of Slurm
  std::vector<ServedModel> served;  // in Kubernetes
};

// Of a cluster without errors; worked out once. All are left where the scheduler is neither Slurm nor Kubernetes.
const JobFacts& job_facts(const System&);
// Launchers, limits, quotas, checkpoints, images and splits that cannot be as the spec says.
void check_jobs(const System&, Findings&);

}  // namespace clusterc
