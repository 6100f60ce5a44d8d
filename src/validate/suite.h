// What to run on a cluster, from small to large: each stage is a gate for the next.
#pragma once
#include <string>
#include <vector>

#include "plan/plan.h"
#include "targets/targets.h"

namespace clusterc {

enum class SuiteStage { inventory, node, whole };
std::string_view stage_name(SuiteStage);

struct SuiteTest {
  std::string id;                    // "node/gpu/memory": stage, group, validator (and its device where there are two)
  SuiteStage stage = SuiteStage::inventory;
  std::string validator;             // probe, memory, gemm, mpi
  std::vector<std::string> arguments;
  std::string group;                 // node group; empty: all computing nodes
  std::vector<std::string> nodes;
  int ranks_per_node = 1;
  bool mpi = false;
  std::vector<std::string> metrics;  // figures that it must bring: what is missing afterwards was not shown
  std::string skip;                  // the reason the spec gives
};

// `seconds` bounds each measurement on a node (0: the validators' own lengths).
std::vector<SuiteTest> plan_suite(const Cluster&, const ExpectedFigures&, double seconds);

}  // namespace clusterc
