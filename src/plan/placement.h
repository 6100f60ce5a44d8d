// Where everything stands.
#pragma once
#include <limits>

#include "plan/plan.h"

namespace clusterc {

// What one rack may draw through its PDUs, in real power at the site's power factor; infinite where nobody said what
// they carry.
struct RackLimits {
  Watts normal{std::numeric_limits<double>::infinity()};  // all PDUs alive: the smallest times their number (cords are
                                                          // spread evenly)
  Watts survives{std::numeric_limits<double>::infinity()};  // after the loss of any one feed that leaves a PDU alive
};
RackLimits rack_limits(const Cluster&, const RackGroupModel&);
RackLimits pdu_limits(const Cluster&, const RackGroupModel&);  // without the racks' budget
bool budget_decides(const Cluster&,
                    const RackGroupModel&);  // the racks' budget is less than their PDUs carry with all feeds
// Continuous apparent power of one PDU; absent where the catalogue gives neither it nor voltage and current.
Value<VoltAmperes> pdu_rating(const Cluster&, const PduPart&);
double power_factor(const Cluster&);
// What a device in one of these racks draws at the wall when the feed is lost on which most of its supplies hang: the
// rest run at another load, and waste more or less. Its power as it is where it states no supplies, or one feed is all
// that there is.
Watts after_feed_loss(const Plan&, const RackGroupModel&, const RackedDevice&);

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
