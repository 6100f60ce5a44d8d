// Which machines manage the cluster or let users in, and the firewall that follows from it.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "system/system.h"

namespace clusterc {

bool manages(const NodeGroupModel&);        // may speak with BMCs, switches and PDUs
bool fences(const Cluster&, int group);     // turns a partner off by its BMC: speaks with BMCs over HTTPS
bool lets_users_in(const NodeGroupModel&);  // users log in by SSH
// The ruleset of a group's machines: node.nft, login.nft, fence.nft or manager.nft.
std::string_view firewall_file(const Cluster&, int group);
// The subnets from which each of them is reached.
std::vector<std::string> firewall_inside(const Cluster&);

}  // namespace clusterc
