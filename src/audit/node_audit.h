// Records of the node probe against the spec, and against each other within a group.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "audit/node_differences.h"
#include "audit/node_record.h"

namespace clusterc {

// What the deployed system has on the nodes of one group.
struct GroupSettings {
  std::vector<std::string> kernel_arguments;
  std::string memlock;  // "unlimited" or KiB; empty: not stated
};

struct AuditedRecord {
  NodePlace node;
  NodeRecord record;
};

// `settings`: of each group. The nodes differ from each other; `to` reports.
void compare_nodes(const Cluster&, const std::vector<GroupSettings>& settings, const std::vector<AuditedRecord>&,
                   NodeDifferences& to);

}  // namespace clusterc
