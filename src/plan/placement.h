// Where everything stands.
#pragma once
#include "plan/plan.h"

namespace clusterc {

// From here on two people do not lift a device, and a lift is needed (policy of rack-heavy-device-placed-high): the
// planner puts it as low as it fits.
constexpr Kilograms kHeavyDevice{50};

// What a rack carries is its devices with rails and cables (planning defaults: rails are 5 % of what they carry, cords
// and cables 20 to 60 kg a rack, of which the lowest counts).
constexpr double kRailShare = 0.05;
constexpr Kilograms kRackCables{20};

// Fills racks, node_rack, node_unit, switch_rack, switch_unit and unplaced. Needs fabrics.
void plan_placement(Plan&);

}  // namespace clusterc
