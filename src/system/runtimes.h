// What the plays install of container runtimes, NVIDIA's container toolkit and MPI, and where it comes from.
#pragma once
#include <string>
#include <vector>

#include "system/packages.h"

namespace clusterc {

// Adds them to the group's packages and sources. What no source is known for is in `uninstalled`.
void add_runtimes(const Cluster&, int group, NodePackages&);

// Where users start programs: nodes without a role, of jobs, and login nodes.
bool starts_programs(const Cluster&, const NodeGroupModel&);

}  // namespace clusterc
