// The coolant hoses of a plan: how many, between what, with which labels. Lengths and couplings are fields: the plan
// knows the places of racks, not those of CDUs, and only their makers state the couplings (maker_facts.h).
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "plan/plan.h"

namespace clusterc {

struct Hose {
  std::string label;     // "nvl1:supply"
  std::string from, to;  // "nvl1", "CDU or row manifold of loop cold"
};
// Those that end in a rack: a pair for a frame; in a rack with liquid-cooled devices a pair for its manifold, and a
// pair for each of these devices, from the bottom up. Two each is what supply and return need: makers may want more.
std::vector<Hose> hoses_of(const Cluster&, const Plan&, std::int64_t rack);
int loop_of(const Cluster&, std::int64_t rack);  // cooling zone; -1: the rack takes no coolant

// Tables of runbook.md for a liquid zone: its CDUs with place, cords and network port to fill in; its hoses.
std::string cdu_table(const Cluster&, const Plan&, int zone);
std::string hose_table(const Cluster&, const Plan&, int zone);

}  // namespace clusterc
