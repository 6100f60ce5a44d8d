// What the PDUs, shelves and budget of a rack let it draw.
#pragma once
#include <limits>
#include <optional>
#include <vector>

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

// What the PDUs of one rack carry together (power, cords) when each of them has room for `each`: cords are dealt to the
// feeds evenly and on a feed to its PDUs evenly, what has no cords to all PDUs evenly. So two PDUs on A and one on B
// carry no more than twice what B's one does. `lost`: a feed that is dead.
double shared_evenly(const RackGroupModel& g, int lost, const std::vector<double>& each);
// What the shelves of a busbar carry at the wall: all of them; without the spare ones, and after the loss of any feed.
// Nothing where that is not stated.
std::optional<RackLimits> busbar_limits(const RackGroupModel& g);

}  // namespace clusterc
