// What machines are told of and cannot reach, and what the spec asks for and nothing compiled makes: said to whoever
// puts the files in place.
#pragma once
#include "system/system.h"

namespace clusterc {

void check_deployment(const System&, Findings&);

}  // namespace clusterc
