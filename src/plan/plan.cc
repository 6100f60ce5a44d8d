// The order of the steps; each fills its part of the plan and changes no other's.
#include "plan/plan.h"

#include "plan/cabling.h"
#include "plan/fabric.h"
#include "plan/placement.h"
#include "plan/power.h"

namespace clusterc {

void plan_addresses(Plan&);
void plan_bill(Plan&);

Plan plan_cluster(const Cluster& cluster) {
  Plan plan;
  plan.cluster = &cluster;
  plan_fabrics(plan);
  plan_placement(plan);
  plan_floor(plan);
  plan_power(plan);
  plan_addresses(plan);
  plan.cabling = std::make_shared<const Cabling>(plan);
  plan_bill(plan);
  return plan;
}

}  // namespace clusterc
