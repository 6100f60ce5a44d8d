// handbook.md: what somebody who runs this cluster looks up: what there is and under which names and addresses, who
// serves what, daily work, what is lost when something fails, incidents and repairs (repairs.h), teams and their
// quotas, spares.
#pragma once
#include <string>

#include "report/verdict.h"
#include "system/system.h"

namespace clusterc {

std::string render_handbook(const System&, const PlanVerdict* = nullptr);  // begins with the verdict where it is given

}  // namespace clusterc
