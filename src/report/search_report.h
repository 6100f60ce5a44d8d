// The culprits that the pair stage found, as a part of the report of a validation.
#pragma once
#include <string>

#include "validate/run.h"

namespace clusterc {

class JsonWriter;

std::string render_searches_text(const Report&);  // empty: nothing was searched
void write_searches(JsonWriter&, const Report&);  // the key `searches`; nothing where nothing was searched

// "rack r2 unit 14, adapter compute/3, cable …, switch port …, serial …": what is known of where it is.
std::string place_of_culprit(const NamedCulprit&);

}  // namespace clusterc
