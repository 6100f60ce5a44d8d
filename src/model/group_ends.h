// Which networks a group is in, and which groups have a role, without a look at all others. Of a frozen cluster.
#pragma once
#include <string_view>
#include <vector>

#include "model/cluster.h"

namespace clusterc {

struct GroupEnd {
  int network = -1, end = -1;  // NetworkModel::ends
};
// All end points of a node group, management ports among them, in the order of the networks and of their ends.
const std::vector<GroupEnd>& ends_of_group(const Cluster&, int group);

// Likewise of a storage system that is bought.
const std::vector<GroupEnd>& ends_of_storage(const Cluster&, int storage);

// Groups with this role, also those without a node, in the order of the spec.
const std::vector<int>& groups_with(const Cluster&, Role);

// The groups that have a node of this host name, ascending: one at most where all names are right. The first of them,
// -1: none.
std::vector<int> groups_of_host(const Cluster&, std::string_view name);
int group_of_host(const Cluster&, std::string_view name);

}  // namespace clusterc
