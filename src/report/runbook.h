// runbook.md: the plan as work to be done, in the order in which it is done: the room, rack after rack, the cables
// between them, coolant, power on, management ports, then what is compiled put in place (runbook_steps.h), acceptance.
// A box is ticked when what stands behind it was seen to be true.
#pragma once
#include <string>
#include <string_view>

#include "report/verdict.h"
#include "system/system.h"
#include "targets/targets.h"

namespace clusterc {

std::string render_runbook(const System&, const ExpectedFigures&,
                           bool compiles,  // the spec has no error, so that there is something to put in place
                           std::string_view spec_digest, const PlanVerdict* = nullptr);

}  // namespace clusterc
