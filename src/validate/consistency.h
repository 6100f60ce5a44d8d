// Whether a result agrees with itself and with what was started. The lines come from other machines and through files:
// a program that lies, a journal that was edited, two results in one are found here, for what runs now and for what the
// journal keeps alike.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "validate/judge.h"
#include "validate/record.h"
#include "validate/suite.h"

namespace clusterc {

struct Contradiction {
  Verdict verdict = Verdict::error;  // fail where data is said to be wrong
  std::string reason;
};

// What concerns the result as a whole; each figure by itself is judge()'s business. `node`: where it came from;
// `nodes`: all that the test ran on.
std::optional<Contradiction> contradiction_of(const ResultRecords&, const SuiteTest&, const std::string& node,
                                              const std::vector<std::string>& nodes);

}  // namespace clusterc
