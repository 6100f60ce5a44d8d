// From what clusterc-fabric prints between hosts to the values that the search takes.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "launch/launcher.h"
#include "validate/culprits/decode.h"
#include "validate/culprits/schedule.h"

namespace clusterc {

// `order`: the hosts as `--hosts` has them: the first two are partners, the next two … A host reports its own writes,
// `rdma.write` of device `linkK`, K from 0: rail K. A rail without a figure has the value 0: nothing came through, or
// the program did not run on one of the two. A pair of which nobody was started (no task) has no values. Names that the
// fabric does not know are left out.
std::vector<PairValue> pair_values(const PairFabric&, std::span<const std::string> order, std::span<const TaskOutput>);

// The hosts of a round in that order.
std::vector<std::string> hosts_of(const PairFabric&, const PairRound&);

}  // namespace clusterc
