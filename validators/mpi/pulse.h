// The pulse of a rank, which guard.h watches over.
#pragma once
#include "harness/pulse.h"

namespace clusterc::mpi {
using harness::Pulse;
using harness::TextPulse;
}  // namespace clusterc::mpi
