// main() of a validator that runs under MPI: options, MPI's beginning and end, and how a rank ends that could not run.
// What differs is the body.
#pragma once
#include <functional>
#include <string>

#include "harness/options.h"
#include "harness/report.h"

namespace clusterc::mpi {

struct RankProgram {
  const harness::Program& program;
  // What is wrong with the options, whatever number of ranks there is, and with that number; empty: nothing. Both are
  // usage errors.
  std::function<std::string(const harness::Options&)> wrong_options;
  std::function<std::string(const harness::Options&, unsigned ranks)> wrong_shape;
  std::function<int(const harness::Options&)>
      run;  // on every rank, between MPI_Init and MPI_Finalize; gives the exit status
};
int run_rank_program(const RankProgram&, int argc, char** argv);

// The body of a rank, and what is told when it throws. `by_all`: every rank meets this cause alike and ends in order
// (the same load, the same missing back end); any other may be one rank's alone, and ends the others, too.
int run_rank(harness::Reporter&, int rank, const std::function<bool(harness::Cause)>& by_all,
             const std::function<void()>& body);

}  // namespace clusterc::mpi
