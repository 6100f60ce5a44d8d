// Cables from rack to rack.
#pragma once
#include <cstdint>
#include <vector>

#include "plan/plan.h"

namespace clusterc {

struct RackPair {
  std::int64_t from = 0, to = 0;  // rack numbers, from <= to; the same: cables that stay in the rack
  std::int64_t copper = 0, optical = 0, unknown = 0;  // cables; unknown: no part of the catalogue makes them
  std::int64_t bundles = 0;                           // of at most `cabling.bundle` cables; 0 within a rack
  Meters longest{0};                                  // way, without the next length that is sold
  std::int64_t cables() const { return copper + optical + unknown; }
};
// By number of the racks. A cable whose ends do not both stand in racks is in none of them; one that several links
// share counts once for each pair that it runs between: a splitter whose tails end in two racks lies in the bundles to
// both.
std::vector<RackPair> rack_pairs(const Cluster&, const Plan&);

}  // namespace clusterc
