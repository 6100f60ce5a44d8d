// What yaml-cpp did not like, in our words. For builder.cc alone.
#pragma once
#include <string_view>

#include "diag/finding.h"

namespace clusterc {

// Adds one finding. `what`: yaml-cpp's message; `at`: the byte that it is about; `text`: the source.
void report_parser_error(std::string_view what, std::size_t at, FileId file, std::string_view text, Findings&);

}  // namespace clusterc
