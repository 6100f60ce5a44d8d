#pragma once
#include "compile/output.h"

namespace clusterc {
extern const Output kGrafanaOutput;
}  // namespace clusterc
