// What is to be expected of each workload that a spec names: whether it fits, how to divide it, how long it takes; or
// what serving it needs.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "plan/plan.h"
#include "targets/serving.h"
#include "targets/training.h"

namespace clusterc {

struct ScalePoint {  // the same step on fewer GPUs of the same kind, each with its own fastest layout
  double gpus = 0;
  LayoutChoice choice;
  double tokens_per_gpu = 0;  // a second, of those that are not idle
  double efficiency = 0;      // tokens_per_gpu over the best of all points: memory can make few GPUs slower than many
};

struct CheckpointPlan {
  Bytes size{0};
  std::string storage;  // empty: none whose rate is known
  std::string rate_from;
  std::optional<BytesPerSecond> rate;
  std::optional<Seconds> save;  // size / rate, else the limit that the spec sets
  bool save_is_limit = false;
  Seconds between{0};                         // interruptions of this job
  double gpu_hours = 0;                       // per interruption
  std::optional<Seconds> young, daly, every;  // every: what is reckoned with, the spec's or Young's
  Seconds restart{0};
  bool restart_assumed = false;
  std::optional<double> goodput;  // 0 or less: no progress
  // With the most and the fewest interruptions that are published, where the spec states no rate.
  std::optional<double> goodput_least, goodput_most;
};

struct RunPlan {    // training on all tokens that the spec names
  Seconds time{0};  // goodput included
  double gpu_hours = 0;
  Watts power{0};           // of the nodes, at load (power_at_load)
  Watts highest{0};         // of the same nodes, as racks and feeds are planned
  bool power_known = true;  // false: that of a node is a lower bound, so power, energy and carbon are
  bool time_known = true;   // false: a limit on power or TCP slows it, nobody knows how much: time and all that is made
                            // of it are lower bounds
  double pue = 1;
  bool pue_known = false;
  Joules energy{0};  // at the site's meter where the PUE is known, else at the nodes' supplies
  std::optional<Kilograms> carbon;
};

struct WorkloadPlan {
  std::string name, kind, precision;
  SourceSpan span;
  std::int64_t gpus = 0, nodes = 0;
  std::vector<GpuKind> kinds;        // of its GPUs
  std::string gpu;                   // catalogue id of the slowest
  Bytes memory{0};                   // of the smallest
  std::string unconnected;           // a group whose nodes exchange data in a step, but are in no network for it
  std::vector<std::string> missing;  // what could not be said, and the key that would say it
  std::vector<std::string> assumed;  // what the spec leaves open and the plan decides
  // training and fine-tuning
  std::optional<TrainingJob> job;
  TrainingMachine machine;
  std::optional<LayoutSearch> written, free;  // as the spec divides it; the best there is
  std::optional<LayoutChoice> searched;       // the best of `free` without the written one
  std::optional<LayoutChoice> used;  // what the figures below reckon with: as written if that fits, else the fastest
  bool used_written = false;
  double idle() const { return used ? machine.gpus - used->layout.gpus() : 0; }  // GPUs that `used` has no work for
  double tokens_per_second = 0, mfu = 0;                                         // mfu: of the GPUs that are not idle
  std::vector<ScalePoint> scaling;
  std::optional<CheckpointPlan> checkpoint;
  std::optional<RunPlan> run;
  std::optional<double>
      deadline_gpus;  // the fewest of its kind that are done within `within`: these, or a power of two of a node
  // inference
  std::optional<ServingPlan> serving;
};

// In the order of the spec; nothing is reckoned for a spec that names no workloads.
std::vector<WorkloadPlan> plan_workloads(const Cluster&, const Plan&);
// One of them, all but its `scaling`, which takes most of the time.
WorkloadPlan plan_workload(const Cluster&, const Named<Workload>&);

// The first group of a workload on several nodes (or NVLink domains) whose nodes no network connects that carries
// compute; empty: none.
std::string unconnected_group(const Cluster&, const WorkloadGpus&);

// What one node draws while its GPUs are busy without end: the sum of its parts at their rated power, never more than
// the node's highest. Of a node whose power is not known: of its parts that state one, a lower bound.
Watts power_at_load(const ServerModel&);

}  // namespace clusterc
