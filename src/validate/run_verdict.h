// The verdict of a whole run. Text, JSON, JUnit, certificate, metrics and exit status all take it from here.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "validate/run.h"

namespace clusterc {

enum class RunVerdict {
  could_not_run,  // Report::error
  interrupted,    // a part of the suite did not run
  failed,  // a verdict is fail, error or degraded, a demand is not met, a test had no time, or a culprit was found
  nothing_judged,  // nothing was found, and nothing passed: nothing ran, or every verdict is unjudged or skipped
  nothing_wrong,   // nothing was found, but the spec demands no figure, and not everything ran and passed
  passed           // nothing was found; all that the spec demands passed, or, if it demands nothing, everything
};

std::vector<RunVerdict> all_run_verdicts();
RunVerdict run_verdict(const Report&);
std::string_view run_verdict_name(RunVerdict);  // as the reports have it: "passed", "not passed" …
// Why the run has this verdict: "2 fail; 1 of 3 figures that the spec demands not met"; empty: it has passed.
std::string why_run_verdict(const Report&);
// Passed, or nothing wrong: exit status 0.
bool is_good(RunVerdict);

}  // namespace clusterc
