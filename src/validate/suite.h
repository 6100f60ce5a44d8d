// What to run on a cluster, from small to large: each stage is a gate for the next.
#pragma once
#include <chrono>
#include <string>
#include <vector>

#include "plan/plan.h"
#include "targets/targets.h"

namespace clusterc {

enum class SuiteStage { inventory, node, group, whole };
std::string_view stage_name(SuiteStage);

struct SuiteTest {
  std::string id;  // "node/gpu/memory": stage, group, validator (and its device where there are two)
  SuiteStage stage = SuiteStage::inventory;
  std::string validator;  // as suite_validators() has it
  std::vector<std::string> arguments;
  std::string group;  // node group; empty: all computing nodes
  std::vector<std::string> nodes;
  int ranks_per_node = 1;
  std::int64_t gpus_per_node = 0;  // that the node shall have, and that the launcher asks for
  std::int64_t gpu_instances = 1;  // of each GPU, where MIG cuts them: the launcher asks for so many times the GPUs
  std::chrono::milliseconds timeout{std::chrono::minutes(10)};
  bool mpi = false;
  std::vector<std::string> metrics;  // figures that it must bring: what is missing afterwards was not shown
  std::string skip;                  // the reason the spec gives, or why it cannot run
  std::string scope;                 // of the figures that are expected, where one metric has several
  std::int64_t team_nodes =
      0;  // an MPI world that is divided into teams of so many nodes, each judged by itself; 0: it is not
  std::string
      system;  // storage system that it measures: expected of each node as "GROUP/SYSTEM", of all together as "SYSTEM"
};

// The validators that a suite is made of, in its order: what `validate --only` takes.
std::vector<std::string_view> suite_validators();

struct SuiteOptions {
  double seconds = 0;       // length of each measurement; 0: the validators' own
  bool allow_busy = false;  // measure beside other work
  std::string max_size;     // largest message of collectives, as the validator takes it; empty: its own
  std::string
      image;  // of containers, as their runtime names it; empty: the node's own file system, where the runtime can
  bool memtest = false, burn = false;  // take hours: only where they are asked for
};
std::vector<SuiteTest> plan_suite(const Cluster&, const ExpectedFigures&, const SuiteOptions& = {});

}  // namespace clusterc
