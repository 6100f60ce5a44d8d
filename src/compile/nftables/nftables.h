#pragma once
#include <string>
#include <vector>

#include "compile/output.h"

namespace clusterc {
extern const Output kNftablesOutput;

// The ruleset of a group's machines: node.nft, login.nft or manager.nft.
std::string_view firewall_file(const NodeGroupModel&);
// The subnets from which each of them is reached.
std::vector<std::string> firewall_inside(const Cluster&);
}  // namespace clusterc
