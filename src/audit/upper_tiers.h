// Spines and cores of a running fabric: which planned switch each one is, when the leaves are known.
#pragma once
#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "audit/planned_fabric.h"
#include "audit/seen_fabric.h"

namespace clusterc {

// By number of a seen thing, how often it was met: the most frequent one. Not for an empty map.
inline std::int32_t most_common(const std::map<std::int32_t, std::int64_t>& times) {
  return std::max_element(times.begin(), times.end(), [](auto& a, auto& b) { return a.second < b.second; })->first;
}

// `leaves`: the seen ones; `tiers`: those of the plan. Fills `planned`, by seen device the planned one (-1: none), and
// `taken`, by planned switch the seen one.
void match_upper_tiers(const SeenFabric&, const PlannedFabric&, const std::set<std::int32_t>& leaves, int tiers,
                       std::vector<std::int32_t>& planned, std::vector<std::int32_t>& taken);

}  // namespace clusterc
