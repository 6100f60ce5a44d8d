#pragma once
#include "compile/group_network.h"

namespace clusterc {

extern const Output kNetplanOutput;

// The configuration in version 2 of the format that netplan and cloud-init share, for all nodes of a group.
PatternText netplan_text(const CompileInput&, GroupNetwork&, const NodeGroupModel&, std::string_view output_id);

}  // namespace clusterc
