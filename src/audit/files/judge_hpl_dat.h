// HPL.dat of a LINPACK run: what its sizes need, against the GPUs that it runs on.
#pragma once
#include "audit/files/judge.h"

namespace clusterc {

// The summary: "N = 300,000 (720 GB), NB = 192, 32 x 36 = 1,152 ranks".
std::string judge_hpl_dat(const Sources&, FileId, const FileChoices&, Findings&);

}  // namespace clusterc
