// The order of the steps; each fills its part of the plan and changes no other's.
#include "plan/plan.h"

#include "plan/cabling.h"
#include "plan/fabric.h"
#include "plan/placement.h"
#include "plan/power.h"

namespace clusterc {

void plan_addresses(Plan&);
std::vector<BillLine> bill_of(const Plan&);

Plan plan_cluster(const Cluster& cluster) {
  Plan plan;
  plan.cluster = &cluster;
  plan_fabrics(plan);
  plan_placement(plan);
  plan_floor(plan);
  plan_power(plan);
  plan_addresses(plan);
  return plan;
}

const Cabling& Plan::cabling() const {
  if (!cabling_) cabling_ = std::make_shared<const Cabling>(*this);
  return *cabling_;
}

const std::vector<BillLine>& Plan::bill() const {
  if (!bill_) bill_ = std::make_shared<const std::vector<BillLine>>(bill_of(*this));
  return *bill_;
}

}  // namespace clusterc
