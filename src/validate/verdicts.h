// The verdicts of one test of the suite: what its tasks printed, against what is expected of the nodes on which it ran.
#pragma once
#include <string>
#include <vector>

#include "validate/journal_text.h"
#include "validate/run.h"

namespace clusterc {

// Adds the verdicts of a test, and the probes that it brought, to the report. `nodes`: on which it ran. A node without
// a result, a result without a node, and a figure that did not come have a verdict, too. The lines of `ran` are given
// back as they are judged, but those that the search for culprits reads: of all nodes together they are some 100 MB.
void judge_test(const Cluster&, const ExpectedFigures&, const SuiteTest&, JournalTest& ran,
                const std::vector<std::string>& nodes, Report&);

// A verdict for every figure that a test was to bring from a node, all with one reason.
void verdict_for_all(std::vector<Judged>&, const SuiteTest&, const std::string& node, Verdict,
                     const std::string& reason);

}  // namespace clusterc
