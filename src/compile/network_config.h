// The configuration of network devices in version 2 of the format that netplan and cloud-init share.
#pragma once
#include <string_view>

#include "compile/output.h"
#include "system/group_network.h"

namespace clusterc {

// For all nodes of a group.
PatternText netplan_text(const CompileInput&, GroupNetwork&, const NodeGroupModel&, std::string_view output_id);

}  // namespace clusterc
