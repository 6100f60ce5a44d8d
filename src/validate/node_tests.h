// Tests of single nodes that the suite's planner takes as they are.
#pragma once
#include <string>
#include <vector>

#include "validate/suite.h"

namespace clusterc {

// Of the group those that the options choose.
std::vector<std::string> names_of(const NodeGroupModel&, const SuiteOptions&);
std::vector<SuiteTest> containers(const NodeGroupModel&, const SuiteOptions&);
SuiteTest nvlinks(const NodeGroupModel&, const SuiteOptions&);

}  // namespace clusterc
