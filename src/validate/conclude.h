// What a run says as a whole, when its last test has ended: what the spec demands and whether it was met, and what is
// expected of this hardware and was not measured. Equal nodes and GPUs are held against each other first.
#pragma once
#include <vector>

#include "validate/run.h"

namespace clusterc {

// `whole`: every test that this cluster has; `suite`: those that ran. Adds a verdict for each expected figure that no
// test of the whole suite brings, marks the verdicts that the spec demands, and lists the demands.
void conclude(Report&, const Cluster&, const ExpectedFigures&, const std::vector<SuiteTest>& suite,
              const std::vector<SuiteTest>& whole);

}  // namespace clusterc
