#pragma once
#include "compile/output.h"

namespace clusterc {

// Has this group a port that the output sets?
bool has_roce_ports(const CompileInput&, int group);

extern const Output kRoceOutput;

}  // namespace clusterc
