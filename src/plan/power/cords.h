// Plugs, outlets and the currents of cords, lines and banks, on the assignment of plan/power/power_chain.h.
#pragma once
#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "plan/power/power_chain.h"

namespace clusterc {

// The device of a class by its place; null for what is none (occupied units). As messages name it: its owner in the
// spec, and its part.
const RackedDevice* device_of(const Plan&, const PowerClass&, std::size_t device);
const PsuSet* supplies_of(const Plan&, const RackedDevice&);  // null where its part names none, or no number
std::string device_owner(const Plan&, const RackedDevice&);   // "nodes.gpu", "storage.scratch", "networks.compute"
std::string device_model(const Plan&, const RackedDevice&);   // "nvidia-dgx-h100"

// Outlets of a PDU by kind.
struct Outlets {
  std::int64_t c13 = 0, c19 = 0, either = 0;
  bool confirmed = true, known = false;
  std::string text() const;  // "36 x C13 + 6 x C19"
};
Outlets outlets_of(const PduPart&);
// The count of those that a plug takes next, of what is left: plain outlets, then combined ones. Null where none is
// left, or there is no plug.
std::int64_t* next_outlet(Outlets& left, InletKind);

// Voltage across a supply behind the PDU; absent where its part states no voltage and phases.
Value<Volts> outlet_voltage(const PduPart&);
// Current of one of `alive` cords that share the power, at the power factor of the device's supplies, else the site's.
// A supply takes no more than its label states (IEC 62368-1, 3.3.10.4: the rated current is what the maker assigns).
Amperes cord_current(const Cluster&, const SupplyLoad&, Watts, std::int64_t alive, Volts);

// What each position carries when the feed is lost; `lost` -1: nothing is. False where no position hangs on it, or none
// is left.
bool lose_feed(const PowerRack&, int lost, PowerFailure&);

// Where each cord of a rack sits on its PDU: the bank, else the pair of lines, that carries least so far, the largest
// cords first, as they draw when nothing has failed. Whole banks lie on the pairs in turn; without them a cord is
// moved, or two are exchanged, while that makes the fullest line less full in the worst of all states: nothing has
// failed, or one feed is lost (else, with that as it is, the sum over all lines and states of the squares). Cords to
// come are dealt along, so that those that are there stay where they are plugged in.
struct RackWiring {
  struct Position {
    bool known = false;     // its voltage and phases are stated
    bool between = false;   // three phases, loads between lines
    std::uint8_t ways = 1;  // pairs of lines, or lines
    std::int64_t banks = 0;
    Volts voltage{0};  // across a load
  };
  std::vector<Position> positions;  // as PowerRack::positions
  std::vector<std::uint8_t> way;    // by cord
  std::vector<std::int16_t> bank;
};
RackWiring wire_rack(const RackGroupModel*,
                     const PowerRack&);  // no group: an assembly, of whose lines nothing is known

// Power on each cord in a state of the rack, and what has no cords, by position.
struct CordWatts {
  std::vector<double> cord, spread;
  std::vector<std::array<double, 3>> ways;  // by position: on its lines, or pairs of lines (fullest_lines)
};
void cord_watts(const PowerRack&, const PowerFailure&, const PowerState&, CordWatts&);

// Of each position, the balanced load that would fill every line as much as the fullest is: no less than what it
// carries (PowerState::position_watts). `watts` is scratch that keeps its memory.
void fullest_lines(const PowerRack&, const RackWiring&, const PowerFailure&, const PowerState&, CordWatts& watts,
                   std::vector<double>& out);

// Whether each PDU of such a rack, and the fullest of its lines, is within its continuous rating after the loss of the
// feed (-1: none is lost).
bool pdus_hold(const Plan&, const PowerRack&, const RackGroupModel&, int lost, const RackWiring&);

// Currents of one PDU. What states no supplies is spread evenly over its lines. `worst` is after the loss of one other
// feed, with the same assignment.
struct PduCurrents {
  std::array<double, 3> lines{}, worst_lines{};  // A; a single phase uses the first
  int worst_lost_feed = -1;
  double bank = 0, worst_bank = 0;  // A, of the bank that carries most
  int bank_lost_feed = -1;
  double highest() const { return std::max({lines[0], lines[1], lines[2]}); }
  double worst_highest() const { return std::max({worst_lines[0], worst_lines[1], worst_lines[2]}); }
};
// What each line of a PDU may carry continuously, in A; nothing where that does not follow from what is stated.
std::optional<double> line_rating(const Cluster&, const PduPart&);
std::vector<PduCurrents> pdu_currents_of(const Plan&);  // Plan::pdu_currents, worked out anew

}  // namespace clusterc
