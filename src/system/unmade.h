// What the spec names and no output sets up, one finding for each system: nobody may take it for made.
#pragma once
#include "system/system.h"

namespace clusterc {

void check_unmade_systems(const System&, Findings&);

}  // namespace clusterc
