// The option --page of several commands: the plan of the spec, with what the command found, as one HTML file.
#pragma once
#include <string>
#include <vector>

#include "report/page.h"

namespace clusterc {
struct Run;
}

namespace clusterc::cli {

// The run has a plan and is checked; its findings are sorted. Throws WriteError.
void write_page(Run&, const ExpectedFigures&, const std::string& spec, const std::string& file,
                const std::vector<PageDocument>& more = {});

}  // namespace clusterc::cli
