// Logs of tests of GPUs: nccl-tests and `dcgmi diag`.
#pragma once
#include "audit/files/judge.h"

namespace clusterc {

// The summaries: "2 tests, 16 ranks, 40 sizes"; "11 tests: 10 passed, 1 failed".
std::string judge_nccl_log(const Sources&, FileId, Findings&);
std::string judge_dcgm_log(const Sources&, FileId, Findings&);

}  // namespace clusterc
