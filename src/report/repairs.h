// The chapter "Incidents and repairs" of handbook.md: what to look at first, how BMCs are reached, in which order the
// cluster is powered down, and how a GPU, a cable and a PDU are replaced. Names, addresses and order are those of the
// plan; what only the maker's service manual states, the text says so.
#pragma once
#include <string>

#include "system/system.h"

namespace clusterc {

std::string render_repairs(const System&);  // without the heading of the chapter

}  // namespace clusterc
