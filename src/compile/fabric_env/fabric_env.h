#pragma once
#include "compile/output.h"

namespace clusterc {
extern const Output kFabricEnvOutput;

// Are there files of this output for the nodes of a group?
bool has_fabric_env(const CompileInput&, int group);
}  // namespace clusterc
