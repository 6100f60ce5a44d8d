#include "harness/fault.h"

const bool clusterc::harness::kFaultBuild = true;
