// The cables of one kind in a fabric: how many, and which is the longest.
#pragma once
#include <optional>

#include "plan/plan.h"

namespace clusterc {

enum class CableKind : std::uint8_t {
  nodes,
  spine,
  core,
  management
};  // where they lead; management: uplinks into another fabric
CableKind cable_kind(const Cable&);

struct CableRun {
  std::int64_t count = 0;
  std::int64_t unplaced = 0;  // of them with an end that stands in no rack: their length is not known
  std::int64_t beyond = 0;    // of them longer than the reach
  Cable longest;
};
CableRun cable_run(const Plan&, int fabric, CableKind, Meters reach);

}  // namespace clusterc
