// What the scheduler says against what is planned.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "audit/node_differences.h"
#include "audit/scheduler_record.h"

namespace clusterc {

// As the compiled files have it.
struct PlannedSchedulerNode {
  NodePlace node;
  std::string name;                                                                // in the scheduler
  std::int64_t cpus = 0, sockets = 0, cores_per_socket = 0, threads_per_core = 0;  // 0: not said
  std::int64_t memory_mib = 0, gpus = 0;
  std::set<std::string> gres, features;
  std::map<std::string, std::string> labels;
  bool spare = false;  // held back for repair: whether it is up is not compared
};
struct PlannedScheduler {
  std::string product;  // "Slurm", "Kubernetes"
  std::vector<PlannedSchedulerNode> nodes;
  std::map<int, std::int64_t> spares;  // by group, where any nodes of it can be the spares: so many may be cordoned
  std::string version, cluster;        // empty: the spec says nothing
  std::vector<std::string> controllers;
  bool topology = false;
  std::vector<SeenScheduler::Switch> switches;
  // Of a second topology, which `scontrol show topology` prints only where it is asked for by name.
  std::vector<SeenScheduler::Switch> switches_by_name;
};

// Files of one scheduler. `at`: the place of findings that belong to no node.
void compare_scheduler(const PlannedScheduler&, const SeenScheduler&, SourceSpan at, Findings&, NodeDifferences& to);

}  // namespace clusterc
