// The small things of racks, counted as the plan stands now: no parts of the catalogue, so without maker and price, and
// yet nothing works without them.
//   cords    one for each supply that hangs on a PDU, by plug; how long they are is the rack builder's; a line without
//   a number
//            for what stands there and states no supplies
//   whips    one for each power shelf of an assembly that hangs on a feed, and
//   hoses    two for each of its frames that liquid cools: how many, for whoever orders them; nothing else is known of
//   them panels   one for each empty unit of a rack where something stands: warm air comes back through a gap trays one
//   along each row of racks, from its first to its last, and one across the rows: how they lie is an assumption, and
//   marked as one
#pragma once
#include <string>
#include <vector>

#include "plan/plan.h"

namespace clusterc {

struct Accessory {
  std::string part, what;  // "power-cord-c19-c20", "cord from PDU to supply"
  std::int64_t count = 0;
  Meters length{0};  // of a tray, to the next 0.1 m; 0: none
  bool planning_default = false;
  std::int64_t unknown_for =
      0;  // devices whose number of cords or hoses nobody states: a line of its own, whose count is 0
};
// Linear in the racks and what stands in them.
std::vector<Accessory> accessories_of(const Plan&);

}  // namespace clusterc
