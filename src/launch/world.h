// An MPI world that one mpirun starts, whose ranks print into one stream.
#pragma once
#include "base/subprocess.h"
#include "launch/launcher.h"

namespace clusterc {

// Runs `process` (argv, grace, environment are the caller's) for `launch`; `ranks` share the limit of their output.
// `node`: to which the one result belongs. `here`: its programs run on this machine, and nothing else of ours does: of
// what is there when the time is over, the stacks are kept.
LaunchResult run_in_one_stream(Subprocess process, const Launch& launch, std::size_t ranks, const std::string& node,
                               bool here);

}  // namespace clusterc
