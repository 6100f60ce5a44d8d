#pragma once
#include "compile/output.h"

namespace clusterc {
extern const Output kNetworkManagerOutput;
}  // namespace clusterc
