#pragma once
#include "compile/output.h"

namespace clusterc {
extern const Output kXcatOutput;
}  // namespace clusterc
