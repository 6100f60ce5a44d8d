// What is to be expected of the workloads of a spec, as text for people and as a part of plan.json.
#pragma once
#include <string>

#include "base/json_writer.h"
#include "targets/workload_plan.h"

namespace clusterc {

std::string render_workloads_text(const std::vector<WorkloadPlan>&);  // empty without workloads
void workloads_json(JsonWriter&, const std::vector<WorkloadPlan>&);  // the field "workloads"; nothing without workloads

}  // namespace clusterc
