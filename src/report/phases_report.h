// The steps of `phases:` as text and as data (format "clusterc-phases", version 1): each step is planned for the size
// that the whole spec has, and compared with the one before.
#pragma once
#include <string>
#include <vector>

#include "report/diff_report.h"

namespace clusterc {

struct PhaseStep {
  std::string name, by;  // by: a day; empty: none
  PlanFigures figures;
  std::vector<NamedSum> once;    // paid in this step beside parts: freight, installation; the first one pays them
  PlanDiff change;               // against the step before; of the first one the whole bill is in `parts`
  std::int64_t idle_leaves = 0;  // leaf switches that nobody is plugged into yet: they may be bought later
  std::int64_t empty_racks = 0;  // where nothing stands yet: neither they nor their PDUs are in the sums of this step
  std::vector<std::string> smaller_jobs;  // "job 'p' is taken on 32 of the 64 nodes of 'gpu' that it is to have"
  std::vector<std::string> errors;        // that `check` would have on it
};
struct PhasesReport {
  std::string cluster;
  std::vector<std::string>
      built_for;  // "network 'compute' is planned for 128 of 'gpu'", where the spec itself does not say so
  std::vector<PhaseStep> steps;
};

// What stands, is plugged or is addressed otherwise than in the step before: the price of growing.
std::int64_t disturbed(const PlanDiff&);
// Leaf switches without an end point.
std::int64_t idle_leaves(const Plan&);

std::string render_phases_text(const PhasesReport&);
std::string render_phases_json(const PhasesReport&);

}  // namespace clusterc
