#include "harness/fault.h"

// Alone in its file: a fault build brings its own constant, and the linker then leaves this member of the library out.
const bool clusterc::harness::kFaultBuild = false;
