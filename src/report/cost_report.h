// The cost of a plan as text for people, and as an object for programs.
#pragma once
#include <string>

#include "base/json_writer.h"
#include "plan/cost/cost.h"

namespace clusterc {

std::string render_cost_text(const Cost&);
void cost_json(JsonWriter&, const Cost&);  // the members of an object that is open

}  // namespace clusterc
