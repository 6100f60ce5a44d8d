#pragma once
#include "compile/output.h"

namespace clusterc {
extern const Output kKickstartOutput;
}  // namespace clusterc
