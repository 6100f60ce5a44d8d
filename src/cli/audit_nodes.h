// `clusterc audit --nodes`: what the node probe says against the spec.
#pragma once
#include <string>
#include <vector>

#include "audit/captures.h"
#include "cli/command.h"

namespace clusterc::cli {

void add_node_options(po::options_description&);
// Probes the nodes, or reads the collected files.
std::vector<Captured> capture_nodes(Run&, const po::variables_map&);

bool asks_for_nodes(const std::vector<Captured>&);

struct NodesAudited {
  std::string summary;  // that people read
  JsonMembers members;  // "nodes": the counts
};
// Adds what differs to the findings of the run. Captures of another kind are passed over.
NodesAudited audit_nodes(Run&, const std::vector<Captured>&);

}  // namespace clusterc::cli
