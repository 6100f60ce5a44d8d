// What changed between two validations, as text and as a member of the report's JSON.
#pragma once
#include <string>

#include "validate/compare.h"

namespace clusterc {

class JsonWriter;

std::string render_comparison_text(const Comparison&);
void write_comparison(JsonWriter&, const Comparison&);  // "comparison": { … }

}  // namespace clusterc
