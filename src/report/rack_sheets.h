// racks/NAME.html: an assembly sheet for each rack, to be printed and taken to the rack. Drawing, devices from the
// bottom up with room for serial numbers and MAC addresses, cords and cables in the order of work with both labels, a
// check at the end. Who follows it needs no other document at the rack.
#pragma once
#include <functional>
#include <string_view>

#include "plan/plan.h"

namespace clusterc {

// `buildable`: the spec has no error; each sheet says so otherwise. Takes ("r07.html", text) for each rack in which
// something stands. Racks whose names are no file names are left out: the spec then has an error.
void render_rack_sheets(const Cluster&, const Plan&, bool buildable,
                        const std::function<void(std::string_view name, std::string_view html)>& take);

}  // namespace clusterc
