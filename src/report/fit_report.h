// What `clusterc plan --fit` found, as text and as data (format "clusterc-fit", version 1).
#pragma once
#include <string>

#include "plan/fit.h"
#include "report/figures.h"

namespace clusterc {

struct FitReport {
  std::string cluster, of;  // "nodes.gpu"
  std::int64_t asked = 0;   // what the spec has
  FitOutcome outcome;
  std::optional<PlanFigures> figures;  // at the largest count
  std::string relaxed;  // what was enlarged beyond the first limit: "with more racks in 'main'"; empty: nothing
};
std::string render_fit_text(const FitReport&);
std::string render_fit_json(const FitReport&);

}  // namespace clusterc
