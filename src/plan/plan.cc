// The order of the steps; each fills its part of the plan and changes no other's.
#include "plan/plan.h"

#include "model/pcie.h"
#include "plan/fabric/cabling.h"
#include "plan/fabric/fabric.h"
#include "plan/fabric/routing.h"
#include "plan/placement.h"
#include "plan/power/cords.h"
#include "plan/power/power.h"
#include "plan/power/power_chain.h"
#include "spec/site.h"

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

const Cabling& Plan::doubtful_cabling() const {
  if (cabling_) return *cabling_;
  if (!doubtful_cabling_) doubtful_cabling_ = std::make_shared<const Cabling>(*this, Cabling::Of::doubtful);
  return *doubtful_cabling_;
}

const std::vector<BillLine>& Plan::bill() const {
  if (!bill_) bill_ = std::make_shared<const std::vector<BillLine>>(bill_of(*this));
  return *bill_;
}

const std::vector<PowerClass>& Plan::power_classes() const {
  if (!power_classes_) power_classes_ = std::make_shared<const std::vector<PowerClass>>(power_classes_of(*this));
  return *power_classes_;
}

const std::vector<PduCurrents>& Plan::pdu_currents() const {
  if (!pdu_currents_) pdu_currents_ = std::make_shared<const std::vector<PduCurrents>>(pdu_currents_of(*this));
  return *pdu_currents_;
}

const PcieTree& Plan::pcie_tree(std::size_t group) const {
  pcie_trees_.resize(cluster->nodes.size());
  std::shared_ptr<const PcieTree>& known = pcie_trees_[group];
  if (!known) known = std::make_shared<const PcieTree>(clusterc::pcie_tree(cluster->nodes[group].server));
  return *known;
}

const std::vector<PatternLoad>& Plan::loads(int fabric, bool only_all_to_all) const {
  loads_.resize(fabrics.size());
  Loads& known = loads_[static_cast<std::size_t>(fabric)];
  if (!known.patterns || (!only_all_to_all && !known.all))
    known = {std::make_shared<const std::vector<PatternLoad>>(Routing(*this, fabric).loads(only_all_to_all)),
             !only_all_to_all};
  return *known.patterns;
}

}  // namespace clusterc
