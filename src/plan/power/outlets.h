// Which cord goes into which outlet of its PDU, on the assignment of plan/power/power_chain.h.
//
// Outlets of one kind are counted through on each PDU, from its bottom: C13 1, 2, 3 … and C19 1, 2, 3 …; where the
// maker prints other numbers the third C19 is still the third. Cords take them in the order in which they are dealt,
// devices from the bottom of the rack up, each the next one that its plug fits; combined outlets when the plain ones
// are taken. Members to come that have a place kept free keep their outlets, so that nobody's cord moves when they
// come; where that would leave somebody without one who is there and who else had one, they keep none. Example: 2 C19
// outlets and 1 combined; cords of three nodes with one C20 inlet each: C19 1, C19 2, C13/C19 1.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "plan/power/cords.h"

namespace clusterc {

struct OutletPlace {
  InletKind inlet = InletKind::hardwired;
  OutletKind socket = OutletKind::hardwired;  // hardwired: no plug
  std::int16_t number = 0;                    // from 1; 0: none is left, or the PDU's part does not say how many it has
};
// By place in `rack.cords`, of any class of racks (of an assembly: all hardwired).
std::vector<OutletPlace> outlet_places(const Plan&, const PowerClass&);

// The cord between this inlet and its outlet, as the bill has it: "power-cord-c19-c20"; empty: hardwired.
std::string_view cord_part(InletKind);
std::string_view socket_text(OutletKind);  // "C19", "C13/C19"; empty: hardwired

// Length to order, a planning default: nobody states where a PDU's outlets are, so they are taken as spread evenly over
// the rack's units, those of one kind among themselves. Way as between two devices of a rack (plan/fabric/links.h):
// |height of the supply - height of the outlet| + the rack's width + 2 slack, up to the next half metre.
Meters cord_length(const Cluster&, const RackGroupModel&, std::int64_t unit, const PduPart&, const OutletPlace&);

}  // namespace clusterc
