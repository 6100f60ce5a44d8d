#pragma once
#include "compile/output.h"

namespace clusterc {
extern const Output kCloudInitOutput;
}  // namespace clusterc
