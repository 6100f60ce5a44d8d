// What serving a model needs, as text for people and as a part of plan.json.
#pragma once
#include <string>

#include "base/json_writer.h"
#include "targets/workload_plan.h"

namespace clusterc {

std::string serving_text(const WorkloadPlan&);        // of a workload with `serving`
void serving_json(JsonWriter&, const WorkloadPlan&);  // the field "serving"

}  // namespace clusterc
