// Which part of the suite runs: stages, nodes, racks, a budget of time.
#pragma once
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "plan/plan.h"
#include "validate/suite.h"

namespace clusterc {

// "node,pair", or "..pair": all stages up to it but none behind. nullopt with `error`.
std::optional<std::set<SuiteStage>> parse_stages(std::string_view text, std::string& error);

// Names of nodes of the cluster that a host list names, or that stand in the racks of a host list of rack names.
// nullopt with `error`: a name that the cluster does not have, or nothing is left.
std::optional<std::set<std::string>> nodes_named(const Cluster&, std::string_view list, std::string& error);
std::optional<std::set<std::string>> nodes_in_racks(const Cluster&, const Plan&, std::string_view list,
                                                    std::string& error);

// The node group that has the node; -1: none.
int group_of_node(const Cluster&, std::string_view node);

// The nodes of the test that a verdict is of: one, or those that its pattern names. Empty: it is of none of them.
std::vector<std::string> nodes_of_verdict(const SuiteTest&, const std::string& named);

struct Budgeted {
  std::vector<SuiteTest> suite;
  double seconds = 0;                 // the length of each measurement that was chosen; 0: as without a budget
  std::vector<std::string> left_out;  // tests, by id
};
// The suite whose expected time is at most `budget` seconds. Measurements are shortened first (at most to a tenth of a
// second), then whole tests are left out: the longest first, never the inventory. `plan_for` gives the suite with a
// length of each measurement, 0: as it is without a budget; `longest`: what the user gave as --seconds, 0: nothing.
Budgeted fit_budget(const std::function<std::vector<SuiteTest>(double seconds)>& plan_for, double longest,
                    double budget);

}  // namespace clusterc
