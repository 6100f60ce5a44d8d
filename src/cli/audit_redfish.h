// `clusterc audit --redfish`: the hardware that the BMCs name against the spec.
#pragma once
#include <string>

#include "cli/command.h"

namespace clusterc::cli {

void add_redfish_options(po::options_description&);
struct RedfishAudited {
  std::string summary;  // that people read
  JsonMembers members;  // "bmcs": the counts
};

// Reads the BMCs and adds what differs to the findings of the run.
RedfishAudited audit_redfish(Run&, const std::string& spec_path, const po::variables_map&);

}  // namespace clusterc::cli
