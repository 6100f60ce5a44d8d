#pragma once
#include "compile/output.h"

namespace clusterc {
extern const Output kNftablesOutput;

// The ruleset of a group's machines: node.nft, login.nft or manager.nft.
std::string_view firewall_file(const NodeGroupModel&);
}  // namespace clusterc
