// The build book of a plan, as text for people and as data (format "clusterc-plan", version 1).
#pragma once
#include <string>
#include <string_view>

#include "plan/plan.h"
#include "report/verdict.h"
#include "targets/targets.h"

namespace clusterc {

// Both begin with the verdict where it is given.
std::string render_plan_text(const Cluster&, const Plan&, const ExpectedFigures&, const PlanVerdict* = nullptr);
std::string render_plan_json(const Cluster&, const Plan&, const ExpectedFigures&, std::string_view spec_digest,
                             const PlanVerdict* = nullptr);
std::string render_cables_csv(const Cluster&, const Plan&);  // every link: its ends, its way, its parts
// Every uplink of every leaf: how many destinations routing by destination sends over it (plan/fabric/routing.h).
std::string render_routes_csv(const Cluster&, const Plan&);
// Every switch: where it stands, its management address, its BGP number and loopback (plan/fabric/bgp.h).
std::string render_switches_csv(const Cluster&, const Plan&);
std::string render_expected_text(const ExpectedFigures&);

}  // namespace clusterc
