// The option --page of several commands: the plan of the spec, with what the command found, as one HTML file.
#pragma once
#include <boost/program_options.hpp>
#include <string>
#include <vector>

#include "report/page.h"

namespace clusterc {
struct Run;
}

namespace clusterc::cli {

// The file of --page; empty: it is not given. UsageError if it is the spec, or cannot be written.
std::string page_file(const boost::program_options::variables_map&, const std::string& spec);
// The run has a plan and is checked; its findings are sorted. Throws WriteError.
void write_page(Run&, const ExpectedFigures&, const std::string& spec, const std::string& file,
                const std::vector<PageDocument>& more = {});

}  // namespace clusterc::cli
