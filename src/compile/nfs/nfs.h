#pragma once
#include "compile/output.h"

namespace clusterc {
extern const Output kNfsOutput;
}  // namespace clusterc
