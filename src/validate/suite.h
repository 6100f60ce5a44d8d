// What to run on a cluster, from small to large: each stage is a gate for the next.
#pragma once
#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "plan/plan.h"
#include "targets/hpl_dat.h"
#include "targets/targets.h"

namespace clusterc {

enum class SuiteStage { inventory, node, pair, group, whole, soak };
std::string_view stage_name(SuiteStage);
std::vector<SuiteStage> all_stages();  // in the order in which they run

// LINPACK by a vendor's program (validate/vendor_hpl.h).
struct VendorHpl {
  std::string program;  // absolute path, the same on every node
  LinpackProgram kind = LinpackProgram::netlib;
  double bytes_of_rank = 0;  // of the matrix
  double bytes = 0;          // of the whole matrix, where the spec says so; 0: it fills the memory
};

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
  double figures = 1;           // measurements that follow each other on a node, of `--seconds` each
  double expected_s = 0;        // how long it is expected to take (validate/expected_time.h)
  bool length_unknown = false;  // nobody knows how long it takes: `expected_s` is 0
  bool left_out = false;        // by the time budget; `skip` says so
  bool mpi = false;
  std::vector<std::string> metrics;  // figures that it must bring: what is missing afterwards was not shown
  std::string skip;                  // the reason the spec gives, or why it cannot run
  std::string scope;                 // of the figures that are expected, where one metric has several
  // Nodes that work together, one team behind the other: teams of an MPI world, or the pairs of a round. 0: all.
  std::int64_t team_nodes = 0;
  std::int64_t ports = 0;  // RDMA ports of each node, all of which have to bring a figure; 0: it measures none
  int search_round = 0;    // its pairs are this round of the search for culprits (validate/pair_search.h); 0: of none
  std::string
      system;  // storage system that it measures: expected of each node as "GROUP/SYSTEM", of all together as "SYSTEM"
  std::optional<VendorHpl> vendor;  // in place of the validator
};

// The validators that a suite is made of, in its order: what `validate --only` takes.
std::vector<std::string_view> suite_validators();

struct SuiteOptions {
  double seconds = 0;       // length of each measurement; 0: the validators' own
  bool allow_busy = false;  // measure beside other work
  std::string max_size;     // largest message of collectives, as the validator takes it; empty: its own
  std::string
      image;  // of containers, as their runtime names it; empty: the node's own file system, where the runtime can
  std::string hpl;                     // a vendor's LINPACK, in place of clusterc-hpl; empty: ours
  bool memtest = false, burn = false;  // take hours: only where they are asked for
  double soak_seconds = 0;      // length of the soak stage, which both share; 0: each takes `seconds`, or its own
  const Plan* plan = nullptr;   // where nodes stand and end: without it leaves and racks are not measured apart
  std::set<std::string> nodes;  // only these; empty: all
};
std::vector<SuiteTest> plan_suite(const Cluster&, const ExpectedFigures&, const SuiteOptions& = {});

}  // namespace clusterc
