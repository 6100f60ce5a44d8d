// What the work needs and only a document of the maker states: torques, ways of lifting, rail kits, couplings of hoses,
// plugs of CDUs, first logins, firmware that goes together. The catalogue has none of these, and nothing here guesses:
// each is a row that names the document and has a field to fill in and sign.
#pragma once
#include <string>
#include <vector>

#include "plan/plan.h"

namespace clusterc {

struct MakerFact {
  std::string of;        // model, or loop
  std::string fact;      // "bolts to the floor and to the next rack: size, torque"
  std::string document;  // "installation manual of the rack"
};
// Racks, PDUs, frames, devices, cooling, cables; each model once.
std::vector<MakerFact> maker_facts(const Cluster&, const Plan&);

// As a chapter of runbook.md; empty: nothing of the kind is bought.
std::string maker_steps(const Cluster&, const Plan&);

}  // namespace clusterc
