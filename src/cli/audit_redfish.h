// `clusterc audit --redfish`: the hardware that the BMCs name against the spec.
#pragma once
#include "cli/command.h"

namespace clusterc::cli {

void add_redfish_options(po::options_description&);
// Reads the BMCs and adds what differs to the findings of the run. The summary that people read.
std::string audit_redfish(Run&, const std::string& spec_path, const po::variables_map&);

}  // namespace clusterc::cli
