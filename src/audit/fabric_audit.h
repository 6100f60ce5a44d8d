// What is wrong with the cabling of a running fabric, as findings at the lines of its dump.
#pragma once
#include <string>
#include <string_view>

#include "audit/fabric_differences.h"

namespace clusterc {

// The fabric of the plan that most devices of the dump are called as, then most cables belong to, among `fabrics`
// (numbers in plan.fabrics).
struct AuditedFabric {
  SeenFabric seen;  // without the links of other networks of the plan
  PlannedFabric planned;
  FabricMatch match;
  FabricDifferences differences;
  int fabric = -1;  // number in plan.fabrics
  // The plan was made from the fabric itself: what most of its cables say is expected of all. Its names are those seen.
  bool by_itself = false;
};
AuditedFabric audit_fabric(const SeenFabric&, const Plan&, const std::vector<int>& fabrics);

// `dump`: what has no line of its own is told at its begin.
void report_fabric(const AuditedFabric&, FileId dump, Findings&);

// `spec`: as spec_of_fabric() wrote it from this fabric.
AuditedFabric audit_fabric_by_itself(const SeenFabric&, const Plan& of_spec);

constexpr std::string_view kNamesHeading = "network,planned,seen,recognised by\n";
// A row for each planned device: what it is called on the fabric, and whether it was recognised by its name or its
// cables. Both empty: it was not seen.
std::string fabric_names_csv(const AuditedFabric&, bool heading);

// "network 'compute': of 1024 planned cables, 1022 right, 2 misplaced; 2 moves of cable ends put the misplaced ones
// right"
std::string fabric_summary(const AuditedFabric&);

}  // namespace clusterc
