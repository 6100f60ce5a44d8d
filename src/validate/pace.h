// How far a run is: what it says when a test begins.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "validate/suite.h"

namespace clusterc {

// "12 min elapsed, at most 3 hours left": every test that is left ends at its limit of time at the latest. `number`:
// the test that begins, from 1; `elapsed`: seconds since the run began.
std::string pace_text(const std::vector<SuiteTest>& suite, std::size_t number, std::int64_t elapsed);

}  // namespace clusterc
