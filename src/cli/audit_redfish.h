// `clusterc audit --redfish`: the hardware that the BMCs name against the spec.
#pragma once
#include <string>
#include <vector>

#include "audit/captures.h"
#include "cli/command.h"

namespace clusterc::cli {

void add_redfish_options(po::options_description&);
struct RedfishAudited {
  std::string summary;  // that people read
  JsonMembers members;  // "bmcs": the counts
};

// Reads the BMCs and adds what differs to the findings of the run, and what they said to the captures.
RedfishAudited audit_redfish(Run&, const std::string& spec_path, const po::variables_map&, std::vector<Captured>&);

bool asks_for_bmcs(const std::vector<Captured>&);
// What BMCs said earlier. Captures of another kind are passed over.
RedfishAudited audit_saved_bmcs(Run&, const std::vector<Captured>&);

}  // namespace clusterc::cli
