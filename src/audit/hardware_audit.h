// The hardware that BMCs name against the servers of the spec.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "audit/redfish_client.h"
#include "diag/finding.h"
#include "plan/plan.h"

namespace clusterc {

struct AuditedNode {
  int group = -1;
  std::int64_t member = 0;
  std::string address;  // of its BMC
  std::string serial;   // of the server, in the inventory; empty: it has none
  SourceSpan span;      // where the list of BMCs names it; invalid: the group in the spec is meant
};

struct HardwareCounts {
  std::int64_t read = 0, equal = 0, unread = 0;  // nodes; equal: as planned, in all that could be compared
};

// The node of each BMC, in the order of the answers.
HardwareCounts report_hardware(const Plan&, const std::vector<AuditedNode>&, const std::vector<BmcAnswer>&, Findings&);

// That what BMCs said came over connections whose other end was not verified.
void report_unverified(SourceSpan, Findings&);

}  // namespace clusterc
