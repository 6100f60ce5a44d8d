// A topology that lstopo wrote (hwloc, XML): which GPUs and network adapters share a socket.
#pragma once
#include <string>

#include "diag/finding.h"

namespace clusterc {

std::string judge_lstopo(const Sources&, FileId, Findings&);

}  // namespace clusterc
