#pragma once
#include "compile/output.h"

namespace clusterc {
extern const Output kOpenChamiOutput;
}  // namespace clusterc
