// The hardware that BMCs name against the servers of the spec.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
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

// Nodes, each in one of the four.
struct HardwareCounts {
  std::int64_t as_planned = 0;  // all that the spec has was read and agrees, and no part is ill
  std::int64_t in_part = 0;     // nothing differs, but the BMC does not report all that the spec has
  std::int64_t differing = 0;   // or ill
  std::int64_t unread = 0;      // not read to the end
  std::int64_t read() const { return as_planned + in_part + differing; }
};

// "BMC-1.lan.:443" is "bmc-1.lan": two addresses that are written differently may be one.
std::string plain_address(std::string_view);

// The node of each BMC, in the order of the answers.
HardwareCounts report_hardware(const Plan&, const std::vector<AuditedNode>&, const std::vector<BmcAnswer>&, Findings&);

// That what BMCs said came over connections whose other end was not verified.
void report_unverified(SourceSpan, Findings&);

}  // namespace clusterc
