// What `clusterc validate --dry-run` shows: the tests in their order, with nodes, ranks, expected time and command
// line.
#pragma once
#include <string>
#include <vector>

#include "validate/run.h"

namespace clusterc {

struct ValidationPlan {
  std::string cluster, selection;  // selection: as given; empty: the whole suite
  std::string bundle;              // folder of the validators
  double measurement = 0;          // seconds of each that the time budget chose; 0: as without a budget
  const std::vector<SuiteTest>* suite = nullptr;
  const Launcher* launcher = nullptr;
};

std::string render_validation_plan_text(const ValidationPlan&);
std::string render_validation_plan_json(const ValidationPlan&);

}  // namespace clusterc
