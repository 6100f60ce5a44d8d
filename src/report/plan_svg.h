// Drawings of a plan for documents: the floor, and an elevation of each kind of rack. Racks of one group with the same
// devices at the same units are of one kind; the first of them is drawn.
#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "plan/plan.h"

namespace clusterc {

// "floor.svg", "elevation-r01.svg" …: none where the plan has no racks.
void render_svg_drawings(const Cluster&, const Plan&,
                         const std::function<void(std::string_view name, std::string_view svg)>& take);

// One rack alone.
std::string render_rack_elevation(const Cluster&, const Plan&, std::int64_t rack);

}  // namespace clusterc
