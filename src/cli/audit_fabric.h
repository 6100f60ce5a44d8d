// `clusterc audit --fabric`: the cables of running fabrics against the planned ones.
#pragma once
#include <string>
#include <vector>

#include "audit/captures.h"
#include "cli/command.h"

namespace clusterc::cli {

struct FabricsAudited {
  std::string summaries;  // a line for each, for people
  std::string path;       // of the capture, where it is the only one
  JsonMembers members;    // "fabrics": the counts of each
};

void add_fabric_options(po::options_description&);
// Reads the files of --fabric.
std::vector<Captured> capture_fabrics(const std::string& spec_path, const po::variables_map&);
bool asks_for_fabrics(const std::vector<Captured>&);
// Adds what differs to the findings of the run. Captures of another kind are passed over. `names`: of --names; empty:
// no list is written.
FabricsAudited audit_fabrics(Run&, const std::vector<Captured>&, const std::string& names);

}  // namespace clusterc::cli
