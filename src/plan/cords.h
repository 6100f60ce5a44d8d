// Plugs, outlets and the currents of cords, lines and banks, on the assignment of plan/power_chain.h.
#pragma once
#include <algorithm>
#include <array>
#include <string>

#include "plan/power_chain.h"

namespace clusterc {

// The device of a class by its place; null for what is none (occupied units). As messages name it: its owner in the spec, and its part.
const RackedDevice* device_of(const Plan&, const PowerClass&, std::size_t device);
const PsuSet* supplies_of(const Plan&, const RackedDevice&);       // null where its part names none, or no number
std::string device_owner(const Plan&, const RackedDevice&);        // "nodes.gpu", "storage.scratch", "networks.compute"
std::string device_model(const Plan&, const RackedDevice&);        // "nvidia-dgx-h100"

// Outlets of a PDU by kind.
struct Outlets {
  std::int64_t c13 = 0, c19 = 0, either = 0;
  bool confirmed = true, known = false;
  std::string text() const;               // "36 x C13 + 6 x C19"
};
Outlets outlets_of(const PduPart&);

// Voltage across a supply behind the PDU; absent where its part states no voltage and phases.
Value<Volts> outlet_voltage(const PduPart&);
// Current of one of `alive` cords that share the power.
Amperes cord_current(const Cluster&, Watts, std::int64_t alive, Volts);

// What each position carries when the feed is lost; `lost` -1: nothing is. False where no position hangs on it, or none is left.
bool lose_feed(const PowerRack&, int lost, PowerFailure&);

// Currents of one PDU. A cord is put on the bank, else the pair of lines, that carries least so far, the largest cords first; what states no supplies
// is spread evenly. `worst` is after the loss of one other feed, with the same assignment.
struct PduCurrents {
  std::array<double, 3> lines{}, worst_lines{};   // A; a single phase uses the first
  int worst_lost_feed = -1;
  double bank = 0, worst_bank = 0;                // A, of the bank that carries most
  int bank_lost_feed = -1;
  double highest() const { return std::max({lines[0], lines[1], lines[2]}); }
  double worst_highest() const { return std::max({worst_lines[0], worst_lines[1], worst_lines[2]}); }
};
// By place in Plan::pdus; all zero where the PDU's voltage is not known.
std::vector<PduCurrents> pdu_currents(const Plan&);

}  // namespace clusterc
