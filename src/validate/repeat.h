// `validate --failed`: what failed, was degraded, ended with an error or never ran in an earlier report runs again, on
// the nodes on which it did; the new report has these results in the place of the earlier ones, which become history.
#pragma once
#include <string>
#include <vector>

#include "validate/report_text.h"
#include "validate/run.h"
#include "validate/suite.h"

namespace clusterc {

// The tests to repeat. A test whose nodes are measured each by itself runs on those that failed or have no verdict; one
// of several nodes together, and a file system, on all of its nodes. A test that the time budget left out runs as a
// whole. Where a culprit was found, or a round of confirmation failed, all rounds of pairs run again.
std::vector<SuiteTest> tests_to_repeat(const std::vector<SuiteTest>& suite, const Report& earlier);

// Of the suite what has verdicts, each test with those of its nodes that have one.
std::vector<SuiteTest> tests_that_ran(const std::vector<SuiteTest>& suite, const std::vector<Judged>& verdicts);

// Why results of the earlier report may not stand beside new ones; empty: they may.
std::string why_not_repeated(const EarlierReport&, const Report& now, const std::string& spec_digest);

// Puts into `now`, which has the results of `repeated` only, everything else of the earlier report. The order is that
// of the suite. To be followed by conclude().
void merge_earlier(Report& now, const EarlierReport& earlier, const std::vector<SuiteTest>& repeated,
                   const std::vector<SuiteTest>& suite);

}  // namespace clusterc
