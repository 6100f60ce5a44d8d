// Slow uplinks of a leaf where each flow or packet chooses its own: one slow link of u takes (1 - s)/u of every
// transfer to other leaves. That is less than the noise of one transfer, but not less than that of the median of all
// transfers of the leaf: 64 nodes in four rounds, both directions, are 512 values, and sigma 0.66 % becomes 0.04 %.
#pragma once
#include <span>
#include <vector>

#include "validate/culprits/decode.h"

namespace clusterc {

// `ratio`: of each value to the median of its peers; `suspect`: by direction of each port, 2 x (node x rails + rail),
// sending first. A leaf is found if its median lies six robust standard deviations of all leaves' medians below them,
// at least 0.2 %, and 3.5 in each half of the rounds alone. `value` of what is found is relative to the peers.
std::vector<Found> slow_uplinks(const PairFabric&, std::span<const PairValue>, std::span<const double> ratio,
                                const std::vector<bool>& suspect);

}  // namespace clusterc
