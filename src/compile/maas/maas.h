#pragma once
#include "compile/output.h"

namespace clusterc {
extern const Output kMaasOutput;
}  // namespace clusterc
