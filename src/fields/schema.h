// The same descriptors as a JSON Schema for editors and as a reference for people.
#pragma once
#include <string>
#include <string_view>

#include "fields/shape.h"

namespace clusterc {

// JSON Schema, draft-07. It takes what the reader takes, as far as a schema can say it: ranges of quantities and what
// the short forms may contain are the reader's alone.
std::string json_schema(const Type& root, std::string_view id, std::string_view title);
// Markdown: a table of keys for every mapping, in the order in which they are met.
std::string reference_page(const Type& root, std::string_view title, std::string_view introduction);

}  // namespace clusterc
