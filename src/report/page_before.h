// What the page of `diff` draws of the earlier plan: where racks and devices stood, and loads.
#pragma once
#include <string>

#include "plan/plan.h"

namespace clusterc {

// One object of JSON: racks with their devices, feeds, PDUs and cooling zones, each by its name (docs/names.md).
std::string render_page_before(const Cluster&, const Plan&);

}  // namespace clusterc
