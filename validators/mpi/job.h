// Who takes part in an MPI job, and how much of their processors other work uses. For every validator that runs under
// MPI.
#pragma once
#include <mpi.h>

#include <optional>
#include <set>
#include <string>

#include "harness/load.h"
#include "harness/loop.h"

namespace clusterc::mpi {

// Throws CouldNotRun(communication) naming `call` unless `status` is MPI_SUCCESS.
void check(int status, const char* call);

// Who takes part, seen from one rank.
struct Job {
  int rank = 0, ranks = 1;
  int nodes = 1;
  bool oversubscribed = false;  // more ranks on some node than processors that they may use
  std::string hosts;            // of all nodes, while they are few
  MPI_Comm node = MPI_COMM_NULL;
  std::set<int> node_cpus;  // that the ranks of this node may use
};
Job describe_job();

// The largest share of any node's processors that work outside this job used; the same answer on every rank.
std::optional<double> worst_share(const harness::LoadMeter&, const Job&);

// Whether the repetition that comes is the last: every rank must stop at the same one, so where time decides, rank 0
// says when.
bool is_last(const harness::Loop&, std::size_t done, double begin);

}  // namespace clusterc::mpi
