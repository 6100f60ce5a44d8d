// A report of an earlier run, read back from its JSON (format "clusterc-validation", version 1): to compare with, or to
// repeat what failed in it.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "validate/inventory.h"
#include "validate/run.h"

namespace clusterc {

struct EarlierReport {
  Report report;  // without its probes
  std::string spec_digest;
  std::vector<NodeFacts> nodes;
};

// nullopt with `error` (which names no file): no report, one of a newer version, or a damaged one.
std::optional<EarlierReport> read_report(std::string_view json, std::string& error);

}  // namespace clusterc
