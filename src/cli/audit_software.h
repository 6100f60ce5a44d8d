// `clusterc audit --scontrol`, `--kubectl` and `--files`: what the scheduler says, and compiled files on the nodes.
#pragma once
#include <string>
#include <vector>

#include "audit/captures.h"
#include "cli/command.h"

namespace clusterc::cli {

void add_software_options(po::options_description&);
bool asks_for_software(const po::variables_map&);
std::vector<Captured> capture_software(const po::variables_map&);

struct SoftwareAudited {
  std::string summary;  // that people read
  JsonMembers members;  // "scheduler", "files": the counts
};
// Adds what differs to the findings of the run. Captures of another kind are passed over.
SoftwareAudited audit_software(Run&, const std::string& spec_path, const std::vector<Captured>&);

}  // namespace clusterc::cli
