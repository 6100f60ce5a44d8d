// What a small change of the spec would save or make safer: the plan is right as it is, and says what it costs.
#pragma once
#include <string>
#include <vector>

#include "plan/plan.h"

namespace clusterc {

// Of one fabric, each a sentence without a full stop:
//   a few ports too many   "2 ports more than one nvidia-sn5600 has (130 of 128): …", where no more than a tenth of its
//   ports are too many or for two tiers       "2 ports more than two tiers reach (2050 of 2048): without them, 96
//   switches instead of 208", likewise units made small       "units of 7 nodes, as `scalable_unit` asks, take 184
//   switches; left out, 65", where a tenth of them could be left out storage on rails       "32 ports of storage make
//   it 36 switches of 24, in units of 24 nodes: …", where that is more than they would take alone uplinks beyond need
//   "168 of the 1200 links between leaves and spines are more than 1032 end ports fill: …", where they are more than a
//   tenth, and none of these is said uplinks that fall together   "both uplinks of 3 switches end on one leaf of
//   'inband' each (leaf/inband/03): …"
std::vector<std::string> fabric_hints(const Plan&, int fabric);

}  // namespace clusterc
