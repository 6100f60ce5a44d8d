// `clusterc audit --fabric`: the cables of running fabrics against the planned ones.
#pragma once
#include <string>

#include "cli/command.h"

namespace clusterc::cli {

struct FabricsAudited {
  std::string summaries;  // a line for each, for people
  std::string path;       // of the capture, where it is the only one
  JsonMembers members;    // "fabrics": the counts of each
};

void add_fabric_options(po::options_description&);
// Reads the captures and adds what differs to the findings of the run.
FabricsAudited audit_fabrics(Run&, const std::string& spec_path, const po::variables_map&);

}  // namespace clusterc::cli
