// The figures by which people compare plans, and variants of one spec side by side (format "clusterc-options", version
// 1).
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_writer.h"
#include "diag/finding.h"
#include "plan/cost/cost.h"
#include "plan/power/power_gaps.h"

namespace clusterc {

struct PlanFigures {
  std::int64_t nodes = 0, gpus = 0, racks_used = 0, racks = 0, switches = 0, links = 0, unplaced = 0;
  std::map<std::string, std::int64_t> gpus_by_model, nodes_by_group;
  std::map<std::string, std::int64_t> switches_by_network;  // networks with switches of their own
  Watts power{0}, typical{0};                               // of the equipment, at the wall; heat is the same
  std::vector<PowerlessPart> powerless;  // what counts as nothing in them: they are lower bounds then
  Watts liquid_heat{0};
  Watts site{0};  // with cooling and losses
  double pue = 1;
  bool pue_known = true, pue_stated = false;  // stated: by the site
  std::string job_network;                    // that carries compute traffic; empty: none with switches
  BitsPerSecond bisection{0};                 // of it, one way
  double oversubscription = 1;
  std::size_t errors = 0, warnings = 0, notes = 0;
  std::optional<Cost> cost;
};
// "120 kW", "at least 918 W", "unknown": with `least` before what is a lower bound.
std::string power_figure(const PlanFigures&, Watts, std::string_view least = "at least ");
PlanFigures figures_of(const Plan&, const Findings&);
// "9 nodes, 72 GPUs, 5 switches, 120 links, 3 of 4 racks, 120 kW"
std::string figures_line(const PlanFigures&);
// "310,000 EUR", "8,612,832 USD of rent a year", or both; "at least" where not everything has a price; that nothing has
// one.
std::string cost_line(const Cost&);
void figures_json(JsonWriter&, const PlanFigures&);  // the members of an object that is open

struct Variant {
  std::string name;                    // "spec.yaml", "nodes.gpu.model=nvidia-dgx-b200"
  std::optional<PlanFigures> figures;  // absent: it could not be planned
  std::string why;                     // then
  std::vector<std::string> errors;     // messages of its errors
};
std::string render_variants_text(const std::vector<Variant>&);
std::string render_variants_json(const std::vector<Variant>&);

}  // namespace clusterc
