// What is wrong with the cabling of a running fabric, as findings at the lines of its dump.
#pragma once
#include "audit/fabric_differences.h"

namespace clusterc {

// The fabric of the plan that most cables of the dump belong to, among `fabrics` (numbers in plan.fabrics).
struct AuditedFabric {
  PlannedFabric planned;
  FabricMatch match;
  FabricDifferences differences;
};
AuditedFabric audit_fabric(const SeenFabric&, const Plan&, const std::vector<int>& fabrics);

// `dump`: what has no line of its own is told at its begin.
void report_fabric(const SeenFabric&, const AuditedFabric&, FileId dump, Findings&);

// "compute: 1,023 of 1,024 planned cables are there and right; 2 moves of cable ends repair it"
std::string fabric_summary(const AuditedFabric&);

}  // namespace clusterc
