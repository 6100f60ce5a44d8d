#pragma once
#include "compile/output.h"

namespace clusterc {
extern const Output kNftablesOutput;
}  // namespace clusterc
